"""A pull request that changes a skill: its check run, its buttons, its comparison."""

import json
from pathlib import Path

import pytest

from tests.stories.pulls import SKILL, check_on, ended, mark_eval, open_pull, pulls_of, tree
from tests.stories.scene import PERSON, Scene, steady

GOLDEN = Path(__file__).parent / "golden"
SCRIPT = f"{SKILL}/scripts/profile.sh"
NEW_SKILL = "---\nname: word-count\ndescription: Counts words.\n---\nCount the words.\n"
OWN_CASES = {
    "skill_name": "word-count",
    "evals": [
        {
            "id": 1,
            "prompt": "Count the words of this sentence.",
            "expected_output": "A number.",
            "expectations": ["Says how many words there are"],
        }
    ],
}
NEW_CASE = """## Skills
word-count

## Query
Count the words of the attached table.

## Expected Output
A number.

## Attached Files / Input Context
csv-profile/examples/visits.csv

## Rubric Criteria (Assertions)
- Says how many words there are
"""


async def test_a_pull_request_that_touches_a_skill_is_offered_a_benchmark(
    scene: Scene, tmp_path: Path
) -> None:
    """Neutral, since nothing was measured, and nothing is spent."""
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    check = await check_on(scene, number)
    assert (check.name, check.status, check.conclusion) == ("skillbench", "completed", "neutral")
    assert [one["label"] for one in check.actions] == ["Run benchmark", "Re-run failed"]
    told = f"# {check.title}\n\n{check.summary}\n"
    assert steady(told) == (GOLDEN / "pull_unmeasured.md").read_text(encoding="utf-8")
    assert scene.bot_comments(number) == []


async def test_one_that_touches_no_skill_has_no_check_run(scene: Scene, tmp_path: Path) -> None:
    """What is shown afterwards comes behind it: requests of a repository take turns."""
    readme = open_pull(scene, tree(tmp_path / "1", files={"README.md": "Hello"}), branch="a")
    skill = open_pull(scene, tree(tmp_path / "2", "Be brief."), branch="b")
    await check_on(scene, skill)
    assert pulls_of(scene).checks(pulls_of(scene).head(readme)) == []


async def test_the_head_is_held_against_its_base(scene: Scene, tmp_path: Path) -> None:
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    asking = scene.comment(number, "@skillbench run")
    comment = await ended(scene, number)
    said = steady(comment.partition("\n")[2])
    assert said == (GOLDEN / "pull_comment.md").read_text(encoding="utf-8")
    await scene.reacted(number, asking, "rocket")
    (report,) = scene.reports(number)
    assert "| | Assertion | This version | Base version |" in report
    check = await check_on(scene, number, "No difference in 1 run")
    assert (check.status, check.conclusion) == ("completed", "success")
    assert check.summary is not None
    assert check.summary in comment
    assert len(scene.bot_comments(number)) == 2
    assert scene.bot_comments(1) == []


async def test_a_button_asks_for_the_same_and_a_second_time_for_what_is_missing(
    scene: Scene, tmp_path: Path
) -> None:
    """What has a score is not measured again, and is not paid for again."""
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", files={SCRIPT: None}))
    check = await check_on(scene, number)
    pulls_of(scene).press(check, "run", by=PERSON)
    comment = await ended(scene, number)
    assert "### 🔴 Worse in 1 of 1 run" in comment
    worse = await check_on(scene, number, "Worse in 1 of 1 run")
    assert worse.conclusion == "neutral", "a merge is for people to decide"
    pulls_of(scene).press(worse, "rerun-failed", by=PERSON)
    await scene.until(lambda: len(scene.bot_comments(number)) == 3, "a second comparison")
    await scene.until(lambda: "measured before" in scene.bot_comments(number)[2], "its end")
    assert len(scene.reports(number)) == 1


async def test_who_may_not_spend_presses_in_vain(scene: Scene, tmp_path: Path) -> None:
    scene.github.add_person("rudi", {"sample-org/skills": "triage"})
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    pulls_of(scene).press(await check_on(scene, number), "run", by="rudi")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert "only people with write permission" in answer


async def test_a_new_skill_is_held_against_none(scene: Scene, tmp_path: Path) -> None:
    case = scene.repository.open_issue(
        author=PERSON, title="Words", body=NEW_CASE, labels=["benchmark"]
    )
    number = open_pull(scene, tree(tmp_path / "1", files={"word-count/SKILL.md": NEW_SKILL}))
    check = await check_on(scene, number)
    assert "adds or changes `word-count` (new, held against no skill)" in (check.summary or "")
    scene.comment(number, "@skillbench run")
    comment = await ended(scene, number)
    assert f"| `github-issue-{case.number}` | word-count |" in comment
    (report,) = scene.reports(number)
    assert "| With the skill | Without it |" in report


