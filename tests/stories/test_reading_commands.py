"""Reading commands on a real thread: answered once, at once; whole comments compared."""

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.queues import REQUESTS, enqueue
from demo.model_api import Gate, ScriptedModelApi, Stall
from jobs.requests import Repo
from tests.builders import NOON, a_request
from tests.stories.scene import WAIT_S, Scene, playing, steady
from tests.stories.test_crash import is_judging

GOLDEN = Path(__file__).parent / "golden" / "answers"
SAMPLE = Path(__file__).parent.parent.parent / "demo" / "sample"
TAG = re.compile(r"^<!-- skillbench:tag comment:\d+:answer-<short> -->\n")


async def ask(scene: Scene, words: str, issue: int = 2, by: str = "maria") -> str:
    """Give a command and read its one answer, without what differs from run to run."""
    before = len(scene.bot_comments(issue))
    comment = scene.comment(issue, f"@skillbench {words}", by=by)
    await scene.until(lambda: len(scene.bot_comments(issue)) > before, f"the answer to {words}")
    await scene.github.deliveries_done()
    assert len(scene.bot_comments(issue)) == before + 1
    assert scene.reactions(issue, comment) == ["eyes"]
    said = steady(scene.bot_comments(issue)[-1])
    assert TAG.search(said)
    return TAG.sub("", said)


def push_file(scene: Scene, scratch: Path, content: str) -> None:
    """Let the sample repository have a file of its own."""
    folder = scratch / "pushed"
    shutil.copytree(SAMPLE, folder)
    (folder / ".github").mkdir()
    (folder / ".github" / "skillbench.yml").write_text(content, encoding="utf-8")
    scene.repository.push(folder, by="maria")


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.md").read_text(encoding="utf-8")


async def test_what_is_known_before_anything_was_measured(scene: Scene) -> None:
    """Nothing is started and nothing is paid for."""
    scene.github.add_person("tria", {"sample-org/skills": "triage"})
    for words in ("ping", "status", "queue", "results", "config", "estimate"):
        assert await ask(scene, words, by="tria") == golden(f"{words}_at_first"), words
    assert scene.stage.model_api.requests == []


async def test_what_is_known_once_a_run_has_ended(scene: Scene) -> None:
    comment = scene.comment(2, "@skillbench run scripted-demo")
    await scene.reacted(2, comment, "rocket")
    asked = len(scene.stage.model_api.requests)
    for name, words in (
        ("status_ended", "status"),
        ("results", "results"),
        ("results_of_another_skill", "results --skill nothing"),
        ("estimate_done_before", "estimate"),
        ("estimate_again", "estimate --force --trials 3"),
    ):
        assert await ask(scene, words) == golden(name), name
    assert len(scene.stage.model_api.requests) == asked


async def test_what_waits_and_runs_is_told_and_other_repositories_are_only_counted(
    tmp_path: Path, app_key: str
) -> None:
    """The names of private repositories are nobody's business."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api, max_requests_overall=1) as scene:
        scene.comment(2, "@skillbench run scripted-demo")
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        secret = Repo(owner="secret-org", name="secret-skills", installation_id=99, private=True)
        async with Redis.from_url(scene.stage.settings.redis_url) as redis:
            other = a_request(
                key="comment:secret-org/secret-skills:7:x", repo=secret, asked_at=NOON
            )
            await enqueue(redis, other)
            scene.comment(2, "@skillbench run scripted-demo --force --trials 2")
            async with asyncio.timeout(WAIT_S):
                while await redis.zcard(REQUESTS) < 3:
                    await asyncio.sleep(0.02)
            status = await ask(scene, "status", issue=2)
            queue = await ask(scene, "queue", issue=2)
            await redis.zrem(REQUESTS, f"request:{other.key}")
        gate.released.set()
    assert status == golden("status_busy")
    assert queue == golden("queue_busy")
    assert "secret" not in status + queue


LINT_ME = """## Skills

- release-notes

## Query

Write the release notes for the commits in the attached list, and name the breaking changes first.

## Rubric Criteria (Assertions)

