"""What a repository has measured, seen through the real client: one bad case hides no other."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from bot.store.ledger import RedisLedger
from jobs.choosing.choosing import Choice, look_for_next
from jobs.choosing.claims import Claims
from jobs.choosing.next_eval import Standing
from jobs.choosing.survey import Sources, Survey, make_survey
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused, Transient
from jobs.planning.dedup import record_key
from jobs.requests import Repo
from tests.bot.upkeep.conftest import World
from tests.builders import a_model, a_run_record

BODY = """## Skills
word-count

## Query
Count the words of {what}.

## Expected Output
A number.

## Rubric Criteria (Assertions)
- says a number
"""
SKILL = "---\nname: word-count\ndescription: Counts words.\n---\nCount.\n"
CASE = {
    "prompt": "Count.",
    "expected_output": "A number.",
    "assertions": ["says a number"],
    "target_skills": ["word-count"],
}


@pytest.fixture
def tree(world: World, tmp_path: Path) -> Path:
    """A skill, issues 3, 4 and 5 with eval cases of it, and issue 6 that says nothing."""
    for number in (3, 4, 5, 6):
        body = BODY.format(what=f"text {number}") if number != 6 else "Please look."
        world.handle.open_issue(
            author="mona", title="T", body=body, number=number, labels=["benchmark"]
        )
    folder = tmp_path / "tree"
    (folder / "word-count").mkdir(parents=True)
    (folder / "word-count/SKILL.md").write_text(SKILL)
    return folder


def write_case(tree: Path, eval_id: str, **changes: object) -> None:
    folder = tree / "_automation/evals"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{eval_id}.json").write_text(json.dumps(CASE | {"id": eval_id} | changes))


async def survey(world: World, tree: Path) -> Survey:
    installation = world.gh.installation_id
    repo = Repo(owner="acme", name="skills", installation_id=installation)
    sources = Sources(world.app.repository(repo), RedisLedger(world.redis), world.settings)
    return await make_survey(repo, Snapshot(tree, "c" * 40, "skills"), sources)


async def standings(world: World, tree: Path) -> dict[str, Standing]:
    return {one.eval_id: one for one in (await survey(world, tree)).standings(a_model())}


class NoClaims(Claims):
    """Nobody has taken anything."""

    async def find_taken(self, claims: object, /) -> frozenset[str]:
        return frozenset()


async def choice(world: World, tree: Path) -> Choice:
    return await look_for_next(await survey(world, tree), a_model(), NoClaims())


async def test_every_case_is_found_and_what_is_none_is_passed_over(
    world: World, tree: Path
) -> None:
    write_case(tree, "by-file")
    write_case(tree, "broken", assertions="none")
    write_case(tree, "of-no-skill", target_skills=["juggling"])
    found = await standings(world, tree)
    ids = {"by-file": 0, "github-issue-3": 3, "github-issue-4": 4, "github-issue-5": 5}
    assert {one.eval_id: one.issue for one in found.values()} == ids
    assert all(one.is_pending and one.is_readable for one in found.values())


async def test_an_issue_that_answers_404_goes_last_and_takes_no_other_down(
    world: World, tree: Path
) -> None:
    world.gh.faults.answer(404, on="GET /repos/acme/skills/issues/4/comments", times=None)
    ranked = (await choice(world, tree)).pending
    assert len(ranked) == 3
    assert (ranked[-1].eval_id, ranked[-1].is_readable) == ("github-issue-4", False)


async def test_where_no_history_at_all_can_be_read_nothing_is_chosen(
    world: World, tree: Path
) -> None:
    """All would be alike then, and what is known best might be measured."""
    for number in (3, 4, 5):
        path = f"GET /repos/acme/skills/issues/{number}/comments"
        world.gh.faults.answer(502, on=path, times=None)
    with pytest.raises(Transient):
        await survey(world, tree)


async def test_a_case_of_a_file_whose_issue_is_gone_is_told_on_no_issue(
    world: World, tree: Path
) -> None:
    write_case(tree, "github-issue-99")
    world.handle.delete_issue(5, by="mona")
    write_case(tree, "github-issue-5")
    found = await standings(world, tree)
    assert {found[f"github-issue-{number}"].issue for number in (5, 99)} == {0}


async def test_an_issues_own_words_go_before_the_file_that_was_made_of_it(
    world: World, tree: Path
) -> None:
    write_case(tree, "github-issue-3", prompt="Count something else.")
    first = {one.case.id: one.case for one in (await survey(world, tree)).evals}
    assert first["github-issue-3"].prompt == "Count the words of text 3."
    world.handle.edit_issue(3, by="mona", body="See the file.")
    second = {one.case.id: one.case for one in (await survey(world, tree)).evals}
    assert second["github-issue-3"].prompt == "Count something else."


async def test_what_was_measured_as_it_is_now_is_not_pending(world: World, tree: Path) -> None:
    """An issue that is edited, or a skill that is changed, is pending again."""
    ledger = RedisLedger(world.redis)
    for one in (await survey(world, tree)).evals:
        record = a_run_record(
            run=one.case.id[-12:],
            repo="acme/skills",
            eval_id=one.case.id,
            eval_digest=one.case.digest,
            skill_sha=one.skills[0].sha,
            finished_at=world.now() - timedelta(days=int(one.case.id[-1])),
        )
        await ledger.record(record_key(record), record)
    done = await choice(world, tree)
    assert (done.status, done.chosen, done.evals) == ("UP_TO_DATE", None, 3)
    world.handle.edit_issue(4, by="mona", body=BODY.format(what="another text"))
    edited = await choice(world, tree)
    assert [one.eval_id for one in edited.pending] == ["github-issue-4"]
    assert (edited.pending[0].completed, edited.pending[0].completed_in_all) == (1, 1)
    (tree / "word-count/SKILL.md").write_text(SKILL + "Twice.\n")
    changed = await choice(world, tree)
    assert [one.issue for one in changed.pending] == [5, 4, 3], "the oldest run first"


async def test_a_file_of_the_repository_that_cannot_be_used_chooses_nothing(
    world: World, tree: Path
) -> None:
    (tree / ".github").mkdir()
    (tree / ".github/skillbench.yml").write_text("modles: [x]\n")
    with pytest.raises(Refused, match="modles"):
        await survey(world, tree)
