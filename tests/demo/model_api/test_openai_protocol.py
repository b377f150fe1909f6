"""Chat completions as their vendor's own client sees them."""

import json

import openai
import pytest

from demo.model_api import Call, HttpError, Reply
from demo.model_api.steps import Reported

HELLO = [{"role": "system", "content": "Work."}, {"role": "user", "content": "Hello"}]
ASK = {"model": "scripted-demo", "messages": HELLO}
REPLY = Reply(
    text="A look at the file first.",
    calls=(Call("Bash", {"command": "ls"}), Call("Read", {"file_path": "a.md"})),
    tokens=Reported(input=20, output=30, cache_read=400),
)


async def test_an_answer_in_one_piece(api, gpt):
    api.script(REPLY)
    completion = await gpt.chat.completions.create(**ASK)
    choice = completion.choices[0]
    assert (choice.message.content, choice.finish_reason) == (REPLY.text, "tool_calls")
    calls = [
        (call.function.name, json.loads(call.function.arguments))
        for call in choice.message.tool_calls
    ]
    assert calls == [("Bash", {"command": "ls"}), ("Read", {"file_path": "a.md"})]
    assert completion.model == "scripted-demo"
    assert completion.usage.prompt_tokens == 420
    assert completion.usage.prompt_tokens_details.cached_tokens == 400


async def test_a_stream_adds_up_to_the_same_answer(api, gpt):
    api.script(REPLY)
    stream = await gpt.chat.completions.create(
        **ASK, stream=True, stream_options={"include_usage": True}
    )
    text, arguments, finish, usage = "", {}, None, None
    async for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for part in choice.delta.tool_calls or ():
                so_far = arguments.get(part.index, "")
                arguments[part.index] = so_far + (part.function.arguments or "")
    assert (text, finish) == (REPLY.text, "tool_calls")
    assert {index: json.loads(part) for index, part in arguments.items()} == {
        0: {"command": "ls"},
        1: {"file_path": "a.md"},
    }
    assert (usage.prompt_tokens, usage.completion_tokens) == (420, 30)


async def test_usage_is_streamed_only_where_it_was_asked_for(api, gpt):
    api.script(REPLY)
    stream = await gpt.chat.completions.create(**ASK, stream=True)
    assert [chunk.usage async for chunk in stream if chunk.usage] == []


async def test_what_was_asked_is_remembered(api, gpt):
    api.script(REPLY, Reply(text="Done."))
    first = (await gpt.chat.completions.create(**ASK)).choices[0].message
    answers = [
        {"role": "tool", "tool_call_id": call.id, "content": text}
        for call, text in zip(first.tool_calls, ("a.md", "Error: no such file"), strict=True)
    ]
    turns = [*HELLO, first.model_dump(exclude_none=True), *answers]
    await gpt.chat.completions.create(**ASK | {"messages": turns}, max_completion_tokens=77)
    asked = api.requests[-1]
    assert (asked.system, asked.prompt, asked.turn) == ("Work.", "Hello", 1)
    assert [result.failed for result in asked.last.results] == [False, True]
    assert asked.max_tokens == 77


@pytest.mark.parametrize(
    ("reply", "finish"),
    [
        (Reply(stop="refusal"), "content_filter"),
        (Reply(text="word " * 1_000), "length"),
        (Reply(text="Done."), "stop"),
    ],
)
async def test_the_finish_reason_tells_how_an_answer_ended(api, gpt, reply, finish):
    api.script(reply)
    completion = await gpt.chat.completions.create(**ASK, max_tokens=10)
    assert completion.choices[0].finish_reason == finish


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (HttpError(status=429, type="rate_limit_exceeded"), openai.RateLimitError),
        (HttpError(status=500, type="server_error"), openai.InternalServerError),
        (HttpError(status=400, type="context_length_exceeded"), openai.BadRequestError),
    ],
)
async def test_errors_are_the_vendor_s(api, gpt, failure, raised):
    api.script(failure)
    with pytest.raises(raised) as error:
        await gpt.chat.completions.create(**ASK)
    assert error.value.code == failure.type


CALL = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "system", "content": "Work."}],
        [*HELLO, {"role": "assistant", "tool_calls": [CALL]}],
        [*HELLO, {"role": "assistant", "tool_calls": [CALL]}, *HELLO],
        [*HELLO, {"role": "tool", "tool_call_id": "c1", "content": "ok"}],
    ],
    ids=["nothing", "no user", "unanswered call", "passed over call", "answer without a call"],
)
async def test_what_the_real_api_refuses_is_refused(gpt, messages):
    with pytest.raises(openai.BadRequestError):
        await gpt.chat.completions.create(**ASK | {"messages": messages})


async def test_models_are_listed_and_found(gpt):
    listed = {model.id: model.created async for model in gpt.models.list()}
    assert len(listed) == 7
    assert listed["claude-sonnet-4-6"] > listed["claude-sonnet-4-20250514"]
    assert (await gpt.models.retrieve("scripted-demo")).id == "scripted-demo"
    with pytest.raises(openai.NotFoundError):
        await gpt.models.retrieve("gpt-9")


async def test_another_key_is_refused(gpt):
    with pytest.raises(openai.AuthenticationError):
        await gpt.with_options(api_key="another").chat.completions.create(**ASK)
