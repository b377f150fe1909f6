"""A pull request from a fork: its skill is measured as data, and nothing else of it counts."""

import json
from pathlib import Path

from tests.stories.pulls import (
    SKILL,
    STRANGER,
    check_on,
    ended,
    mark_eval,
    open_fork,
    pulls_of,
    tree,
)
from tests.stories.scene import PERSON, Scene

RULES = """permissions: {run: read}
judge: somebody-kind
environment: theirs
environments:
  theirs: {setup: setup.sh}
skills: {excludes: [csv-profile]}
"""
CASE = {
    "id": "github-issue-2",
    "prompt": "Say yes.",
    "expected_output": "yes",
    "target_skills": [SKILL],
    "assertions": ["Says yes"],
}
ATTACK = {
    ".github/skillbench.yml": RULES,
    "setup.sh": "touch /tmp/owned\n",
    "_automation/evals/github-issue-2.json": json.dumps(CASE),
    f"{SKILL}/evals/evals.json": json.dumps(
        {"skill_name": SKILL, "evals": [CASE | {"id": "theirs"}]}
    ),
}


async def test_a_bare_run_is_answered_with_both_ways(scene: Scene, tmp_path: Path) -> None:
    number = open_fork(scene, tree(tmp_path / "1", "Be brief."))
    head = pulls_of(scene).head(number)
    check = await check_on(scene, number)
    assert f"`@skillbench run @{head}`" in (check.summary or "")
    scene.comment(number, "@skillbench run")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert "comes from a fork (`rudi/skills`)" in answer
    assert "press `Run benchmark`" in answer
    assert f"`@skillbench run @{head}`" in answer


async def test_nothing_of_a_fork_counts_but_its_skill(scene: Scene, tmp_path: Path) -> None:
    """Its rules, eval cases, judge and scripts are never looked at."""
    mark_eval(scene)
    number = open_fork(scene, tree(tmp_path / "1", "Be brief.", ATTACK))
    head = pulls_of(scene).head(number)
    await check_on(scene, number)
    scene.comment(number, f"@skillbench run @{head}", by=STRANGER)
    await scene.until(lambda: bool(scene.bot_comments(number)), "a refusal")
    assert "only people with write permission" in scene.bot_comments(number)[0]
    scene.comment(number, f"@skillbench run @{head}")
    comment = await ended(scene, number)
    assert "### ⚪ No difference in 1 run" in comment
    assert comment.count("| `github-issue-") == 1
    (report,) = scene.reports(number)
    assert "judge `scripted-demo-judge`" in report
    assert "Says yes" not in report
    assert "theirs" not in report
    assert not Path("/tmp/owned").exists()


async def test_the_cases_that_a_forks_new_skill_brings_are_not_asked(
    scene: Scene, tmp_path: Path
) -> None:
    files = {
        "theirs/SKILL.md": "---\nname: theirs\ndescription: Says yes.\n---\nSay yes.\n",
        "theirs/evals/evals.json": json.dumps({"skill_name": "theirs", "evals": [CASE]}),
    }
    number = open_fork(scene, tree(tmp_path / "1", files=files))
    await check_on(scene, number)
    scene.comment(number, f"@skillbench run @{pulls_of(scene).head(number)}")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert "No eval case on the default branch is about `theirs`" in answer


async def test_a_commit_that_is_pushed_after_the_look_does_not_run(
    scene: Scene, tmp_path: Path
) -> None:
    """Neither by the button of the commit before it, nor by a command that names that."""
    mark_eval(scene)
    number = open_fork(scene, tree(tmp_path / "1", "Be brief."))
    looked_at = pulls_of(scene).head(number)
    check = await check_on(scene, number)
    head = pulls_of(scene).push(number, tree(tmp_path / "2", "Be evil."), by=STRANGER)
    pulls_of(scene).press(check, "run", by=PERSON)
    scene.comment(number, f"@skillbench run @{looked_at}")
    await scene.until(lambda: len(scene.bot_comments(number)) == 2, "two answers")
    for answer in scene.bot_comments(number):
        assert f"`{looked_at}` is not the head of this pull request: that is `{head}`" in answer
    assert scene.reports(number) == []


async def test_a_shortened_sha_is_not_enough(scene: Scene, tmp_path: Path) -> None:
    """Somebody can make a second commit that begins like the first."""
    number = open_fork(scene, tree(tmp_path / "1", "Be brief."))
    head = pulls_of(scene).head(number)
    scene.comment(number, f"@skillbench run @{head[:10]}")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    (answer,) = scene.bot_comments(number)
    assert f"`{head[:10]}` is not the whole of it" in answer


async def test_the_button_runs_the_very_commit_that_it_stands_on(
    scene: Scene, tmp_path: Path
) -> None:
    """Also when the fork was deleted meanwhile: its commit is kept by the pull request."""
    mark_eval(scene)
    number = open_fork(scene, tree(tmp_path / "1", "Be brief."))
    check = await check_on(scene, number)
    pulls_of(scene).delete_fork(number)
    pulls_of(scene).press(check, "run", by=PERSON)
    assert "### ⚪ No difference in 1 run" in await ended(scene, number)
