"""What stories about pushes have in common: trees to push, and what is told of them."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from demo.github.records import Check
from demo.play import HERE, PERSON
from tests.stories.scene import Scene, steady

CSV = "csv-profile"
ISSUE = "http://github.test/sample-org/skills/issues/1"


def write(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """The sample with files added or replaced."""
    shutil.copytree(HERE / "sample", folder)
    for path, text in (files or {}).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def push(scene: Scene, folder: Path, files: Mapping[str, str]) -> str:
    """Push the sample with these files; gives the commit."""
    return scene.repository.push(write(folder, files), by=PERSON)


def another_version(number: int) -> dict[str, str]:
    """A file beside the SKILL.md of csv-profile, which is no part of its description."""
    return {"csv-profile/notes.txt": f"version {number}\n"}


def checks_on(scene: Scene, commit: str) -> list[Check]:
    """Of the skills; another one is about the repository's own file."""
    checks = scene.repository.repository.checks
    return [one for one in checks if (one.commit, one.name) == (commit, "skillbench")]


def told(check: Check) -> str:
    """The summary without what differs from run to run."""
    return re.sub(r"<duration> [▲▼] \d+%|<duration> =", "<duration>", steady(check.summary or ""))


async def check_done(scene: Scene, commit: str) -> Check:
    await scene.until(
        lambda: any(one.status == "completed" for one in checks_on(scene, commit)),
        f"the end of the check run on {commit[:7]}",
    )
    (check,) = checks_on(scene, commit)
    return check


async def measure(scene: Scene, issue: int = 1) -> None:
    """Somebody asks for a first result, which says that they want to know."""
    scene.label(issue)
    await scene.label_gone(issue)


async def pushed_over(scene: Scene) -> None:
    """Wait until whatever a push asked for was done: requests of a repository take turns."""
    comment = scene.comment(2, "@skillbench run scripted-demo --force")
    await scene.reacted(2, comment, "rocket")
