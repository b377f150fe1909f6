"""A temperature is asked for where the model takes one, and no conversation fails for it."""

import pytest

from demo.model_api import Call, HttpError, Reply
from jobs.judging.prompt import TEMPERATURE
from tests.jobs.models.talking import Recorder

TURN = Reply(text="I look first.", calls=(Call("Bash", {"command": "ls"}),))
DONE = Reply(text="Done.")
REFUSED = {
    "a Claude model": "`temperature` is deprecated for this model.",
    "an OpenAI model": "Unsupported value: 'temperature' does not support 0.0 with this model.",
}


def a_refusal(message: str) -> HttpError:
    return HttpError(status=400, type="invalid_request_error", message=message)


@pytest.mark.parametrize("message", REFUSED.values(), ids=REFUSED)
async def test_a_model_that_takes_none_is_asked_without(talker, message):
    talker.api.script(a_refusal(message), TURN, DONE)
    end = await talker.converse(tools=Recorder(), temperature=TEMPERATURE)
    assert (end.end, end.retries, end.turns) == ("completed", 0, 2)
    assert [asked.body.get("temperature") for asked in talker.api.requests] == [0.0, None, None]


async def test_one_that_takes_it_is_asked_with_it_every_time(talker):
    talker.api.script(TURN, DONE)
    await talker.converse(tools=Recorder(), temperature=TEMPERATURE)
    assert [asked.body.get("temperature") for asked in talker.api.requests] == [0.0, 0.0]


async def test_a_session_asks_for_none(talker):
    talker.api.script(DONE)
    await talker.converse()
    assert "temperature" not in talker.api.requests[0].body


async def test_length_and_temperature_may_both_be_refused(talker):
    too_long = "max_tokens: 4000 > 1024, which is the maximum allowed number of output tokens"
    talker.api.script(a_refusal(REFUSED["a Claude model"]), a_refusal(too_long), DONE)
    end = await talker.converse(temperature=TEMPERATURE)
    assert (end.end, end.retries) == ("completed", 0)
    assert talker.api.requests[-1].max_tokens == 1_024
    assert "temperature" not in talker.api.requests[-1].body


async def test_a_refusal_that_goes_on_ends_the_conversation(talker):
    talker.api.script(a_refusal(REFUSED["a Claude model"]), forever=True)
    end = await talker.converse(temperature=TEMPERATURE)
    assert end.end == "error"
    assert len(talker.api.requests) <= 2
