"""How long an answer may be: what is left, what the model can, and how a server calls it."""

import pytest

from demo.model_api import Call, HttpError, Reply
from tests.jobs.models.talking import Recorder

TURN = Reply(text="I look first.", calls=(Call("Bash", {"command": "ls"}),))
DONE = Reply(text="Done.")


def a_refusal(message: str) -> HttpError:
    return HttpError(status=400, type="invalid_request_error", message=message)


@pytest.mark.parametrize(
    ("message", "room"),
    [
        ("max_tokens: 4000 > 1024, which is the maximum allowed number of output tokens", 1024),
        ("max_tokens is too large: 4000. This model supports at most 2048 completion tokens", 2048),
        ("input length and `max_tokens` exceed context limit: 7500 + 4000 > 8000", 500),
        ("maximum context length is 8192 tokens and the input has 6000 (4000 > 8192 - 6000)", 2192),
    ],
    ids=["a Claude model", "an OpenAI model", "context at Anthropic", "context at vLLM"],
)
async def test_a_model_of_shorter_answers_is_asked_for_what_it_gives(talker, message, room):
    """Older models answer at 4,096 or 8,192 tokens and refuse a request for more."""
    talker.api.script(a_refusal(message), TURN, DONE)
    end = await talker.converse(tools=Recorder())
    assert (end.end, end.retries, end.turns) == ("completed", 0, 2)
    assert [asked.max_tokens for asked in talker.api.requests] == [4_000, room, room]


@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 210000 tokens > 200000 maximum (context_length_exceeded)",
        "input length and `max_tokens` exceed context limit: 8100 + 4000 > 8000",
    ],
)
async def test_a_conversation_that_outgrew_the_model_is_cut_and_not_broken(talker, message):
    talker.api.script(TURN, a_refusal(message))
    end = await talker.converse(tools=Recorder())
    assert (end.end, end.retries, end.last_text) == ("max_tokens", 0, "I look first.")


async def test_a_server_that_calls_the_limit_by_its_other_name_is_understood(gpt):
    gpt.api.script(a_refusal("Unsupported parameter: 'max_tokens'"), TURN, DONE)
    end = await gpt.converse(tools=Recorder())
    assert end.end == "completed"
    assert "max_tokens" in gpt.api.requests[0].body
    assert [asked.body.get("max_completion_tokens") for asked in gpt.api.requests] == [
        None,
        4_000,
        4_000,
    ]
