"""The transcript: one event a line, whole on disk at once, never without end."""

import json
import os
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from jobs.conversation import EventKind, TranscriptEvent
from jobs.sessions.transcript import MAX_TEXT, JsonlTranscript, read_spent

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def event(kind: EventKind = "text", **content: object) -> TranscriptEvent:
    return TranscriptEvent(NOON, kind, content)


def lines(path: Path) -> list[dict[str, object]]:
    text = path.read_text(encoding="ascii")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_every_event_is_one_line_and_on_disk_at_once(tmp_path):
    path = tmp_path / "t.jsonl"
    with JsonlTranscript(path) as transcript:
        transcript.write(event(text="a\nb\u2028 ü"))
        assert lines(path) == [
            {"at": "2026-03-01T12:00:00+00:00", "kind": "text", "content": {"text": "a\nb\u2028 ü"}}
        ]
        transcript.write(event("tool_call", name="Bash", arguments={"command": "ls"}))
        assert len(lines(path)) == 2
    assert not transcript.truncated
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "value", ["\ud800", NOON, {1: {2, 3}}, b"bytes", float("inf"), ("a", ["b"])]
)
def test_no_content_is_too_odd_to_be_written(tmp_path, value):
    path = tmp_path / "t.jsonl"
    with JsonlTranscript(path) as transcript:
        transcript.write(event(value=value))
    assert len(lines(path)) == 1


def test_a_long_text_is_cut_wherever_it_stands(tmp_path):
    path = tmp_path / "t.jsonl"
    with JsonlTranscript(path) as transcript:
        transcript.write(event(parts=[{"text": "x" * (MAX_TEXT + 7)}]))
    assert transcript.truncated
    assert path.stat().st_size < MAX_TEXT + 500
    assert "[…7 characters left out]" in str(lines(path))


def test_past_the_cap_only_the_end_is_still_written(tmp_path):
    path = tmp_path / "t.jsonl"
    with JsonlTranscript(path, max_bytes=20_000) as transcript:
        for number in range(1_000):
            transcript.write(event(number=number, text="x" * 500))
        assert transcript.truncated
        transcript.write(event("end", end="completed"))
    written = lines(path)
    assert path.stat().st_size <= 20_000
    assert [line["content"]["number"] for line in written[:-1]] == list(range(len(written) - 1))
    assert written[-1]["content"] == {"end": "completed"}


def test_an_end_that_is_itself_too_long_is_written_without_its_content(tmp_path):
    path = tmp_path / "t.jsonl"
    with JsonlTranscript(path, max_bytes=10_000) as transcript:
        transcript.write(event("end", last="x" * 50_000))
    assert lines(path)[-1]["kind"] == "end"
    assert transcript.truncated


def test_after_a_crash_within_a_line_the_next_line_is_whole(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"at": "half a li')
    with JsonlTranscript(path) as transcript:
        transcript.write(event(text="next"))
    assert json.loads(path.read_text().split("\n")[1])["content"] == {"text": "next"}


def test_closing_twice_is_once(tmp_path):
    transcript = JsonlTranscript(tmp_path / "t.jsonl")
    transcript.close()
    descriptor = os.open(tmp_path / "other", os.O_CREAT)
    transcript.close()
    os.close(descriptor)  # would fail, had the second closing hit it


def test_what_a_stopped_session_has_spent_is_the_sum_of_its_requests(tmp_path):
    """A model's words and arguments are no requests, and unknown prices no money."""
    path = tmp_path / "t.jsonl"
    with JsonlTranscript(path) as transcript:
        transcript.write(event("usage", cost_usd="0.125"))
        transcript.write(event(text='{"kind": "usage", "content": {"cost_usd": "1000"}}'))
        transcript.write(event("tool_call", arguments={"kind": "usage"}, cost_usd="1000"))
        transcript.write(event("usage", cost_usd=None))
        transcript.write(event("usage", cost_usd="0.5"))
    with path.open("ab") as file:
        file.write(b'{"at": "2026", "kind": "usage", "content": {"cost_')
    assert read_spent(path) == Decimal("0.625")


def test_a_session_that_never_began_has_spent_nothing(tmp_path):
    assert read_spent(tmp_path / "none.jsonl") == 0
