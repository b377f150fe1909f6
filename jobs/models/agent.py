"""The agent loop: ask the model, carry out its tool calls, until it is done or a limit is.

Our own loop over two vendor doors, because each end, each request's usage and each retry
has to be exact here: they decide whether a session is scored. It knows nothing of skills,
arms or judging, and raises nothing but `CancelledError`.
"""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime

from jobs.conversation import (
    ConversationEnd,
    ConversationSpec,
    EventKind,
    ToolOutcome,
    TranscriptEvent,
    TranscriptSink,
)
from jobs.errors import Refused, Transient
from jobs.models.door import Answer, Talk, TalkSpec, ToolCall, Trouble, TroubleKind
from jobs.models.doors import Doors
from jobs.models.pace import Pace
from jobs.models.retries import RetryPolicy
from jobs.models.tally import End, Room, Tally
from jobs.ports import Clock

log = logging.getLogger(__name__)

MOST_RETRIES = 100
"""Of one conversation, after which a provider that keeps refusing it is taken as down for it."""

_END_OF_TROUBLE: dict[TroubleKind, End] = {
    "rate_limited": "rate_limited",
    "stalled": "stalled",
    "error": "error",
    "context_full": "max_tokens",
}


def _now() -> datetime:
    return datetime.now(UTC)


class ModelAgent:
    """Converses with any configured provider's models; implements `Agent`."""

    def __init__(
        self, doors: Doors, *, retries: RetryPolicy | None = None, clock: Clock = _now
    ) -> None:
        self._doors = doors
        self._retries = retries or RetryPolicy()
        self._clock = clock

    async def converse(self, spec: ConversationSpec, transcript: TranscriptSink) -> ConversationEnd:
        """Converse until the model answers without a tool call or a limit is reached."""
        conversation = _Conversation(spec, transcript, self._retries, self._clock)
        return await conversation.run(self._doors)


