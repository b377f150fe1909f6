"""What a test can make the API do: scripts per conversation, and faults of the line."""

import asyncio

import anthropic
import pytest

from demo.model_api import Call, Drop, ErrorInStream, HttpError, Reply, Stall


async def ask(claude, prompt="Hello", **changes):
    request = {
        "model": "scripted-demo",
        "max_tokens": 500,
        "messages": [{"role": "user", "content": prompt}],
    }
    async with asyncio.timeout(10):
        return await claude.messages.create(**(request | changes))


async def stream(claude, prompt="Hello"):
    async with asyncio.timeout(10):
        events = await ask(claude, prompt, stream=True)
        return [event async for event in events]


def text(message):
    return message.content[0].text


async def test_each_conversation_gets_the_whole_script(api, claude):
    api.script(Reply(text="one"), Reply(text="two"))
    said = [text(await ask(claude, prompt)) for prompt in ("a", "b", "a", "b")]
    assert said == ["one", "one", "two", "two"]


async def test_a_script_plays_where_it_fits_and_the_newest_first(api, claude):
    api.script(Reply(text="any"), forever=True)
    api.script(Reply(text="cats"), when=lambda asked: "cat" in asked.prompt, forever=True)
    assert text(await ask(claude, "a cat")) == "cats"
    assert text(await ask(claude, "a dog")) == "any"


async def test_a_script_that_has_ended_says_so(api, claude):
    api.script(Reply(text="one"))
    await ask(claude)
    with pytest.raises(anthropic.BadRequestError, match="ended after 1 step"):
        await ask(claude)


async def test_a_script_can_repeat_its_last_step(api, claude):
    api.script(Reply(text="one"), Reply(text="again"), forever=True)
    assert [text(await ask(claude)) for _ in range(3)] == ["one", "again", "again"]


async def test_a_step_can_be_made_from_the_request(api, claude):
    api.script(lambda asked: Reply(text=asked.prompt.upper()))
    assert text(await ask(claude, "louder")) == "LOUDER"


async def test_failures_come_first_and_count_over_all_conversations(api, claude):
    api.script(Reply(text="one"))
    api.fail(HttpError(status=500), times=2)
    for prompt in ("a", "b"):
        with pytest.raises(anthropic.InternalServerError):
            await ask(claude, prompt)
    assert text(await ask(claude, "a")) == "one"


async def test_a_dropped_connection_is_dropped(api, claude):
    api.script(Drop(), Drop(after_events=4))
    with pytest.raises(anthropic.APIConnectionError):
        await ask(claude)
    with pytest.raises(Exception, match=r"closed|peer|reset"):
        await stream(claude)


async def test_an_error_in_a_stream_comes_after_a_good_beginning(api, claude):
    api.script(ErrorInStream(type="overloaded_error"))
    with pytest.raises(anthropic.APIStatusError) as error:
        await stream(claude)
    assert error.value.body["error"]["type"] == "overloaded_error"


@pytest.mark.parametrize("after_events", [0, 3])
async def test_a_stalled_answer_waits_for_its_gate(api, claude, after_events):
    stall = Stall(after_events=after_events)
    api.script(stall)
    asking = asyncio.create_task(stream(claude))
    async with asyncio.timeout(10):
        await stall.gate.reached.wait()
        assert not asking.done()
        stall.gate.released.set()
        events = await asking
    assert events[-1].type == "message_stop"


async def test_a_client_that_leaves_a_stalled_answer_is_let_go(api, claude):
    stall = Stall()
    api.script(stall)
    asking = asyncio.create_task(stream(claude))
    async with asyncio.timeout(10):
        await stall.gate.reached.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    api.script(Reply(text="back"))
    assert text(await ask(claude)) == "back"


async def test_broken_arguments_are_streamed_as_they_are(api, claude):
    api.script(Reply(calls=(Call("Bash", '{"command": '),)))
    events = await stream(claude)
    pieces = [
        event.delta.partial_json
        for event in events
        if event.type == "content_block_delta" and event.delta.type == "input_json_delta"
    ]
    assert "".join(pieces) == '{"command": '


async def test_another_model_can_be_the_one_that_answers(api, claude):
    api.script(Reply(text="Me.", served_model="claude-opus-4-8"))
    assert (await ask(claude)).model == "claude-opus-4-8"
