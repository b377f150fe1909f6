"""The real Claude Code in front of an API that fails, and at the limits of a session."""

from decimal import Decimal

import pytest

from demo.model_api import Call, Drop, ErrorInStream, HttpError, Reply, Stall
from demo.model_api.steps import Reported
from jobs.values import SessionEnd
from tests.jobs.claude_code.sessions import a_session_spec, make_launcher, run_session


@pytest.mark.parametrize(
    ("status", "end"),
    [(400, "error"), (403, "error"), (429, "rate_limited"), (529, "rate_limited")],
)
async def test_a_failing_api_ends_in_its_own_status(api, start, status, end):
    api.fail(HttpError(status=status), times=100)
    ran = await start()
    assert ran.result.end == end
    assert str(status) in ran.result.detail
    assert ran.names == []
    assert ran.result.usage.requests == 0


async def test_a_rate_limit_that_passes_costs_a_retry_and_nothing_else(api, start):
    api.fail(HttpError(status=429, headers={"retry-after": "0"}))
    api.script(Reply(text="42"))
    ran = await start()
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.retries == 1
    assert ran.events("retry")[0]["why"] == "the model API answered 429"


async def test_a_wrong_key_is_not_asked_again_and_again(api, start):
    """It cannot help, and each attempt takes time."""
    api.fail(HttpError(status=401, type="authentication_error"), times=100)
    ran = await start(launcher_changes={"max_retries": 8})
    assert ran.result.end is SessionEnd.ERROR
    assert len(api.requests) == 2  # one for each attempt at the session


@pytest.mark.slow
async def test_an_api_that_cannot_be_reached_is_an_error(claude, tmp_path):
    launcher = make_launcher(claude)
    ran = await run_session(launcher, a_session_spec(tmp_path))
    assert ran.result.end is SessionEnd.ERROR


@pytest.mark.parametrize(
    "fault",
    [Drop(after_events=4), ErrorInStream(after_events=4), ErrorInStream(after_events=2), Drop()],
    ids=str,
)
async def test_an_answer_that_breaks_off_once_is_mended(api, start, fault):
    api.fail(fault)
    api.script(Reply(text="The total is 42."), forever=True)
    ran = await start()
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.output("response.md") == "The total is 42.\n"


async def test_an_answer_that_always_breaks_off_is_never_taken_for_whole(api, start):
    """Claude Code itself would call half an answer a success."""
    api.fail(Drop(after_events=4), times=100)
    ran = await start()
    assert not ran.result.scored
    assert ran.result.end is SessionEnd.ERROR


async def test_a_model_that_falls_silent_is_stalled(api, start):
    api.fail(Stall(after_events=3), times=100)
    ran = await start(limits={"idle_s": 1.0})
    assert ran.result.end is SessionEnd.STALLED
    assert ran.result.retries >= 1


@pytest.mark.slow
async def test_a_model_that_is_slow_but_alive_is_not_stalled(api, start):
    """Its single events come faster than the limit, the answer does not."""
    api.script(Reply(text="a b c", pause_s=0.6))
    ran = await start(limits={"idle_s": 4.0})
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.wall_s > 4


async def test_an_answer_at_the_output_limit_is_cut(api, start):
    api.script(Reply(text="half", stop="max_tokens"), forever=True)
    ran = await start()
    assert ran.result.end is SessionEnd.MAX_TOKENS
    assert ran.output("response.md") == "half\n"
    assert not ran.result.scored


async def test_a_file_whose_writing_is_cut_again_and_again_is_no_missing_file(api, start):
    """Claude Code asks for it anew until its turns are used up; the platform's limit did it."""
    half = Call("Write", '{"file_path": "/box/output/a.txt", "content": "half')
    api.script(Reply(text="writing", calls=(half,), stop="max_tokens"), forever=True)
    ran = await start(limits={"turns": 2})
    assert ran.result.end is SessionEnd.MAX_TOKENS
    assert ran.names == ["response.md"]
    assert not ran.result.scored


async def test_a_refusal_is_a_refusal_and_not_asked_again(api, start):
    api.script(Reply(calls=(Call("Bash", {"command": "true"}),)), Reply(stop="refusal"))
    ran = await start()
    assert ran.result.end is SessionEnd.REFUSED
    assert len(api.requests) == 2
    assert ran.names == []


async def test_the_limit_of_turns_ends_the_session_with_what_it_has(api, start):
    api.script(
        Reply(text="on it", calls=(Call("Bash", {"command": "date >> output/x"}),)), forever=True
    )
    ran = await start(limits={"turns": 2})
    assert ran.result.end is SessionEnd.MAX_TURNS
    assert ran.result.turns == 2
    assert ran.names == ["response.md", "x"]


@pytest.mark.parametrize(
    ("limits", "end"),
    [
        ({"cost_usd": Decimal("0.14")}, SessionEnd.MAX_COST),
        ({"total_tokens": 50_000}, SessionEnd.MAX_COST),
        ({"output_tokens": 90}, SessionEnd.MAX_TOKENS),
    ],
)
async def test_a_limit_of_the_proxy_ends_the_session_in_its_name(api, start, limits, end):
    """Room for Claude Code's own long first prompt, and for no second one."""
    step = Reply(
        text="on it",
        calls=(Call("Bash", {"command": "date >> output/x"}),),
        tokens=Reported(input=40_000, output=100),
    )
    api.script(step, forever=True)
    ran = await start(limits=limits)
    assert ran.result.end is end
    assert ran.result.scored
    assert ran.names == ["response.md", "x"]
    assert ran.output("response.md") == "on it\n"
    assert len(api.requests) == 1
