"""What is told of a session is what its transcript counts up to, and no word of it."""

from decimal import Decimal
from pathlib import Path

import pytest

from jobs.conversation import EventKind, TranscriptEvent
from jobs.errors import Gone, Refused, Transient
from jobs.live_counting import (
    LONGEST_NAME,
    MOST_TOOLS,
    OTHER_TOOLS,
    SessionCounter,
    begin_arm,
    begin_reading,
    read_ended,
)
from jobs.live_sessions import LiveHead, LiveMove, LiveSession, told_live
from jobs.reading_keys import ReadingKey
from jobs.sessions.transcript import JsonlTranscript, Overheard
from jobs.values import Arm
from tests.builders import NOON, a_run_spec, a_session, some_limits

RUN = "0123456789ab"


class Noted:
    """Somebody who looks on."""

    def __init__(self) -> None:
        self.told: list[LiveSession] = []
        self.moves: list[tuple[str, str]] = []
        self.begun: list[str] = []

    def begin(self, head: LiveHead) -> None:
        self.begun.append(head.run)

    def move(self, _: str, move: LiveMove) -> None:
        self.moves.append((move.state, move.detail))

    def show(self, _: str, session: LiveSession) -> None:
        self.told.append(session)

    @property
    def last(self) -> LiveSession:
        return self.told[-1]


def an_event(kind: EventKind, **content: object) -> TranscriptEvent:
    return TranscriptEvent(NOON, kind, content)


def a_usage(cost: str | None = "0.01") -> TranscriptEvent:
    return an_event("usage", input_tokens=100, output_tokens=20, cache_read_tokens=5, cost_usd=cost)


def a_call(name: object = "Bash") -> TranscriptEvent:
    return an_event("tool_call", id="1", name=name, arguments={"command": "a secret"})


def counting(noted: Noted, *, reading: bool = False) -> SessionCounter:
    spec = a_run_spec()
    begun = (
        begin_reading(ReadingKey(2, 1), spec.judge, NOON)
        if reading
        else begin_arm(Arm.WITH_SKILL, 1, some_limits(), NOON)
    )
    return SessionCounter(RUN, begun, noted, lambda: NOON)


def test_turns_tools_tokens_and_cost_are_told_as_they_come() -> None:
    counter = counting(noted := Noted())
    assert (noted.last.turns, noted.last.usage.cost_usd) == (0, Decimal(0))
    for event in (an_event("prompt"), an_event("text", text="a secret"), a_usage(), a_call()):
        counter.take(event)
    assert noted.last.turns == 1
    assert noted.last.doing == "Bash"
    assert noted.last.tools == {"Bash": 1}
    counter.take(an_event("tool_result", id="1", failed=True, text="a secret"))
    counter.take(a_usage())
    assert (noted.last.doing, noted.last.failed_tool_calls) == ("", 1)
    assert noted.last.turns == 2
    assert noted.last.usage.total_tokens == 250
    assert noted.last.usage.cost_usd == Decimal("0.02")
    assert "secret" not in "".join(one.model_dump_json() for one in noted.told)


def test_an_answer_that_broke_off_is_paid_for_and_is_no_turn() -> None:
    counter = counting(noted := Noted())
    for event in (a_usage(), an_event("retry", why="stalled", attempt=1), a_usage()):
        counter.take(event)
    assert (noted.last.turns, noted.last.retries) == (1, 1)
    assert noted.last.usage.cost_usd == Decimal("0.02")


def test_another_attempt_begins_anew_with_what_was_spent() -> None:
    counter = counting(noted := Noted())
    for event in (an_event("prompt"), a_usage(), a_call(), an_event("prompt")):
        counter.take(event)
    assert (noted.last.turns, noted.last.tools, noted.last.doing) == (0, {}, "")
    assert noted.last.usage.cost_usd == Decimal("0.01")


def test_a_judge_that_is_asked_again_is_in_the_same_reading() -> None:
    counter = counting(noted := Noted(), reading=True)
    for event in (an_event("prompt"), a_usage(), an_event("prompt"), a_usage()):
        counter.take(event)
    assert noted.last.turns == 2
    counter.end("read")
    assert (noted.last.end, noted.last.ended_at) == ("read", NOON)


def test_a_price_that_is_not_known_is_not_zero() -> None:
    counter = counting(noted := Noted())
    for cost in ("0.01", None, "0.01"):
        counter.take(a_usage(cost))
    assert noted.last.usage.cost_usd is None


def test_names_that_a_model_makes_up_are_few_short_and_printable() -> None:
    counter = counting(noted := Noted())
    counter.take(a_call("x" * 5_000 + "\u202e\n"))
    assert list(noted.last.tools) == ["x" * LONGEST_NAME]
    for number in range(500):
        counter.take(a_call(f"made up {number}"))
    assert len(noted.last.tools) == MOST_TOOLS + 1
    assert noted.last.tool_calls == 501
    assert noted.last.tools[OTHER_TOOLS] == 501 - MOST_TOOLS
    for odd in (None, 5, "", "\u202e\x00", ["Bash"]):
        counter.take(a_call(odd))
    assert noted.last.tools[OTHER_TOOLS] == 506 - MOST_TOOLS
    assert len(noted.last.model_dump_json()) < 3_000


@pytest.mark.parametrize("content", [{}, {"name": {}}, {"input_tokens": "many", "cost_usd": []}])
def test_what_makes_no_sense_ends_nothing(content: dict[str, object]) -> None:
    counter = counting(noted := Noted())
    kinds: tuple[EventKind, ...] = (
        "prompt", "text", "tool_call", "tool_result", "retry", "usage", "end",
    )  # fmt: skip
    for kind in kinds:
        counter.take(TranscriptEvent(NOON, kind, content))
    assert noted.last.turns == 1


def test_a_session_that_had_ended_is_told_with_the_tools_of_its_last_attempt(
    tmp_path: Path,
) -> None:
    path = tmp_path / "transcript.jsonl"
    heard: list[TranscriptEvent] = []
    with JsonlTranscript(path) as transcript:
        sink = Overheard(transcript, heard.append)
        for event in (an_event("prompt"), a_call("Glob"), an_event("prompt"), a_call(), a_call()):
            sink.write(event)
    assert [one.kind for one in heard] == [
        "prompt",
        "tool_call",
        "prompt",
        "tool_call",
        "tool_call",
    ]
    session = a_session(arm=Arm.WITHOUT_SKILL, turns=3, reused_from="f" * 12)
    told = read_ended(session, 2, path)
    assert told.tools == {"Bash": 2}
    assert (told.step, told.turns, told.end) == ("without_skill-2", 3, session.end)
    assert told.is_reused
    assert read_ended(session, 2, tmp_path / "none").tools == {}


@pytest.mark.parametrize(
    ("trouble", "last"),
    [
        (None, ("ended", "")),
        (Refused("no such tool"), ("refused", "no such tool")),
        (Transient("GitHub is away"), ("stopped", "")),
        (Gone("no issue"), ("stopped", "")),
        (ValueError("a secret"), ("failed", "")),
    ],
)
def test_however_a_run_ends_is_told_without_what_is_nobodys_business(
    trouble: Exception | None, last: tuple[str, str]
) -> None:
    noted, spec = Noted(), a_run_spec()

    def carry_out() -> None:
        with told_live(spec, noted, lambda: NOON):
            if trouble is not None:
                raise trouble

    if trouble is None:
        carry_out()
    else:
        with pytest.raises(type(trouble)):
            carry_out()
    assert noted.begun == [spec.run_id]
    assert noted.moves == [("preparing", ""), last]
