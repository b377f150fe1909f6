"""Chat completions as servers of many makers stream them."""

from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from jobs.models.door import Trouble
from jobs.models.openai_answer import ChunkCollector


def collect(*choices: dict[str, Any], usage: dict[str, Any] | None = None) -> ChunkCollector:
    """A collector that has taken one chunk for each choice, built as the SDK builds them."""
    collector = ChunkCollector()
    shared = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for choice in choices:
        body = {**shared, "choices": [{"index": 0} | choice], "usage": usage}
        collector.take(ChatCompletionChunk.construct(**body))
    return collector


def a_call(**changes: Any) -> dict[str, Any]:
    function = {"name": "Bash", "arguments": '{"command": "ls"}'}
    return {"index": 0, "id": "c1", "type": "function", "function": function} | changes


def a_delta(*calls: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"delta": {"tool_calls": list(calls)}, "finish_reason": None} | changes


def test_a_call_announced_as_an_ordinary_end_is_a_call():
    answer = collect(a_delta(a_call()), {"delta": {}, "finish_reason": "stop"}).build([])
    assert answer.stop == "tools"
    assert answer.calls[0].arguments == {"command": "ls"}


def test_calls_without_index_or_id_are_kept_apart():
    calls = [a_call(index=None, id=None), a_call(index=None, id=None)]
    answer = collect(a_delta(*calls, finish_reason="tool_calls")).build([])
    assert [call.id for call in answer.calls] == ["call_0", "call_1"]


def test_arguments_in_pieces_are_put_together():
    pieces = [a_call(function={"name": "Bash", "arguments": '{"comm'})]
    pieces += [{"index": 0, "function": {"arguments": 'and": "ls"}'}}]
    answer = collect(*(a_delta(piece) for piece in pieces), a_delta(finish_reason="tool_calls"))
    assert answer.build([]).calls[0].arguments == {"command": "ls"}


def test_what_a_server_adds_to_a_call_goes_back_to_it():
    """Gemini signs its calls and refuses a conversation in which the signature is missing."""
    signed = a_call(extra_content={"google": {"thought_signature": "c2ln"}})
    collector = collect(a_delta(signed, finish_reason="tool_calls"))
    back = collector.message["tool_calls"][0]
    assert back["extra_content"] == {"google": {"thought_signature": "c2ln"}}
    assert back["function"] == {"name": "Bash", "arguments": '{"command": "ls"}'}


def test_a_refusal_in_a_field_of_its_own_is_a_refusal():
    answer = collect({"delta": {"refusal": "I will not."}, "finish_reason": "stop"}).build([])
    assert (answer.stop, answer.text) == ("refused", "")


def test_a_stream_without_a_finish_is_broken():
    with pytest.raises(Trouble) as trouble:
        collect({"delta": {"content": "The total"}, "finish_reason": None}).build([])
    assert trouble.value.retry


def test_running_totals_of_usage_replace_each_other():
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "total_tokens": 107,
        "prompt_tokens_details": {"cached_tokens": 60},
    }
    twice = [{"delta": {"content": "4"}}, {"delta": {"content": "2"}, "finish_reason": "stop"}]
    tokens = collect(*twice, usage=usage).build([]).tokens
    assert (tokens.input, tokens.cache_read, tokens.output) == (40, 60, 7)
    assert tokens.reported


def test_usage_that_is_not_reported_is_estimated_and_says_so():
    sent = [{"role": "user", "content": "x" * 400}]
    answer = collect({"delta": {"content": "y" * 400}, "finish_reason": "stop"}).build(sent)
    assert not answer.tokens.reported
    assert answer.tokens.input >= 100
    assert answer.tokens.output >= 100
