"""One query, one session, in both launchers: the real Claude Code, and our own loop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from config.settings import Settings
from demo.model_api import CLAUDE_LIKE, Call, Drop, HttpError, Reply, ScriptedModelApi, Stall
from jobs.claude_code.conversation import CliConversations, ModelApi
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.models.retries import RetryPolicy
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.triggering.api_observer import ApiObserver
from jobs.triggering.claude_observer import ClaudeObserver
from jobs.triggering.eval_set import Query
from jobs.triggering.evaluation import Ask, Observer
from jobs.triggering.installed import Installed, Listed
from jobs.triggering.observations import Observation
from tests.builders import a_model, some_limits
from tests.jobs.claude_code.sessions import KEY, real_cli

MODEL = a_model(asked="claude-like", sent="claude-sonnet-4-6", identity="claudesonnet46")
SKILL = Listed("pdf-forms", "Fills in PDF forms.")
OTHER = Listed("docx-notes", "Writes notes as DOCX.")
QUERY = Query(id="Q1", text="fill in the tax form for me", should_trigger=True)
USE = Call("Skill", {"skill": SKILL.name})
USE_OTHER = Call("Skill", {"skill": OTHER.name})
LOOK = Call("Bash", {"command": "ls"})
DONE = Reply(text="Done.")


@dataclass
class Bench:
    """An observer in front of a scripted API."""

    api: ScriptedModelApi
    observer: Observer
    folder: Path

    async def observe(self, query: Query = QUERY, **limits: Any) -> Observation:
        ask = Ask(
            query=query,
            number=1,
            installed=installed(self.folder),
            model=MODEL,
            limits=some_limits(**limits),
        )
        async with asyncio.timeout(60):
            return await self.observer.observe(ask)

    @property
    def left(self) -> list[Path]:
        return list((self.folder / "sessions").iterdir())


def installed(folder: Path, *names: Listed) -> Installed:
    skills = folder / "skills"
    for one in (SKILL, OTHER, *names):
        (skills / one.name).mkdir(parents=True, exist_ok=True)
        (skills / one.name / "SKILL.md").write_text(
            f"---\nname: {one.name}\ndescription: {one.description}\n---\n"
            f"# How to work with {one.name}, step by step and with care\n"
        )
    return Installed(folder=skills, skill=SKILL, neighbours=(OTHER, *names))


@pytest.fixture
async def api() -> AsyncIterator[tuple[ScriptedModelApi, str]]:
    scripted = ScriptedModelApi(models=CLAUDE_LIKE, key=KEY)
    async with scripted.serve() as server:
        yield scripted, server.anthropic_url


def claude_bench(api: ScriptedModelApi, url: str, folder: Path) -> Bench:
    conversations = CliConversations(
        cli=real_cli(),
        sandboxes=BubblewrapMaker(use_memory_group=False),
        api=ModelApi(base_url=url, key=SecretStr(KEY)),
        memory_mb=2_048,
        max_retries=1,
    )
    scratch = folder / "sessions"
    return Bench(api, ClaudeObserver(conversations=conversations, scratch=scratch), folder)


def api_bench(api: ScriptedModelApi, url: str, folder: Path) -> Bench:
    settings = Settings(_env_file=None, anthropic_api_key=KEY, anthropic_base_url=url)
    agent = ModelAgent(Doors(settings), retries=RetryPolicy(attempts=2, stalls=2, first_s=0.0))
    sandboxes = BubblewrapMaker(use_memory_group=False)
    scratch = folder / "sessions"
    observer = ApiObserver(agent=agent, sandboxes=sandboxes, memory_mb=500, scratch=scratch)
    return Bench(api, observer, folder)


@pytest.fixture(params=[api_bench, claude_bench], ids=["api", "claude-code"])
def bench(
    request: pytest.FixtureRequest, api: tuple[ScriptedModelApi, str], tmp_path: Path
) -> Bench:
    make: Callable[..., Bench] = request.param
    (tmp_path / "sessions").mkdir()
    return make(*api, tmp_path)


async def test_a_skill_that_fires_at_once_ends_the_session(bench: Bench):
    bench.api.script(Reply(text="I use it.", calls=(USE,)), Stall())
    seen = await bench.observe()
    assert (seen.fired, seen.others, seen.detail) == (True, (), "")
    assert seen.usage.requests >= 1
    assert seen.usage.output_tokens > 0
    assert bench.left == []


async def test_a_session_that_is_stopped_has_asked_no_more_than_is_counted(
    api: tuple[ScriptedModelApi, str], tmp_path: Path
):
    (tmp_path / "sessions").mkdir()
    bench = api_bench(*api, tmp_path)
    bench.api.script(Reply(calls=(USE, LOOK)), DONE)
    seen = await bench.observe()
    assert (seen.fired, seen.usage.requests, len(bench.api.requests)) == (True, 1, 1)


@pytest.mark.parametrize("before", [LOOK, USE_OTHER], ids=["a command", "another skill"])
async def test_a_skill_that_fires_after_other_calls_has_fired(bench: Bench, before: Call):
    bench.api.script(Reply(calls=(before,)), Reply(text="Now.", calls=(USE,)), Stall())
    seen = await bench.observe()
    assert seen.fired is True
    assert seen.others == ((OTHER.name,) if before is USE_OTHER else ())


@pytest.mark.parametrize(
    "reading",
    [
        Call("Read", {"file_path": "/box/.claude/skills/pdf-forms/SKILL.md"}),
        Call("Bash", {"command": "cat .claude/skills/pdf-forms/SKILL.md"}),
        Call("Bash", {"command": "cat .claude/skills/p*/SK*"}),
    ],
    ids=["Read", "Bash", "Bash without its name"],
)
async def test_reading_its_file_is_using_it(bench: Bench, reading: Call):
    bench.api.script(Reply(calls=(reading,)), Stall())
    assert (await bench.observe()).fired is True


async def test_a_command_that_only_lists_skills_is_no_use(bench: Bench):
    bench.api.script(Reply(calls=(Call("Bash", {"command": "ls .claude/skills"}),)), DONE)
    assert (await bench.observe()).fired is False


async def test_another_skill_in_its_place_is_named(bench: Bench):
    bench.api.script(Reply(calls=(USE_OTHER,)), DONE)
    seen = await bench.observe()
    assert (seen.fired, seen.others) == (False, (OTHER.name,))


async def test_a_session_without_any_skill_has_not_fired(bench: Bench):
    bench.api.script(DONE)
    seen = await bench.observe()
    assert (seen.fired, seen.others, seen.detail) == (False, (), "")
    assert seen.served_models == (MODEL.sent,)


async def test_a_skill_that_does_not_exist_is_no_use(bench: Bench):
    bench.api.script(Reply(calls=(Call("Skill", {"skill": "pdf-form"}),)), DONE)
    assert (await bench.observe()).fired is False


@pytest.mark.parametrize(
    "failure",
    [
        Drop(after_events=2),
        HttpError(status=529, type="overloaded_error", headers={"retry-after": "0"}),
        HttpError(status=401, type="authentication_error"),
    ],
    ids=["a stream cut", "529", "401"],
)
async def test_a_platform_that_fails_lets_nothing_be_seen(bench: Bench, failure):
    bench.api.fail(failure, times=100)
    seen = await bench.observe(wall_s=40)
    assert seen.fired is None
    assert seen.detail
    assert KEY not in seen.detail


async def test_a_first_word_that_comes_too_late_lets_nothing_be_seen(bench: Bench):
    bench.api.script(Stall(), forever=True)
    seen = await bench.observe(idle_s=1, wall_s=4)
    assert seen.fired is None
    assert seen.detail


async def test_nothing_of_the_eval_reaches_the_session_but_the_query(bench: Bench):
    bench.api.script(DONE)
    await bench.observe()
    (asked,) = [one for one in bench.api.requests if QUERY.text in one.prompt]
    everything = f"{asked.system}{asked.body}"
    assert "should_trigger" not in everything
    assert SKILL.description in everything
    assert OTHER.description in everything
    assert str(bench.folder) not in everything


@pytest.mark.parametrize("text", ["/clear all filters", "/pdf-forms now", "--help", "!ls"])
async def test_a_query_is_never_taken_for_a_command(bench: Bench, text: str):
    bench.api.script(DONE)
    seen = await bench.observe(Query(id="Q1", text=text, should_trigger=False))
    assert (seen.fired, seen.usage.requests) == (False, 1)
    (asked,) = bench.api.requests
    assert asked.prompt.endswith(text)


@pytest.mark.parametrize("count", [4, pytest.param(20, marks=pytest.mark.slow)])
async def test_sessions_side_by_side_see_no_skills_of_each_other(
    api: tuple[ScriptedModelApi, str], tmp_path: Path, count: int
):
    scripted, url = api
    scripted.script(DONE, forever=True)

    async def observe(number: int) -> None:
        folder = tmp_path / str(number)
        (folder / "sessions").mkdir(parents=True)
        bench = claude_bench(scripted, url, folder)
        own = Listed(f"own-{number}", f"Only for number {number}.")
        ask = Ask(
            query=Query(id="Q1", text=f"query number {number}.", should_trigger=True),
            number=1,
            installed=installed(folder, own),
            model=MODEL,
            limits=some_limits(),
        )
        seen = await bench.observer.observe(ask)
        assert (seen.fired, seen.detail) == (False, "")

    async with asyncio.timeout(120):
        await asyncio.gather(*(observe(number) for number in range(count)))
    for number in range(count):
        (asked,) = [one for one in scripted.requests if f"query number {number}." in one.prompt]
        named = {other for other in range(count) if f"own-{other}:" in str(asked.body)}
        assert named == {number}
