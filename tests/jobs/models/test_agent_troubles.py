"""What the platform does to a conversation: asked again in bounded time, then named."""

import pytest

from demo.model_api import Call, Drop, ErrorInStream, HttpError, Reply, Stall
from demo.model_api.steps import Reported
from jobs.models.retries import RetryPolicy
from tests.jobs.models.talking import AT_ONCE, Recorder

LS = Call("Bash", {"command": "ls"})
DONE = Reply(text="Done.")
LIMITED = HttpError(status=429, type="rate_limit_error", message="key sk-secret is limited")
OVERLOADED = HttpError(status=529, type="overloaded_error")
BROKEN = HttpError(status=500, type="api_error", message="sk-secret broke")


@pytest.mark.parametrize(
    ("failure", "end"),
    [
        (LIMITED, "rate_limited"),
        (OVERLOADED, "rate_limited"),
        (ErrorInStream(type="overloaded_error"), "rate_limited"),
        (ErrorInStream(type="rate_limit_error", after_events=0), "rate_limited"),
        (BROKEN, "error"),
        (HttpError(status=503), "error"),
        (HttpError(status=408), "error"),
        (ErrorInStream(type="api_error"), "error"),
        (Drop(), "error"),
        (Drop(after_events=3), "error"),
    ],
    ids=str,
)
async def test_a_lasting_failure_ends_under_its_name_after_bounded_attempts(talker, failure, end):
    talker.api.script(failure, forever=True)
    told = await talker.converse(tools=Recorder())
    assert told.end == end
    assert len(talker.api.requests) == AT_ONCE.attempts
    assert told.retries == AT_ONCE.attempts - 1
    assert told.last_text == "", "what an API says in an error is no answer"
    assert "secret" not in told.detail


@pytest.mark.parametrize("status", [400, 401, 402, 403, 422])
async def test_what_asking_again_cannot_mend_is_asked_once(talker, status):
    talker.api.script(HttpError(status=status, type="permission_error"), forever=True)
    end = await talker.converse()
    assert (end.end, end.retries, len(talker.api.requests)) == ("error", 0, 1)
    assert str(status) in end.detail


async def test_an_empty_account_is_not_taken_for_a_rate_limit_that_passes(gpt):
    gpt.api.script(HttpError(status=429, type="insufficient_quota"), forever=True)
    end = await gpt.converse()
    assert (end.end, end.retries) == ("rate_limited", 0)


async def test_the_provider_s_own_word_on_retrying_is_heeded(talker):
    talker.api.script(HttpError(status=500, headers={"x-should-retry": "false"}), forever=True)
    end = await talker.converse()
    assert (end.end, end.retries) == ("error", 0)


async def test_silence_ends_as_stalled_after_few_attempts(talker):
    talker.api.script(Stall(), forever=True)
    end = await talker.converse(limits={"idle_s": 0.15})
    assert end.end == "stalled"
    assert len(talker.api.requests) == AT_ONCE.stalls
    assert "0.15 s" in end.detail


async def test_a_stream_that_falls_silent_in_the_middle_is_stalled(talker):
    talker.api.script(Reply(calls=(LS,)), Stall(after_events=2), forever=True)
    end = await talker.converse(tools=Recorder(), limits={"idle_s": 0.15})
    assert (end.end, end.turns, end.tool_calls) == ("stalled", 1, 1)


async def test_a_slow_answer_that_keeps_coming_is_not_stalled(talker):
    talker.api.script(Reply(text="Slowly but surely.", pause_s=0.05))
    end = await talker.converse(limits={"idle_s": 0.5})
    assert end.end == "completed"


async def test_every_passing_failure_is_got_over(talker):
    talker.api.script(
        LIMITED,
        Drop(),
        ErrorInStream(),
        Stall(after_events=1),
        Reply(text="A look.", calls=(LS,)),
        BROKEN,
        Drop(after_events=2),
        DONE,
    )
    tools = Recorder()
    end = await talker.converse(tools=tools, limits={"idle_s": 0.3})
    assert (end.end, end.last_text, end.retries, end.turns) == ("completed", "Done.", 6, 2)
    assert len(tools.calls) == 1, "no answer is carried out twice"
    assert len(talker.sink.of("retry")) == 6


async def test_attempts_are_counted_anew_for_each_answer(talker):
    nearly = [LIMITED] * (AT_ONCE.attempts - 1)
    talker.api.script(*nearly, Reply(calls=(LS,)), *nearly, DONE)
    end = await talker.converse(tools=Recorder())
    assert (end.end, end.retries) == ("completed", 2 * (AT_ONCE.attempts - 1))


async def test_a_request_that_broke_off_is_counted_with_what_it_was_billed_for(claude):
    tokens = Reported(input=700, output=50)
    claude.api.script(Drop(after_events=3), Reply(text="Done.", tokens=tokens))
    usage = (await claude.converse()).usage
    assert (usage.requests, usage.input_tokens) == (2, 700)
    assert usage.cache_write_tokens > 0, "what the broken stream had reported at its beginning"


@pytest.mark.parametrize("turn", [0, 1])
async def test_a_refusal_is_an_end_and_is_not_asked_for_again(talker, turn):
    refusal = Reply(stop="refusal")
    talker.api.script(*[Reply(calls=(LS,))] * turn, refusal)
    end = await talker.converse(tools=Recorder())
    assert (end.end, end.retries) == ("refused", 0)
    assert len(talker.api.requests) == turn + 1


async def test_the_text_of_a_refusal_is_no_answer(talker):
    talker.api.script(Reply(text="I will not.", stop="refusal"))
    end = await talker.converse()
    assert (end.end, end.last_text) == ("refused", "")


@pytest.mark.parametrize(
    "failure",
    [
        HttpError(status=400, type="invalid_request_error", message="prompt is too long: 9 > 8"),
        HttpError(status=400, type="context_length_exceeded", message="maximum context length"),
        HttpError(status=413, type="request_too_large"),
    ],
    ids=str,
)
async def test_a_conversation_that_outgrew_the_model_is_cut_and_not_broken(talker, failure):
    talker.api.script(Reply(calls=(LS,)), failure)
    end = await talker.converse(tools=Recorder())
    assert (end.end, end.retries) == ("max_tokens", 0)


async def test_a_wish_to_wait_longer_than_is_sensible_ends_at_once(talker):
    talker.retries = RetryPolicy(first_s=0, most_s=0, longest_retry_after_s=5)
    talker.api.script(HttpError(status=429, headers={"retry-after": "3600"}), forever=True)
    end = await talker.converse()
    assert (end.end, end.retries) == ("rate_limited", 0)


async def test_a_server_that_is_not_there_is_an_error(talker):
    settings = talker.settings(
        anthropic_base_url="http://127.0.0.1:9", openai_base_url="http://127.0.0.1:9/v1"
    )
    end = await talker.converse(settings=settings)
    assert (end.end, end.retries) == ("error", AT_ONCE.attempts - 1)
    assert "could not be reached" in end.detail


async def test_time_that_runs_out_while_the_platform_fails_is_the_platform_s(talker):
    talker.retries = RetryPolicy(first_s=30, most_s=30)
    talker.api.script(Reply(calls=(LS,)), LIMITED, forever=True)
    end = await talker.converse(tools=Recorder(), limits={"wall_s": 0.5})
    assert end.end == "rate_limited"
