"""What a session has been heard saying so far: counts, the last words, what is still open.

Takes events one by one, keeps what the end of a session is judged by, and writes the
transcript in the same words as the other launcher. It judges nothing itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from jobs.claude_code.events import (
    Call,
    Event,
    RefusedByModel,
    Result,
    Retrying,
    Said,
    Started,
    ToolAnswer,
    Unreadable,
)
from jobs.conversation import EventKind, TranscriptEvent, TranscriptSink
from jobs.models.door import Tokens
from jobs.models.tally import Tally
from jobs.ports import Clock

MAX_NOTED = 5
"""Unreadable lines that are kept word for word; the others are counted."""


@dataclass(slots=True, kw_only=True)
class Heard:
    """One session, as far as it has come."""

    tally: Tally
    """Counts tool calls and retries here; what a session used is counted elsewhere."""
    sink: TranscriptSink
    clock: Clock
    reads_skill: Callable[[Call, str], bool]
    """Whether a call that worked, with this answer, has read the skill."""
    started: Started | None = None
    result: Result | None = None
    retrying: Retrying | None = None
    """The API's last failure, as long as nothing has come after it."""
    trouble: str = ""
    """Claude Code's word for the error that it told last; empty once the model spoke again."""
    refused: bool = False
    last_text: str = ""
    """The last words of the model itself, in the main conversation."""
    last_stop: str = ""
    skill_read: bool = False
    open_calls: dict[str, Call] = field(default_factory=dict)
    messages: dict[str, Said] = field(default_factory=dict)
    """The latest part of every message of the model, by its id."""
    unreadable: int = 0
    noted: list[str] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Take the next event."""
        if not isinstance(event, Unreadable | Result):
            self.retrying = None
        match event:
            case Started():
                self.started = event
            case Said():
                self._take_words(event)
            case ToolAnswer():
                self._take_answer(event)
            case Retrying():
                self._take_retry(event)
            case RefusedByModel():
                self.refused = True
            case Result():
                self.result = event
            case Unreadable(text=text):
                self.unreadable += 1
                if len(self.noted) < MAX_NOTED:
                    self.noted.append(text)

    def count_messages(self) -> None:
        """Count turns and usage from the messages themselves, once for each message id.

        For a session whose requests nobody else has counted.
        """
        for message in self.messages.values():
            self.tally.turn(message.model)
            self.tally.spend(message.tokens or Tokens(reported=False))

    def write(self, kind: EventKind, **content: object) -> None:
        """Write to the transcript."""
        self.sink.write(TranscriptEvent(self.clock(), kind, content))

    def _take_words(self, said: Said) -> None:
        if said.is_synthetic:
            self.trouble = said.trouble or self.trouble
            self.last_stop = said.stop_reason or self.last_stop
            self.write("text", text=said.text, model=said.model)
            return
        # parts without an id of their own are messages of their own
        self.messages[said.message_id or f"part {len(self.messages)}"] = said
        self.trouble, self.last_stop = "", said.stop_reason
        if said.text:
            self.write("text", text=said.text, model=said.model)
        if said.text.strip() and not said.in_subagent:
            self.last_text = said.text.strip()
        for call in said.calls:
            self.open_calls[call.id] = call
            self.write("tool_call", id=call.id, name=call.name, arguments=call.arguments)

    def _take_answer(self, answer: ToolAnswer) -> None:
        call = self.open_calls.pop(answer.call_id, None)
        self.tally.tool_call(failed=answer.failed, text=answer.text)
        if call and not answer.failed and self.reads_skill(call, answer.text):
            self.skill_read = True
        self.write("tool_result", id=answer.call_id, failed=answer.failed, text=answer.text)

    def _take_retry(self, retry: Retrying) -> None:
        self.retrying = retry
        self.tally.retries += 1
        why = f"the model API answered {retry.status}" if retry.status else "no answer came"
        self.write("retry", why=why, attempt=retry.attempt, wait_s=round(retry.wait_s, 3))
