"""What an answer says of itself, however it is cut and wherever it breaks off."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from jobs.models.door import Tokens
from jobs.proxy.answer_reader import AnswerReader


def stream(*events: dict[str, Any], end: str = "\n") -> bytes:
    lines = [f"event: {event['type']}{end}data: {json.dumps(event)}{end}{end}" for event in events]
    return "".join(lines).encode()


START = {
    "type": "message_start",
    "message": {
        "model": "claude-sonnet-4-6",
        "usage": {"input_tokens": 9, "cache_read_input_tokens": 5, "output_tokens": 1},
    },
}
TEXT = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * 400}}
END = {
    "type": "message_delta",
    "delta": {"stop_reason": "end_turn"},
    "usage": {"output_tokens": 77, "cache_creation_input_tokens": 3},
}
STOP = {"type": "message_stop"}
WHOLE = (START, TEXT, END, STOP)


def read(chunks: Iterable[bytes], *, streamed: bool = True) -> AnswerReader:
    reader = AnswerReader(streamed=streamed)
    for chunk in chunks:
        reader.take(chunk)
    reader.end()
    return reader


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stream_is_read_however_it_is_cut(size, end):
    raw = stream(*WHOLE, end=end)
    reader = read(raw[start : start + size] for start in range(0, len(raw), size))
    assert reader.is_whole
    assert (reader.model, reader.stop_reason) == ("claude-sonnet-4-6", "end_turn")
    assert reader.tokens(0) == Tokens(input=9, output=77, cache_read=5, cache_write=3)


def test_what_was_written_for_an_hour_is_told_apart():
    written = {"ephemeral_1h_input_tokens": 2, "ephemeral_5m_input_tokens": 1}
    usage = START["message"]["usage"] | {"cache_creation": written}
    start = START | {"message": START["message"] | {"usage": usage}}
    tokens = read([stream(start, TEXT, END, STOP)]).tokens(0)
    assert tokens is not None
    assert (tokens.cache_write, tokens.cache_write_1h) == (3, 2)


def test_a_stream_that_broke_off_was_billed_for_what_it_had_written():
    """The API had reported one token by then."""
    reader = read([stream(START, TEXT)])
    assert not reader.is_whole
    assert reader.tokens(0) == Tokens(input=9, output=100, cache_read=5)


def test_tool_calls_and_thinking_count_as_written():
    call = {"type": "input_json_delta", "partial_json": "y" * 40}
    thought = {"type": "thinking_delta", "thinking": "z" * 40}
    deltas = [{"type": "content_block_delta", "delta": delta} for delta in (call, thought)]
    tokens = read([stream(START, *deltas)]).tokens(0)
    assert tokens is not None
    assert tokens.output == 20


def test_an_answer_that_never_began_was_billed_for_nothing():
    assert read([b": ping\n\n"]).tokens(1_000) is None


def test_an_answer_that_reports_nothing_is_estimated_and_says_so():
    silent = {"type": "message_start", "message": {"model": "m"}}
    tokens = read([stream(silent, TEXT, STOP)]).tokens(4_000)
    assert tokens == Tokens(input=1_000, output=100, reported=False)


def test_an_answer_in_one_piece_is_read_at_its_end():
    message = {
        "type": "message",
        "model": "m",
        "stop_reason": "refusal",
        "usage": {"output_tokens": 4},
    }
    reader = read([json.dumps(message).encode()], streamed=False)
    assert (reader.is_whole, reader.stop_reason) == (True, "refusal")
    assert reader.tokens(0) == Tokens(output=4)


@pytest.mark.parametrize(
    "raw",
    [
        b"data: \n\ndata: []\n\ndata: {\n\ndata: 5\n\n",
        b'data: {"type": "message_start", "message": []}\n\n',
        b'data: {"type": "message_delta", "usage": {"output_tokens": "many"}, "delta": 3}\n\n',
        b'data: {"type": "content_block_delta", "delta": {"text": 9}}\n\n',
        b"\xff\xfe\x00data:\n",
    ],
)
def test_nonsense_raises_nothing(raw):
    assert not read([raw]).is_whole
    assert not read([raw], streamed=False).is_whole
