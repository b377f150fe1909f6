"""What stands for the other arm, typed in any way, pinned to one version."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from jobs.planning.versus import MOST_LOOKED_AT, OtherVersions, Versions, Versus
from jobs.values import Skill
from tests.jobs.content.trees import a_skill, write_tree

PATH = "skills/count"


@dataclass
class History:
    """Commits, the newest first, each with the files it has."""

    folder: Path
    trees: dict[str, dict[str, str]]
    opened: list[str] = field(default_factory=list)
    refs: dict[str, str] = field(default_factory=dict)
    """Commits by the names that lead to them, in full."""

    async def find_commit(self, ref: str) -> str | None:
        if ref in self.refs:
            return self.refs[ref]
        return next((commit for commit in self.trees if commit.startswith(ref)), None)

    async def commits_of(self, path: str, start: str, *, most: int) -> Sequence[str]:
        assert path == PATH
        commits = list(self.trees)
        return commits[commits.index(start) :][:most]

    async def open(self, commit: str) -> Snapshot:
        self.opened.append(commit)
        tree = self.folder / f"{commit}-{len(self.opened)}"
        return Snapshot(write_tree(tree, self.trees[commit]).root, commit, "toolbox")

    @property
    def versions(self) -> Versions:
        return Versions(history=self, open=self.open, head=next(iter(self.trees)))

    async def skill(self) -> Skill:
        """The version at the head."""
        shelf = find_skills(await self.open(next(iter(self.trees))))
        self.opened.clear()
        return shelf.find(PATH)


def at(text: str, **more: str) -> dict[str, str]:
    return {f"{PATH}/SKILL.md": a_skill("count") + text, **more}


async def find(history: History, asked: str | None) -> Versus:
    skill = await history.skill()
    return await OtherVersions(asked, history.versions).find(skill, next(iter(history.trees)))


async def test_nothing_typed_is_no_skill(tmp_path: Path) -> None:
    history = History(tmp_path, {"c2": at("new")})
    for asked in (None, "none", "None "):
        assert await find(history, asked) == Versus()
    assert history.opened == []


async def test_previous_goes_back_to_the_last_commit_with_another_version(tmp_path: Path) -> None:
    """What changed evals alone has the version of before; the head's own commit is not read."""
    evals = {f"{PATH}/evals/evals.json": "[]"}
    history = History(
        tmp_path,
        {"c4": at("new", **evals), "c3": at("new"), "c2": at("old"), "c1": at("older")},
    )
    found = await find(history, "previous")
    assert found.other_commit == "c2"
    assert found.other is not None
    assert found.vs == f"sha:{found.other.sha}"
    assert history.opened == ["c3", "c2"]


async def test_previous_of_a_first_version_is_none_and_said(tmp_path: Path) -> None:
    for trees in ({"c1": at("new")}, {"c2": at("new"), "c1": {"README.md": "no skill"}}):
        found = await find(History(tmp_path, trees), "previous")
        assert found.vs == "none"
        assert found.other is None
        assert "There is no previous version" in found.note


async def test_previous_reads_no_more_commits_than_it_may(tmp_path: Path) -> None:
    """A folder whose evals change daily costs a handful of downloads, and then a question."""
    trees = {f"c{number}": at("same") for number in range(30)}
    history = History(tmp_path, trees)
    with pytest.raises(Refused, match=f"the last {MOST_LOOKED_AT} changes"):
        await find(history, "previous")
    assert len(history.opened) == MOST_LOOKED_AT


@pytest.mark.parametrize(
    "asked", ["@abcdef1", "ref:old", "ref:v1", "ref:refs/heads/old", "ref:tags/v1"]
)
async def test_a_commit_and_a_name_lead_to_the_same_version(tmp_path: Path, asked: str) -> None:
    history = History(tmp_path, {"c2": at("new"), "abcdef1234": at("old")})
    history.refs = dict.fromkeys(["heads/old", "tags/v1"], "abcdef1234")
    found = await find(history, asked)
    assert found.other_commit == "abcdef1234"


async def test_a_branch_goes_before_a_tag_of_its_name(tmp_path: Path) -> None:
    history = History(tmp_path, {"c2": at("new"), "abcdef1234": at("old"), "beef": at("tagged")})
    history.refs = {"heads/old": "abcdef1234", "tags/old": "beef"}
    assert (await find(history, "ref:old")).other_commit == "abcdef1234"


@pytest.mark.parametrize("asked", ["ref:pull/4/head", "ref:refs/pull/4/head", "ref:abcdef1234"])
async def test_only_branches_and_tags_are_named(tmp_path: Path, asked: str) -> None:
    """The ref of a pull request leads to whatever its author pushes."""
    history = History(tmp_path, {"c2": at("new"), "abcdef1234": at("old")})
    history.refs = dict.fromkeys(["pull/4/head", "refs/pull/4/head"], "abcdef1234")
    with pytest.raises(Refused, match="no branch and no tag"):
        await find(history, asked)


async def test_a_skill_that_is_not_there_yet_is_compared_with_none_and_said(
    tmp_path: Path,
) -> None:
    history = History(tmp_path, {"c2": at("new"), "abcdef1234": {"README.md": "no skill"}})
    found = await find(history, "@abcdef1234")
    assert found.vs == "none"
    assert "There is no skill `skills/count` at `@abcdef1234`" in found.note


async def test_the_very_same_version_is_nothing_to_compare(tmp_path: Path) -> None:
    history = History(tmp_path, {"c2": at("new"), "abcdef1234": at("new")})
    for asked in ("main", "@abcdef1234"):
        with pytest.raises(Refused, match="nothing to compare"):
            await find(history, asked)


async def test_self_is_the_same_version_twice(tmp_path: Path) -> None:
    history = History(tmp_path, {"c2": at("new")})
    found = await find(history, "self")
    assert (found.vs, found.other_commit) == ("self", "c2")
    assert found.other == await history.skill()


async def test_a_version_that_cannot_be_read_is_refused_and_not_taken_for_none(
    tmp_path: Path,
) -> None:
    history = History(tmp_path, {"c2": at("new"), "abcdef1234": {f"{PATH}/skill.md": "old"}})
    with pytest.raises(Refused, match="cannot be used at commit"):
        await find(history, "@abcdef1234")


@pytest.mark.parametrize(
    "asked", ["yesterday", "@xyz", "@12", "ref:", "ref:a..b", "ref:/etc", "ref:a b", "v1.2"]
)
async def test_what_is_no_version_is_refused_with_the_forms(tmp_path: Path, asked: str) -> None:
    with pytest.raises(Refused, match="is no version to compare with"):
        await find(History(tmp_path, {"c2": at("new")}), asked)


async def test_a_commit_is_read_once_for_all_skills(tmp_path: Path) -> None:
    history = History(tmp_path, {"c2": at("new"), "abcdef1234": at("old")})
    skill = await history.skill()
    others = OtherVersions("@abcdef1234", history.versions)
    assert await others.find(skill, "c2") == await others.find(skill, "c2")
    assert history.opened == ["abcdef1234"]
