"""The Messages API as its vendor's own client sees it."""

import anthropic
import pytest

from demo.model_api import Call, HttpError, Reply
from demo.model_api.steps import Reported

ASK = {"model": "scripted-demo", "max_tokens": 500}
HELLO = [{"role": "user", "content": "Hello"}]
TOOLS = [{"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}]
REPLY = Reply(
    text="A look at the file first.",
    calls=(Call("Bash", {"command": "head -n 3 input/input_001.csv"}),),
    tokens=Reported(input=20, output=30, cache_read=400, cache_write=50),
)


def check(message):
    text, call = message.content
    assert (text.type, text.text) == ("text", "A look at the file first.")
    assert (call.type, call.name) == ("tool_use", "Bash")
    assert call.input == {"command": "head -n 3 input/input_001.csv"}
    assert (message.stop_reason, message.model) == ("tool_use", "scripted-demo")
    assert message.usage.input_tokens == 20
    assert message.usage.output_tokens == 30
    assert message.usage.cache_read_input_tokens == 400
    assert message.usage.cache_creation_input_tokens == 50


async def test_an_answer_in_one_piece(api, claude):
    api.script(REPLY)
    check(await claude.messages.create(**ASK, messages=HELLO, tools=TOOLS))


async def test_a_stream_adds_up_to_the_same_answer(api, claude):
    api.script(REPLY)
    async with claude.messages.stream(**ASK, messages=HELLO, tools=TOOLS) as stream:
        pieces = [text async for text in stream.text_stream]
        check(await stream.get_final_message())
    assert len(pieces) > 1


async def test_what_was_asked_is_remembered(api, claude):
    api.script(REPLY, Reply(text="Done."))
    first = await claude.messages.create(**ASK, messages=HELLO, tools=TOOLS, system="Work.")
    result = {
        "type": "tool_result",
        "tool_use_id": first.content[1].id,
        "content": "a,b,c",
        "is_error": True,
    }
    turns = [
        *HELLO,
        {"role": "assistant", "content": [block.to_dict() for block in first.content]},
        {"role": "user", "content": [result]},
    ]
    await claude.messages.create(**ASK, messages=turns, tools=TOOLS, system="Work.")
    asked = api.requests[-1]
    assert (asked.system, asked.prompt, asked.turn, asked.tools) == ("Work.", "Hello", 1, ("Bash",))
    assert asked.last.results[0].text == "a,b,c"
    assert asked.last.results[0].failed


async def test_a_refusal_and_a_cut_answer_bear_their_stop_reasons(api, claude):
    api.script(Reply(stop="refusal"), Reply(text="word " * 1_000))
    refused = await claude.messages.create(**ASK, messages=HELLO)
    assert (refused.stop_reason, refused.content) == ("refusal", [])
    cut = await claude.messages.create(**ASK | {"max_tokens": 10}, messages=HELLO)
    assert (cut.stop_reason, len(cut.content[0].text)) == ("max_tokens", 40)


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (HttpError(status=429, type="rate_limit_error"), anthropic.RateLimitError),
        (HttpError(status=500, type="api_error"), anthropic.InternalServerError),
        (HttpError(status=529, type="overloaded_error"), anthropic.InternalServerError),
        (HttpError(status=403, type="permission_error"), anthropic.PermissionDeniedError),
    ],
)
async def test_errors_are_the_vendor_s(api, claude, failure, raised):
    api.script(failure)
    with pytest.raises(raised) as error:
        await claude.messages.create(**ASK, messages=HELLO)
    assert error.value.body["error"]["type"] == failure.type


def a_call(number: int) -> dict[str, object]:
    return {"type": "tool_use", "id": f"call-{number}", "name": "Bash", "input": {}}


def marked(text: str) -> dict[str, object]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "assistant", "content": "Hello"}],
        [*HELLO, {"role": "assistant", "content": "Hello"}],
        [{"role": "user", "content": []}],
        [{"role": "user", "content": [{"type": "text", "text": " "}]}],
        [*HELLO, {"role": "assistant", "content": [a_call(1)]}, *HELLO],
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]}],
        [{"role": "user", "content": [marked(str(number)) for number in range(5)]}],
    ],
    ids=[
        "nothing",
        "model first",
        "model last",
        "empty",
        "blank",
        "unanswered call",
        "answer without a call",
        "five cache marks",
    ],
)
async def test_what_the_real_api_refuses_is_refused(claude, messages):
    with pytest.raises(anthropic.BadRequestError):
        await claude.messages.create(**ASK, messages=messages)


async def test_turns_of_one_role_are_read_as_one(api, claude):
    api.script(Reply(text="Hi."))
    await claude.messages.create(**ASK, messages=[*HELLO, *HELLO])
    assert api.requests[0].prompt == "Hello\nHello"


async def test_a_cache_grows_with_the_conversation(claude):
    ask = {**ASK, "messages": [{"role": "user", "content": [marked("Hello " * 100)]}]}
    first = (await claude.messages.create(**ask)).usage
    second = (await claude.messages.create(**ask)).usage
    assert (first.cache_read_input_tokens, second.cache_creation_input_tokens) == (0, 0)
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens > 100


async def test_models_are_listed_page_by_page_with_their_dates(claude):
    models = [model async for model in claude.models.list(limit=2)]
    assert len(models) == 7
    assert {model.id: model.created_at.year for model in models}["claude-sonnet-4-20250514"] == 2025


async def test_a_model_is_found_by_its_id_or_not_at_all(api, claude):
    assert (await claude.models.retrieve("claude-opus-4-8")).id == "claude-opus-4-8"
    with pytest.raises(anthropic.NotFoundError):
        await claude.models.retrieve("claude-2.1")
    with pytest.raises(anthropic.NotFoundError):
        await claude.messages.create(**ASK | {"model": "claude-2.1"}, messages=HELLO)
    assert api.look_ups == ["claude-opus-4-8", "claude-2.1"]


async def test_another_key_is_refused(claude):
    stranger = claude.with_options(api_key="another")
    with pytest.raises(anthropic.AuthenticationError):
        await stranger.messages.create(**ASK, messages=HELLO)
    with pytest.raises(anthropic.AuthenticationError):
        await stranger.models.retrieve("scripted-demo")