class _Conversation:
    """One conversation under way."""

    def __init__(
        self, spec: ConversationSpec, sink: TranscriptSink, retries: RetryPolicy, clock: Clock
    ) -> None:
        self._spec = spec
        self._sink = sink
        self._policy = retries
        self._clock = clock
        self._tally = Tally(spec.model, spec.limits)
        self._last_text = ""
        self._trouble: Trouble | None = None
        """What the answer being waited for has failed with so far."""
        self._heard = False
        """Whether the model has ever sent anything."""
        self._scope: asyncio.Timeout | None = None
        """The time limit."""

    async def run(self, doors: Doors) -> ConversationEnd:
        spec = self._spec
        self._write("prompt", model=spec.model.sent, system=spec.system, prompt=spec.prompt)
        try:
            end, detail = await self._run_in_time(doors)
        except Trouble as trouble:
            end, detail = _END_OF_TROUBLE[trouble.kind], trouble.detail
        except Refused as refusal:  # not configured; the text is meant for people
            end, detail = "error", str(refusal)
        except Transient:
            end, detail = "error", "the sandbox of the session failed"
        except Exception:  # a defect of ours must not take the other arm with it
            log.exception("conversation_failed")
            end, detail = "error", "the agent loop failed; the log says why"
        self._write("end", end=end, detail=detail)
        return self._tally.end(end, detail, self._last_text)

    async def _run_in_time(self, doors: Doors) -> tuple[End, str]:
        wall_s = self._spec.limits.wall_s
        try:
            async with asyncio.timeout(wall_s) as self._scope:
                return await self._talk(doors)
        except TimeoutError:
            if self._scope is None or not self._scope.expired():
                raise
        # Time that ran out while the platform was failing is the platform's, not the agent's.
        if self._trouble:
            raise self._trouble
        if not self._heard:
            raise Trouble("stalled", f"the model sent nothing within {wall_s:g} s")
        return "timeout", f"the time limit of {wall_s:g} s was reached"

    async def _talk(self, doors: Doors) -> tuple[End, str]:
        spec = self._spec
        talk_spec = TalkSpec(
            model=spec.model.sent,
            system=spec.system,
            earlier=spec.earlier,
            prompt=spec.prompt,
            tools=spec.toolbox.tools if spec.toolbox else (),
            idle_s=spec.limits.idle_s,
            heard=self._hear,
            temperature=spec.temperature,
        )
        if too_long := self._tally.expect(_count_characters(talk_spec)):
            return too_long
        pace = doors.pace(spec.model.provider)
        async with doors.get(spec.model.provider).open(talk_spec) as talk:
            while True:
                answer, room = await self._answer(talk, pace)
                self._record(answer)
                if ended := _end_of(answer, room):
                    return ended
                if answer.calls:
                    # Also past a limit: the answer is paid for, and its writes are work.
                    talk.give_results([(call, await self._call(call)) for call in answer.calls])
                if reached := self._tally.limit_reached():
                    return reached

    async def _answer(self, talk: Talk, pace: Pace) -> tuple[Answer, Room]:
        """The next answer and the room it had; asked for again where the platform may recover."""
        attempt, stalls, answered = 1, 0, pace.answered
        while True:
            try:
                room = self._tally.find_room(self._spec.max_answer_tokens)
                with self._off_the_clock():
                    await pace.turn(self._tally.context_tokens)
                answer = await talk.answer(max_tokens=room.tokens)
            except Trouble as trouble:
                self._trouble = trouble
                if trouble.spent:
                    self._write("usage", **self._tally.spend(trouble.spent))
                stalls += trouble.kind == "stalled"
                wait_s = self._policy.wait_s(trouble, attempt, stalls)
                if wait_s is None or (trouble.spent and self._tally.limit_reached()):
                    raise
                self._tally.retries += 1
                self._write("retry", why=trouble.detail, attempt=attempt, wait_s=round(wait_s, 3))
                is_down = self._is_down(trouble, pace, answered)
                attempt, answered = (attempt + 1 if is_down else 1), pace.answered
                with nullcontext() if is_down else self._off_the_clock():
                    await asyncio.sleep(wait_s)
            else:
                pace.count_answer()
                self._trouble = None
                return answer, room

    def _is_down(self, trouble: Trouble, pace: Pace, answered: int) -> bool:
        """Whether a failure counts against the attempts.

        A provider that has answered others of ours since we last failed is asked too fast,
        and not down: that is our doing, and costs neither an attempt nor the agent's time.
        """
        if trouble.kind != "rate_limited":
            return True
        pace.slow_down(trouble.retry_after_s)
        return pace.answered == answered or self._tally.retries >= MOST_RETRIES

    @contextmanager
    def _off_the_clock(self) -> Iterator[None]:
        """Time in which we wait for our turn with the provider is not the agent's."""
        scope, now = self._scope, asyncio.get_running_loop().time
        if scope is None or (when := scope.when()) is None:
            yield
            return
        began = now()
        scope.reschedule(None)
        try:
            yield
        finally:
            scope.reschedule(when + now() - began)

    def _record(self, answer: Answer) -> None:
        self._tally.turn(answer.served_model)
        if answer.text:
            self._write("text", text=answer.text, model=answer.served_model)
        if answer.text.strip() and answer.stop != "refused":
            self._last_text = answer.text.strip()
        self._write("usage", **self._tally.spend(answer.tokens))

    async def _call(self, call: ToolCall) -> ToolOutcome:
        self._write("tool_call", id=call.id, name=call.name, arguments=call.arguments)
        toolbox = self._spec.toolbox
        if call.problem:
            outcome = ToolOutcome(f"{call.name} was not run: {call.problem}", failed=True)
        elif toolbox is None:
            outcome = ToolOutcome("there are no tools in this conversation", failed=True)
        else:
            outcome = await toolbox.call(call.name, call.arguments)
        self._tally.tool_call(failed=outcome.failed, text=outcome.text)
        self._write("tool_result", id=call.id, failed=outcome.failed, text=outcome.text)
        return outcome

    def _hear(self) -> None:
        self._heard = True

    def _write(self, kind: EventKind, **content: object) -> None:
        self._sink.write(TranscriptEvent(self._clock(), kind, content))


def _count_characters(spec: TalkSpec) -> int:
    """The length of what the first request sends."""
    texts = (spec.system, spec.prompt, *(text for turn in spec.earlier for text in turn))
    tools = (f"{tool.name}{tool.description}{json.dumps(tool.parameters)}" for tool in spec.tools)
    return sum(map(len, texts)) + sum(map(len, tools))


def _end_of(answer: Answer, room: Room) -> tuple[End, str] | None:
    """How an answer ends the conversation; None where it goes on.

    The calls of a cut answer are not carried out: the last of them is a torso.
    """
    match answer.stop:
        case "refused":
            return "refused", "the model refused"
        case "max_tokens":
            return room.ended_by
        case "context_full":
            return "max_tokens", "the conversation outgrew what the model can read"
        case "paused":
            return None
    return None if answer.calls else ("completed", "")
