"""A push is measured where the repository asks for it, and otherwise costs next to nothing."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, Transient
from jobs.ports import Permission
from jobs.requests import Repo, Request
from jobs.triggering.pushed import PushedSkills, find_pushed_skills
from tests.builders import NOON
from tests.jobs.content.trees import Content, a_skill, write_tree

BEFORE, AFTER = "b" * 40, "a" * 40
FILE = ".github/skillbench.yml"
WISH = "trigger:\n  on_push: true\n  models: [claude-sonnet]\n"
OLD = {"count/SKILL.md": a_skill("count"), "notes/SKILL.md": a_skill("notes", "Writes.")}
NEW = OLD | {"count/SKILL.md": a_skill("count", "Counts lines.")}


@dataclass
class Reader:
    """Has the state before the push, and notes what was asked for."""

    folder: Path
    trouble: Exception | None = None
    is_there: bool = True
    opened: list[str] = field(default_factory=list)

    async def default_commit(self) -> str:
        if not self.is_there:
            raise Gone("the App was removed")
        return AFTER

    async def download_tarball(self, commit: str, target: Path) -> None:
        raise AssertionError(f"{commit} is opened, and not downloaded to {target}")

    @asynccontextmanager
    async def open(self, commit: str) -> AsyncIterator[Snapshot]:
        self.opened.append(commit)
        if self.trouble:
            raise self.trouble
        yield write_tree(self.folder / "before", OLD)

    async def permission(self, login: str) -> Permission:
        raise AssertionError(f"nobody asks what {login} may do")


async def find(
    reader: Reader, tmp_path: Path, files: Mapping[str, Content], before: str | None = BEFORE
) -> PushedSkills:
    request = Request(
        key="push:acme/skills:b-a",
        kind="trigger",
        repo=Repo(owner="acme", name="skills", installation_id=7),
        issue=0,
        asker="mona",
        origin="push",
        before=before,
        after=AFTER,
        asked_at=NOON,
    )
    after: Snapshot = write_tree(tmp_path / "after", files)
    return await find_pushed_skills(request, after, reader, reader.open)


async def test_the_changed_skill_is_measured_with_the_files_models(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    found = await find(reader, tmp_path, NEW | {FILE: WISH})
    assert [skill.path for skill in found.skills] == ["count"]
    assert found.skills[0].description == "Counts lines."
    assert found.models == ("claude-sonnet",)
    assert reader.opened == [BEFORE]


@pytest.mark.parametrize(
    "wish", [None, "", "trigger: {on_push: false}\n", "trigger: {on_push: perhaps}\n", "a: [b"]
)
async def test_without_the_wish_the_past_is_not_looked_at(tmp_path: Path, wish: str | None) -> None:
    reader = Reader(tmp_path)
    files = NEW if wish is None else NEW | {FILE: wish}
    assert await find(reader, tmp_path, files) == PushedSkills()
    assert reader.opened == []


async def test_a_branch_without_a_past_has_changed_nothing(tmp_path: Path) -> None:
    assert await find(Reader(tmp_path), tmp_path, NEW | {FILE: WISH}, before=None) == PushedSkills()


async def test_another_change_of_a_skill_is_none_of_its_description(tmp_path: Path) -> None:
    files = OLD | {FILE: WISH, "count/run.py": "print()"}
    assert (await find(Reader(tmp_path), tmp_path, files)).skills == ()


async def test_a_past_that_github_gives_no_more_leads_to_nothing(tmp_path: Path) -> None:
    reader = Reader(tmp_path, trouble=Gone("no such commit"))
    assert await find(reader, tmp_path, NEW | {FILE: WISH}) == PushedSkills()


async def test_a_repository_that_is_gone_is_told_from_a_commit_that_is(tmp_path: Path) -> None:
    reader = Reader(tmp_path, trouble=Gone("no such commit"), is_there=False)
    with pytest.raises(Gone, match="App was removed"):
        await find(reader, tmp_path, NEW | {FILE: WISH})


async def test_an_outage_is_worth_another_try(tmp_path: Path) -> None:
    with pytest.raises(Transient):
        await find(Reader(tmp_path, trouble=Transient("502")), tmp_path, NEW | {FILE: WISH})
