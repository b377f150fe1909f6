"""A better description is looked for, shown to be better or not, and proposed only if it is."""

import asyncio
import json
import re
import signal
from pathlib import Path

from demo.model_api import Asked, Gate, Reply, ScriptedModelApi, Stall
from demo.model_api.behaviour import behave
from demo.model_api.chooser import is_writing
from demo.model_api.steps import Step
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import environment_of, worker
from tests.stories.triggers import (
    ISSUE,
    MODEL,
    MODELS,
    OPTIMIZE,
    ask,
    queries,
    reports,
    seeded,
    without_bill,
)

GOLDEN = Path(__file__).parent / "golden"
SKILL = "release-notes/SKILL.md"


def changed_lines(scene: Scene, number: int, path: str = SKILL) -> tuple[list[bytes], list[bytes]]:
    """The lines that a pull request takes out of a file, and those it puts in."""
    repository = scene.repository.repository
    pull = repository.pulls[number]
    before = repository.commits[repository.branches["main"]]
    after = repository.commits[repository.branches[pull.head]]
    assert after.changed_since(before) == {"added": [], "removed": [], "modified": [path]}
    old, new = (one.entries[path].content.splitlines(keepends=True) for one in (before, after))
    assert len(old) == len(new)
    pairs = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    return [one for one, _ in pairs], [other for _, other in pairs]


async def test_a_better_description_becomes_a_pull_request_of_one_line(
    tmp_path: Path, app_key: str
) -> None:
    """The report says why it is believed; the change waits for somebody to merge it."""
    api = ScriptedModelApi(models=MODELS)
    changes = {"public_url": "http://bot.test", "model": MODEL}
    async with playing(tmp_path, app_key, model_api=api, **changes) as scene:  # type: ignore[arg-type]
        assert await ask(scene, OPTIMIZE) == "rocket"
        [report] = reports(scene)
        assert without_bill(report) == (GOLDEN / "optimize_report.md").read_text(encoding="utf-8")
        [number] = scene.repository.repository.pulls
        [old], [new] = changed_lines(scene, number)
        assert old.startswith(b'description: "Turns a list')
        assert b"history" in new
        pull = scene.repository.issue(number)
        assert "| Q2 |" in pull.body
        assert "release-notes" in pull.title
        page = re.search(r"\[page\]\(http://bot\.test(/runs/[0-9a-f]{32})\)", report)
        assert page is not None
        html = await scene.get(page[1])
        assert "Use the description of iteration 2" in html
        assert 'http-equiv="refresh"' not in html


def say_the_same(asked: Asked) -> Step:
    """Writes descriptions that make nobody do anything else."""
    if not is_writing(asked):
        return behave(asked)
    words = f"Turns a list of commit subjects into release notes, attempt {len(asked.prompt)}."
    return Reply(text=json.dumps({"description": words}))


async def test_a_description_that_is_no_better_stays_and_nothing_is_proposed(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi(behaviour=say_the_same)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        assert await ask(scene, f"{OPTIMIZE} --max-iterations 2 --runs-per-query 1") == "rocket"
        [report] = reports(scene)
        assert "The description of release-notes stays" in report
        assert '"improved": false' in report
        assert scene.repository.repository.pulls == {}


async def test_a_set_that_is_too_small_is_refused_for_nothing(tmp_path: Path, app_key: str) -> None:
    body = "## Trigger queries\n\n### Should trigger\n- one\n- two\n"
    async with playing(tmp_path, app_key, seed=seeded(tmp_path, {}, body=body)) as scene:
        assert await ask(scene, OPTIMIZE, issue=7) == "confused"
        assert "0 queries that should not trigger" in scene.bot_comments(7)[-1]
        assert scene.stage.model_api.requests == []


async def test_a_missing_permission_costs_the_pull_request_and_not_the_report(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key) as scene:
        scene.github.withdraw("pull_requests", left="read")
        await ask(scene, OPTIMIZE)
        [report] = reports(scene)
        assert "🟢 A better description" in report
        assert "**No pull request:**" in report
        assert "Pull requests: write" in report


async def test_a_search_whose_worker_dies_goes_on_where_it_was(
    tmp_path: Path, app_key: str
) -> None:
    """Killed while it asks for a description: the iteration before it is not measured again."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), when=is_writing)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.comment(ISSUE, f"{OPTIMIZE} --runs-per-query 2")
            await asyncio.wait_for(gate.reached.wait(), 120)
            paid = len(queries(scene))
            first.send_signal(signal.SIGKILL)
            await first.wait()
        assert paid == 20
        async with worker(environment):
            await scene.until(lambda: len(reports(scene)) == 1, "the report")
        # the second description on all queries, and the fresh comparison of both
        assert len(queries(scene)) == paid + 20 + 2 * 2 * 3
        assert len(scene.repository.repository.pulls) == 1


async def test_the_page_of_a_cancelled_search_says_so_and_the_comment_keeps_what_it_took(
    tmp_path: Path, app_key: str
) -> None:
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), when=is_writing)
    changes = {"public_url": "http://bot.test", "model": MODEL}
    async with playing(tmp_path, app_key, model_api=api, **changes) as scene:  # type: ignore[arg-type]
        scene.comment(ISSUE, f"{OPTIMIZE} --runs-per-query 1")
        await asyncio.wait_for(gate.reached.wait(), 120)
        address = re.compile(r"page\]\(http://bot\.test(/runs/[0-9a-f]{32})\)")
        await scene.until(lambda: address.search(scene.bot_comments(ISSUE)[0]), "the page")
        scene.comment(ISSUE, "@skillbench cancel")
        await scene.until(lambda: "Cancelled by maria" in scene.bot_comments(ISSUE)[0], "the end")
        comment = scene.bot_comments(ISSUE)[0]
        assert re.search(r"tokens · cost \$0\.\d\d", comment)
        page = address.search(comment)
        assert page is not None
        html = await scene.get(page[1])
        assert "Cancelled by maria." in html
        assert "under way" not in html
        assert 'http-equiv="refresh"' not in html


def never_use_a_skill(asked: Asked) -> Step:
    return Reply(text="I do it myself.") if "Skill" in asked.tools else behave(asked)


async def test_the_page_of_a_search_that_is_refused_says_why(tmp_path: Path, app_key: str) -> None:
    api = ScriptedModelApi(behaviour=never_use_a_skill)
    async with playing(tmp_path, app_key, model_api=api, public_url="http://bot.test") as scene:
        assert await ask(scene, OPTIMIZE) == "confused"
        page = re.search(
            r"page\]\(http://bot\.test(/runs/[0-9a-f]{32})\)", scene.bot_comments(ISSUE)[0]
        )
        assert page is not None
        html = await scene.get(page[1])
        assert "Not measured" in html
        assert "The skill is not to blame" in html
        assert 'http-equiv="refresh"' not in html