async def test_a_new_skill_that_nothing_asks_about_is_measured_on_the_cases_it_brings(
    scene: Scene, tmp_path: Path
) -> None:
    """From a branch of the repository; its settings are the default branch's all the same."""
    folder = tree(
        tmp_path / "1",
        files={
            "word-count/SKILL.md": NEW_SKILL,
            "word-count/evals/evals.json": json.dumps(OWN_CASES),
            ".github/skillbench.yml": "judge: somebody-kind\n",
        },
    )
    number = open_pull(scene, folder)
    await check_on(scene, number)
    scene.comment(number, "@skillbench run")
    comment = await ended(scene, number)
    assert "| `word-count#1` | word-count |" in comment
    assert "but for those that a new skill brings itself" in comment
    (report,) = scene.reports(number)
    assert "judge `scripted-demo-judge`" in report
    assert "Says how many words there are" in report


async def test_a_skill_that_no_eval_case_asks_about_is_answered_with_what_to_do(
    scene: Scene, tmp_path: Path
) -> None:
    """Nor is the text of the pull request itself ever taken for an eval case."""
    body = scene.repository.issue(1).body
    folder = tree(tmp_path / "1", files={"word-count/SKILL.md": NEW_SKILL})
    number = pulls_of(scene).open(folder, by=PERSON, branch="new", body=body)
    scene.comment(number, "@skillbench run")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert "nothing to measure this pull request with" in answer
    assert "`word-count`" in answer


async def test_a_new_head_has_a_check_run_of_its_own(scene: Scene, tmp_path: Path) -> None:
    """The old one's buttons ask for a commit that is the head no more."""
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    old = await check_on(scene, number)
    head = pulls_of(scene).push(number, tree(tmp_path / "2", "Be long."), by=PERSON)
    assert (await check_on(scene, number)).commit == head
    pulls_of(scene).press(old, "run", by=PERSON)
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert f"`@skillbench run @{head}`" in answer
    assert scene.reports(number) == []


async def test_a_pull_request_that_is_closed_is_measured_no_more(
    scene: Scene, tmp_path: Path
) -> None:
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    pulls_of(scene).close(number, by=PERSON)
    scene.comment(number, "@skillbench run")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert "This pull request is closed" in answer


async def test_a_skill_that_a_pull_request_breaks_is_not_passed_over(
    scene: Scene, tmp_path: Path
) -> None:
    """Neither by the check run nor by the answer: it is changed, if for the worse."""
    files = {f"{SKILL}/SKILL.md": None, f"{SKILL}/skill.md": "Profile the table."}
    number = open_pull(scene, tree(tmp_path / "1", files=files))
    check = await check_on(scene, number, "Not measured: a skill cannot be used")
    assert (check.conclusion, check.actions) == ("neutral", [])
    assert f"The skill `{SKILL}` cannot be used as the head has it" in (check.summary or "")
    scene.comment(number, "@skillbench run")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert f"The skill `{SKILL}` cannot be used as the head has it" in answer


async def test_skills_that_nothing_asks_about_are_named_in_one_sentence(
    scene: Scene, tmp_path: Path
) -> None:
    mark_eval(scene)
    files: dict[str, str | None] = {
        f"many/s{one:02}/SKILL.md": f"---\nname: s{one:02}\ndescription: Says {one}.\n---\n{one}\n"
        for one in range(30)
    }
    number = open_pull(scene, tree(tmp_path / "1", "Be brief.", files))
    scene.comment(number, "@skillbench run")
    comment = await ended(scene, number)
    assert "### ⚪ No difference in 1 run" in comment
    assert comment.count("No eval case on the default branch") == 1
    assert "`many/s19` and 10 more, so they are not measured." in comment


@pytest.mark.parametrize("way", ["button", "command"])
async def test_where_nothing_was_asked_nothing_is_run_again(
    scene: Scene, tmp_path: Path, way: str
) -> None:
    """The usual benchmark costs money that nobody has asked to spend."""
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    check = await check_on(scene, number)
    if way == "button":
        pulls_of(scene).press(check, "rerun-failed", by=PERSON)
    else:
        scene.comment(number, "@skillbench rerun failed")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert "there is nothing to run again" in answer
    assert pulls_of(scene).head(number)[:12] in answer
    assert "comment `@skillbench run`" in answer
    assert scene.stage.model_api.requests == []


@pytest.mark.parametrize("way", ["button", "command"])
async def test_what_failed_is_run_again_as_it_was_asked_for(
    scene: Scene, tmp_path: Path, way: str
) -> None:
    """And not as is usual, which nobody has asked for."""
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    scene.comment(number, "@skillbench run --vs none")
    assert "compared with `--vs none`" in await ended(scene, number)
    check = await check_on(scene, number, "Better")
    if way == "button":
        pulls_of(scene).press(check, "rerun-failed", by=PERSON)
    else:
        scene.comment(number, "@skillbench rerun failed")
    await scene.until(lambda: len(scene.bot_comments(number)) == 3, "a second comparison")
    await scene.until(lambda: "measured before" in scene.bot_comments(number)[2], "its end")
    assert "compared with `--vs none`" in scene.bot_comments(number)[2]
    assert len(scene.reports(number)) == 1
