"""What a name stands for, and which commits changed a folder, asked of the local GitHub."""

from pathlib import Path

import pytest

from tests.bot.github.conftest import World


@pytest.fixture
def commits(world: World, tmp_path: Path) -> list[str]:
    """Three commits: the first and the last change `skills/a`, all change something."""
    folder = tmp_path / "tree"
    made = []
    for number, path in enumerate(("skills/a/SKILL.md", "other.txt", "skills/a/notes/x.md")):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number}\n", encoding="utf-8")
        made.append(world.handle.push(folder, by="mona"))
    return made


async def test_a_branch_and_a_sha_stand_for_a_commit(world: World, commits: list[str]):
    for name in ("main", "heads/main", commits[1], commits[1][:8]):
        found = await world.client.find_commit(name)
        assert found in commits
    assert await world.client.find_commit(commits[0][:10]) == commits[0]


@pytest.mark.parametrize("name", ["nowhere", "0123456789abcdef", "a b", "../../other/repo"])
async def test_what_stands_for_nothing_is_none(world: World, commits: list[str], name: str):
    assert await world.client.find_commit(name) is None


async def test_the_commits_of_a_folder_come_newest_first(world: World, commits: list[str]):
    first, second, third = commits
    assert await world.client.commits_of("skills/a", third, most=9) == [third, first]
    assert await world.client.commits_of("skills/a", second, most=9) == [first]
    assert await world.client.commits_of("skills/a", third, most=1) == [third]


async def test_a_skill_at_the_root_is_changed_by_every_commit(world: World, commits: list[str]):
    found = await world.client.commits_of(".", commits[-1], most=3)
    assert found[0] == commits[-1]
    assert len(found) == 3