- Does not contain any marketing words
- The notes are well structured and easy to read
- Name the breaking changes first
- the notes are well-structured, and easy to read
- Lists the 2 features of the list by name
"""


async def test_a_weak_eval_case_is_told_what_is_weak_about_it(scene: Scene) -> None:
    issue = scene.repository.open_issue(author="maria", title="Weak", body=LINT_ME).number
    assert await ask(scene, "lint", issue) == golden("lint_weak")
    assert await ask(scene, "lint", 1) == golden("lint_good")
    assert await ask(scene, "lint", 3) == golden("lint_missing")


async def test_lint_knows_of_skills_what_a_run_would(scene: Scene, tmp_path: Path) -> None:
    """A case of a skill that is not there is no good one, however good its words are."""
    body = scene.repository.issue(1).body
    both = body.replace("- csv-profile\n", "- csv-profile\n- release-notes\n", 1)
    issue = scene.repository.open_issue(author="maria", title="Two skills", body=both).number
    push_file(scene, tmp_path, "skills: {excludes: [csv-profile]}\n")
    said = await ask(scene, "lint", 1)
    assert "this issue cannot be run as it is\n\nThe skill `csv-profile` is not in this" in said
    said = await ask(scene, "lint", issue)
    assert "Lint: can be run, 1 place to look at" in said
    assert "| case | The skill `csv-profile` is not in this repository." in said


@pytest.mark.parametrize(
    ("words", "reason"), [("config", "cannot be used"), ("estimate", "cannot be used")]
)
async def test_a_file_that_cannot_be_used_is_told_line_by_line(
    scene: Scene, tmp_path: Path, words: str, reason: str
) -> None:
    push_file(scene, tmp_path, "trials: many\nmodel: sonnet\n")
    said = await ask(scene, words)
    assert reason in said
    assert "line 1" in said
    assert "line 2" in said


async def test_a_reader_gets_one_line_and_a_repository_may_let_them_ask(
    scene: Scene, tmp_path: Path
) -> None:
    scene.github.add_person("rudi", {"sample-org/skills": "read"})
    scene.comment(2, "@skillbench results\n@skillbench queue", by="rudi")
    await scene.until(lambda: bool(scene.bot_comments(2)), "the refusal")
    await scene.github.deliveries_done()
    [refusal] = scene.bot_comments(2)
    assert "commands are for people with triage permission" in refusal
    push_file(scene, tmp_path, "permissions: {read: read}\nmention: '@bench'\n")
    await scene.github.deliveries_done()
    comment = scene.comment(2, "@bench results", by="rudi")
    await scene.reacted(2, comment, "eyes")
    await scene.until(lambda: len(scene.bot_comments(2)) == 2, "the answer")
    assert "`@bench run`" in scene.bot_comments(2)[1]


async def test_in_a_pull_requests_thread_what_makes_sense_there_is_answered(scene: Scene) -> None:
    pull = scene.repository.open_issue(
        author="maria", title="A change", body="See there.", is_pull_request=True
    ).number
    assert await ask(scene, "results", pull) == golden("results_at_first")
    assert await ask(scene, "status", pull) == golden("status_at_first")
    comment = scene.comment(pull, "@skillbench lint")
    await scene.reacted(pull, comment, "confused")
    assert "`lint` is for issues" in scene.bot_comments(pull)[-1]


async def test_an_answer_for_a_deleted_issue_troubles_nobody(scene: Scene) -> None:
    issue = scene.repository.open_issue(author="maria", title="Weak", body=LINT_ME).number
    scene.comment(issue, "@skillbench lint")
    scene.repository.delete_issue(issue, by="maria")
    await scene.github.deliveries_done()
    assert "🏓" in await ask(scene, "ping")


async def test_several_questions_have_one_answer(scene: Scene) -> None:
    scene.comment(2, "@skillbench ping\n@skillbench queue\n@skillbench pign\n@skillbench ping")
    await scene.until(lambda: bool(scene.bot_comments(2)), "the answer")
    await scene.github.deliveries_done()
    [said] = scene.bot_comments(2)
    assert [said.count(word) for word in ("🏓", "🚦", "`pign`")] == [1, 1, 1]
