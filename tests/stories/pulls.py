"""People who change skills by pull requests, from a branch or from a fork, as stories need them."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from demo.github.pull_handle import PullHandle
from demo.github.records import Check
from demo.play import HERE, NAME
from tests.stories.scene import PERSON, Scene

SKILL = "csv-profile"
STRANGER = "rudi"


def tree(folder: Path, change: str = "", files: Mapping[str, str | None] | None = None) -> Path:
    """The samples in a new folder, with a line more in a skill, and other files written or gone."""
    shutil.copytree(HERE / "sample", folder)
    if change:
        skill = folder / SKILL / "SKILL.md"
        skill.write_text(f"{skill.read_text()}\n{change}\n")
    for name, text in (files or {}).items():
        path = folder / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return folder


def pulls_of(scene: Scene) -> PullHandle:
    """The pull requests of the sample repository, where issue 1 is marked as an eval case."""
    return PullHandle(scene.github.site, scene.repository)


def mark_eval(scene: Scene) -> None:
    scene.repository.label(1, "benchmark", by=PERSON)


def open_pull(scene: Scene, folder: Path, *, branch: str = "better") -> int:
    """A pull request from a branch of the repository itself."""
    return pulls_of(scene).open(folder, by=PERSON, branch=branch)


def open_fork(scene: Scene, folder: Path) -> int:
    """A pull request of a stranger, from a fork."""
    scene.github.add_person(STRANGER)
    fork = scene.github.add_repository(STRANGER, NAME)
    return pulls_of(scene).open(folder, by=STRANGER, branch="main-2", fork=fork)


async def check_on(scene: Scene, number: int, title: str = "") -> Check:
    """The check run on a pull request's head, once it says this."""
    pulls = pulls_of(scene)

    def found() -> list[Check]:
        checks = pulls.checks(pulls.head(number))
        return [one for one in checks if (one.title or "").startswith(title)]

    await scene.until(lambda: bool(found()), f"a check run {title!r} on pull request {number}")
    (check,) = found()
    return check


async def ended(scene: Scene, number: int) -> str:
    """The comment of the only comparison, once all of it has ended."""

    def found() -> list[str]:
        return [body for body in scene.bot_comments(number) if "### " in body and _is_end(body)]

    await scene.until(lambda: bool(found()), f"the end of the comparison on {number}")
    (comment,) = found()
    return comment


def _is_end(body: str) -> bool:
    return any(f"\n### {sign} " in body for sign in ("🟢", "🔴", "🟡", "⚪", "⚠️"))
