"""Commands that start, stop or refuse something, as the people on the thread see them answered."""

import asyncio
import re
from pathlib import Path

import pytest

from demo.model_api import Gate, ScriptedModelApi, Stall
from tests.stories.scene import WAIT_S, Scene, playing, steady
from tests.stories.test_crash import is_judging

GOLDEN = Path(__file__).parent / "golden" / "answers"


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.md").read_text(encoding="utf-8")


def untagged(body: str) -> str:
    """A comment without its hidden first line, and without what differs from run to run."""
    return steady(body).partition("\n")[2]


async def answered(scene: Scene, words: str, issue: int = 2) -> str:
    """Give a command that cannot be carried out, and read why not."""
    comment = scene.comment(issue, f"@skillbench {words}")
    await scene.reacted(issue, comment, "confused")
    await scene.github.deliveries_done()
    return untagged(scene.bot_comments(issue)[-1])


async def test_help_shows_all_commands_and_one_with_its_options(scene: Scene) -> None:
    for name, words in (("help", "help"), ("help_run", "help run")):
        before = len(scene.bot_comments(2))
        scene.comment(2, f"@skillbench {words}")
        await scene.until(lambda: len(scene.bot_comments(2)) > before, "the help")  # noqa: B023
        assert untagged(scene.bot_comments(2)[-1]) == golden(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unknown_command", "rerun everything\n@skillbench stauts"),
        ("unknown_option", "run --skil csv-profile --trials 500"),
    ],
)
async def test_a_slip_is_answered_with_the_nearest_and_the_usage(
    scene: Scene, name: str, words: str
) -> None:
    assert await answered(scene, words) == golden(name)
    assert len(scene.bot_comments(2)) == 1
    assert scene.stage.model_api.requests == []


async def test_on_an_issue_that_is_no_eval_case_a_run_asks_which_is_meant(scene: Scene) -> None:
    issue = scene.repository.open_issue(
        author="maria", title="A question", body="Which skill is for tables?"
    ).number
    assert await answered(scene, "run", issue) == golden("run_no_case")
    assert scene.stage.model_api.requests == []
    comment = scene.comment(issue, "@skillbench run scripted-demo --eval github-issue-2")
    await scene.reacted(issue, comment, "rocket")
    assert len(scene.reports(issue)) == 1


async def test_one_run_is_cancelled_by_the_id_that_status_shows(
    tmp_path: Path, app_key: str
) -> None:
    """The other request of the issue goes on."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api, max_requests_overall=1) as scene:
        first = scene.comment(2, "@skillbench run scripted-demo")
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        second = scene.comment(2, "@skillbench run scripted-demo --force")
        scene.comment(2, "@skillbench status")
        found = re.compile(r"\| `([0-9a-f]{12})` \|")
        await scene.until(lambda: any(map(found.search, scene.bot_comments(2))), "the status")
        [run] = {one for body in scene.bot_comments(2) for one in found.findall(body)}
        nothing = scene.comment(2, "@skillbench cancel 000000000000")
        await scene.until(
            lambda: any("000000000000" in body for body in scene.bot_comments(2)), "the answer"
        )
        assert scene.reactions(2, nothing) == []
        stopped = scene.comment(2, f"@skillbench cancel {run}")
        await scene.reacted(2, stopped, "+1")
        await scene.reacted(2, first, "confused")
        gate.released.set()
        await scene.reacted(2, second, "rocket")
        assert len(scene.reports(2)) == 1
    assert any("### 🛑 Cancelled by maria" in body for body in scene.bot_comments(2))


async def test_an_edit_asks_only_for_what_it_adds(scene: Scene) -> None:
    comment = scene.comment(2, "@skillbench ping")
    await scene.until(lambda: len(scene.bot_comments(2)) == 1, "the first answer")
    scene.repository.edit_comment(
        comment, by="maria", body="@skillbench ping\n\n@skillbench results"
    )
    await scene.until(lambda: len(scene.bot_comments(2)) == 2, "the second answer")
    await scene.github.deliveries_done()
    assert "📊 Results" in scene.bot_comments(2)[1]
    assert "🏓" not in scene.bot_comments(2)[1]
