"""What a second attempt may use, and which ends are the platform's: real parts all the way."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from demo.model_api import Call, Drop, HttpError, Reply, ScriptedModelApi, Stall
from jobs.errors import Refused, Transient
from jobs.sandbox import CommandResult, Sandbox
from jobs.values import SessionEnd
from tests.jobs.sessions.launching import AT_ONCE, Bench

DONE = Reply(text="There are three words.")
LIMITED = HttpError(status=429, type="rate_limit_error", message="API Error: 429, slow down")


def bash(command: str, text: str = "") -> Reply:
    return Reply(text=text, calls=(Call("Bash", {"command": command}),))


@pytest.fixture
def api() -> ScriptedModelApi:
    return ScriptedModelApi()


@pytest.fixture
async def bench(api: ScriptedModelApi, tmp_path: Path) -> AsyncIterator[Bench]:
    async with api.serve() as server:
        yield Bench(api, server, tmp_path)


@pytest.mark.parametrize(
    ("failure", "end"),
    [
        (LIMITED, SessionEnd.RATE_LIMITED),
        (HttpError(status=500, message="API Error: 500"), SessionEnd.ERROR),
        (Drop(after_events=3), SessionEnd.ERROR),
        (Stall(), SessionEnd.STALLED),
    ],
    ids=["rate limit", "outage", "dropped stream", "silence"],
)
async def test_a_platform_that_keeps_failing_gets_one_fresh_session(bench, failure, end):
    bench.api.script(bash("echo half > output/half.md"), failure, forever=True)
    idle_s = 0.15 if end is SessionEnd.STALLED else 30  # a busy machine is slow to answer
    done = await bench.run(bench.spec(limits={"idle_s": idle_s}))
    assert (done.result.end, done.result.scored) == (end, False)
    assert "API Error" not in done.result.detail
    assert "response.md" not in done.files, "what the API said is no answer"
    tries = AT_ONCE.stalls if end is SessionEnd.STALLED else AT_ONCE.attempts
    assert len(bench.api.requests) == 1 + tries + tries
    assert done.result.retries == 2 * (tries - 1) + 1


async def test_a_fresh_session_starts_from_nothing_and_both_are_paid_for(bench):
    first = bash("echo old > output/old.md; echo x > input/input_001.txt", "I begin.")
    spent = [LIMITED] * AT_ONCE.attempts
    bench.api.script(first, *spent, bash("cat input/input_001.txt; ls output"), DONE)
    done = await bench.run()
    assert done.result.end is SessionEnd.COMPLETED
    assert done.files == ["response.md"]
    assert done.tool_results[-1] == "one two\nthree"
    assert done.result.usage.requests == 3
    assert (done.result.turns, done.result.tool_calls) == (2, 1)
    assert done.result.retries == AT_ONCE.attempts
    ends = [event["content"]["end"] for event in done.events if event["kind"] == "end"]
    assert ends == ["rate_limited", "completed"], "the transcript holds both"


async def test_a_second_session_gets_only_what_the_first_has_left(bench):
    bench.api.script(bash("true"), *[LIMITED] * AT_ONCE.attempts, bash("true"), forever=True)
    done = await bench.run(bench.spec(limits={"total_tokens": 4_000}))
    assert done.result.end is SessionEnd.MAX_COST
    assert 2_000 < done.result.usage.total_tokens <= 4_000


async def test_without_anything_left_there_is_no_second_session(bench):
    bench.api.script(bash("true"), LIMITED, forever=True)
    done = await bench.run(bench.spec(limits={"total_tokens": 3_000, "turns": 1}))
    assert done.result.end is SessionEnd.MAX_TURNS
    assert len(bench.api.requests) == 1


class NoSandbox:
    """A kind of sandbox that is not to be had, or that breaks at the first command."""

    name = "none-at-all"
    identity = ""

    def __init__(self, *, opening: Exception | None = None) -> None:
        self._opening = opening
        self.opened = 0

    @asynccontextmanager
    async def open(self, work: Path, **_: object) -> AsyncIterator[Sandbox]:
        self.opened += 1
        if self._opening:
            raise self._opening
        yield self

    async def problem(self) -> str | None:
        return None

    async def run(self, argv: object, **_: object) -> CommandResult:
        raise Transient("bwrap: no namespaces for /a/secret/path")


async def test_a_machine_without_sandboxes_is_told_in_its_own_words(bench):
    refusing = NoSandbox(opening=Refused("bubblewrap is not installed: install it."))
    done = await bench.run(sandboxes=refusing)
    assert done.result.end is SessionEnd.ERROR
    assert done.result.detail == "bubblewrap is not installed: install it."
    assert bench.api.requests == []


async def test_a_sandbox_that_breaks_in_the_middle_is_never_the_agent_s_failure(bench):
    """The agent gave up politely, but it had worked with dead tools."""
    bench.api.script(bash("ls"), DONE, bash("ls"), DONE)
    broken = NoSandbox()
    done = await bench.run(sandboxes=broken)
    assert (done.result.end, done.result.scored) == (SessionEnd.ERROR, False)
    assert broken.opened == 2
    assert "/a/secret/path" not in done.result.detail


async def test_a_defect_ends_the_session_and_not_the_run(bench):
    missing = replace(bench.spec(), inputs_folder=bench.folder / "not-there")
    done = await bench.run(missing)
    assert done.result.end is SessionEnd.ERROR
    assert "not-there" not in done.result.detail
    assert done.result.usage.requests == 0


async def test_a_bundle_that_cannot_be_written_is_an_end_and_no_exception(bench):
    bench.api.script(DONE, DONE)
    spec = bench.spec()
    spec.bundle.mkdir()
    result = await bench.launcher().run(spec)
    assert (result.end, result.outputs) == (SessionEnd.ERROR, ())
    assert result.usage.requests == 2, "what was paid for stays counted"
