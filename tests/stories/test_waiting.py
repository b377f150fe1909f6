"""Whoever waits is told so: where their request stands, until it goes on in the same comment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from inline_snapshot import snapshot

from bot.github.tags import OPENING
from demo.model_api import Gate, ScriptedModelApi, Stall
from demo.play import PERSON
from tests.stories.pushes import push
from tests.stories.scene import WAIT_S, Scene, playing, steady
from tests.stories.test_cancel import lacks_skill

WAITS = "### ⏳ Waiting"
FILE = ".github/skillbench.yml"


@asynccontextmanager
async def busy(tmp_path: Path, app_key: str) -> AsyncIterator[tuple[Scene, Gate]]:
    """A worker with one place, which issue 1 holds until the gate opens."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=lacks_skill)
    async with playing(
        tmp_path, app_key, model_api=api, max_concurrent_requests=1, max_requests_overall=1
    ) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        yield scene, gate


def told(scene: Scene, issue: int) -> str:
    """The newest comment of the bot without its hidden tag; empty where there is none."""
    bodies = scene.bot_comments(issue)
    return bodies[-1].partition("\n")[2] if bodies else ""


def folded(scene: Scene, issue: int) -> list[str | None]:
    """Why each of the bot's comments is folded away, oldest first."""
    comments = scene.repository.issue(issue).comments
    return [one.minimized for one in comments if one.author.login == scene.github.bot_login]


async def test_a_request_that_waits_is_told_so_and_goes_on_in_the_same_comment(
    tmp_path: Path, app_key: str
) -> None:
    """👀 and the comment while it waits; at the end it is folded away below the report."""
    async with busy(tmp_path, app_key) as (scene, gate):
        asked = scene.comment(2, "@skillbench run scripted-demo")
        await scene.until(lambda: told(scene, 2).startswith(WAITS), "the comment that waits")
        assert scene.reactions(2, asked) == ["eyes"]
        assert steady(told(scene, 2)) == snapshot("""\
### ⏳ Waiting: next in turn, 1 request in progress

No past runs tell when it will have ended. A run costs $5.00 at most, if its models have prices. \
This comment goes on once it begins. To cancel it: `@skillbench cancel`.

<sub>Asked for by maria. As of <time>; looked at again each minute. All commands: \
`@skillbench help`.</sub>
""")
        gate.released.set()
        await scene.reacted(2, asked, "rocket")
        living, report = scene.bot_comments(2)
        assert living.startswith(OPENING)
        assert "### Finished: 1 report" in living
        assert "<!-- skillbench:v1 " in report
        assert folded(scene, 2) == ["outdated", None]


async def test_a_request_that_is_cancelled_while_it_waits_says_so_in_its_comment(
    tmp_path: Path, app_key: str
) -> None:
    async with busy(tmp_path, app_key) as (scene, gate):
        scene.label(2)
        await scene.until(lambda: told(scene, 2).startswith(WAITS), "the comment that waits")
        assert "take the label `needs-benchmark` off" in told(scene, 2)
        scene.repository.unlabel(2, "needs-benchmark", by=PERSON)
        await scene.until(lambda: "🛑 Cancelled by maria" in told(scene, 2), "the cancel")
        assert len(scene.bot_comments(2)) == 1
        gate.released.set()
        await scene.label_gone(1)


async def test_a_request_that_is_refused_after_it_waited_leaves_one_open_answer(
    tmp_path: Path, app_key: str
) -> None:
    """The comment that said that it waits does not say so for ever."""
    async with busy(tmp_path, app_key) as (scene, gate):
        asked = scene.comment(2, "@skillbench run scripted-dmo")
        await scene.until(lambda: told(scene, 2).startswith(WAITS), "the comment that waits")
        gate.released.set()
        await scene.reacted(2, asked, "confused")
        await scene.until(lambda: folded(scene, 2) == ["outdated", None], "the folded comment")
        waited, refusal = scene.bot_comments(2)
        assert "### Ended: the answer is in a comment of its own" in waited
        assert "`scripted-demo`" in refusal


async def test_an_analysis_that_waits_is_told_so_and_leaves_its_answer_alone(
    tmp_path: Path, app_key: str
) -> None:
    """Its answer is a comment of its own; the bot is mentioned as the repository has it."""
    async with busy(tmp_path / "bot", app_key) as (scene, gate):
        push(scene, tmp_path / "named", {FILE: 'mention: "@measure"\n'})
        await scene.github.deliveries_done()
        asked = scene.comment(2, "@measure summary")
        await scene.until(lambda: told(scene, 2).startswith(WAITS), "the comment that waits")
        assert "The answer comes in a comment of its own" in told(scene, 2)
        assert "To cancel it: `@measure cancel`." in told(scene, 2)
        gate.released.set()
        ends = {"rocket", "confused"}
        await scene.until(lambda: bool(ends & set(scene.reactions(2, asked))), "the answer")
        await scene.until(lambda: folded(scene, 2) == ["outdated", None], "the folded comment")
        waited, answer = scene.bot_comments(2)
        assert "### Ended: the answer is in a comment of its own" in waited
        assert "@skillbench" not in waited + answer
