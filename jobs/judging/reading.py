"""The course of one reading: ask, read the answer, ask for what is missing, stop in time.

Three kinds of trouble are kept apart. An answer that lacks or garbles something costs one
of two repairs. An answer cut at its token limit that still brought verdicts costs nothing
but leads to a smaller next part with more room. A refusal, a failing platform or a used-up
limit ends the reading.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from jobs.conversation import Agent, ConversationEnd, ConversationSpec, ToolBox, TranscriptSink
from jobs.judging.answers import Answer, ReadVerdict, VerdictKey, parse_answer
from jobs.judging.prompt import SYSTEM, TEMPERATURE, render_follow_up, render_scoring_prompt
from jobs.readings import KeyMetric
from jobs.values import EvalCase, Limits, Model, Usage

_MOST_REPAIRS = 2
_FIRST_ROOM = 16_000
"""Tokens of the first answer: 80 verdicts with evidence take about 10,000."""
_MOST_ROOM = 64_000
_FIRST_PART = 80
"""Verdicts asked for at once."""
_MOST_PARTS = 12
"""Bounds a reading whose every answer is cut: 12 parts of a dozen verdicts."""

_PLATFORM_FAILED = {
    "rate_limited": "the judge's provider kept refusing requests for their rate",
    "stalled": "the judge's model stopped sending",
    "error": "the judge's model could not be reached",
}
_LIMIT_REACHED = {
    "timeout": "the judge reached its time limit",
    "max_cost": "the judge reached its cost or token limit",
    "max_turns": "the judge used up its turns",
}


class Incomplete(Exception):  # noqa: N818 -- an outcome; never leaves this package
    """The reading ended without all verdicts; the message says why, safe to show."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """What has been read so far in one pass."""

    case: EvalCase
    material: str
    """What `jobs.judging.prompt.load_material` gave."""
    judge: Model
    limits: Limits
    wanted: list[VerdictKey]
    verdicts: dict[VerdictKey, ReadVerdict] = field(default_factory=dict)
    key_metrics: list[KeyMetric] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    weak_assertions: list[str] = field(default_factory=list)
    injections: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    raw_answers: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=lambda: Usage(cost_usd=Decimal(0)))
    served_model: str = ""
    _started: float = field(default_factory=time.monotonic)
    _turns: int = 0
    _earlier: list[tuple[str, str]] = field(default_factory=list)

    @property
    def missing(self) -> list[VerdictKey]:
        """The verdicts that are wanted and not read yet."""
        return [key for key in self.wanted if key not in self.verdicts]

    async def run(self, agent: Agent, tools: ToolBox, transcript: TranscriptSink) -> None:
        """Ask until nothing is missing. Raises `Incomplete` when that cannot be reached."""
        room, part, repairs, cuts = _FIRST_ROOM, _FIRST_PART, 0, 0
        answer, cut = Answer(), False
        for _ in range(_MOST_PARTS + _MOST_REPAIRS + len(self.wanted) // _FIRST_PART):
            asked = self.missing[:part]
            prompt = self._make_prompt(asked, answer.remarks, cut=cut)
            end = await self._ask(agent, tools, transcript, prompt, room)
            answer, cut = parse_answer(end.last_text, self.case.assertions), end.end == "max_tokens"
            read = self._take(answer, asked)
            if not self.missing:
                return
            self._stop_if_ended(end)
            complete = all(key in self.verdicts for key in asked)
            if cut:
                cuts += 1
                room = min(2 * room, _MOST_ROOM)
                part = max(2, read or len(asked) // 2)
            elif not complete:
                self._note_unread(asked, answer)
            if not complete and not (cut and read):
                repairs += 1
            if repairs > _MOST_REPAIRS:
                break
        raise Incomplete(self._describe_missing(cuts))

    def _make_prompt(
        self, asked: Sequence[VerdictKey], remarks: Sequence[str], *, cut: bool
    ) -> str:
        """The whole prompt until there is an answer to refer to, then only what is missing."""
        if not self._earlier:
            return render_scoring_prompt(self.material, asked)
        return render_follow_up(asked, remarks, cut=cut)

    async def _ask(
        self,
        agent: Agent,
        tools: ToolBox,
        transcript: TranscriptSink,
        prompt: str,
        room: int,
    ) -> ConversationEnd:
        limits = self._get_limits_left()
        end = await agent.converse(
            ConversationSpec(
                model=self.judge,
                system=SYSTEM,
                prompt=prompt,
                toolbox=tools,
                limits=limits,
                max_answer_tokens=min(room, limits.output_tokens),
                earlier=tuple(self._earlier),
                temperature=TEMPERATURE,
            ),
            transcript,
        )
        self.raw_answers.append(end.last_text)
        self.usage = add_usage(self.usage, end.usage)
        self.served_model = end.served_models[-1] if end.served_models else self.served_model
        self._turns += end.turns
        if end.last_text.strip():
            self._earlier.append((prompt, end.last_text))
        return end

    def _take(self, answer: Answer, asked: Sequence[VerdictKey]) -> int:
        """Keep what was asked for; gives how many verdicts that were."""
        new = {key: answer.verdicts[key] for key in asked if key in answer.verdicts}
        self.verdicts.update(new)
        self.key_metrics = self.key_metrics or answer.key_metrics
        self.observations = self.observations or answer.observations
        self.weak_assertions += answer.weak_assertions
        self.injections += answer.injections
        self.remarks += answer.remarks
        return len(new)

    def _note_unread(self, asked: Sequence[VerdictKey], answer: Answer) -> None:
        if not answer.verdicts and not answer.remarks:
            self.remarks.append("an answer of the judge could not be read")
            return
        absent = [f"{key[0]} for {key[1]}" for key in asked if key not in self.verdicts]
        self.remarks.append(f"asked again for {_enumerate(absent)}")

    def _get_limits_left(self) -> Limits:
        """What is left of the pass's limits. Raises `Incomplete` where one is used up."""
        limits, used = self.limits, self.usage
        cost = limits.cost_usd - (used.cost_usd or Decimal(0))
        wall_s = limits.wall_s - (time.monotonic() - self._started)
        turns = limits.turns - self._turns
        output = limits.output_tokens - used.output_tokens
        total = limits.total_tokens - used.total_tokens
        if wall_s <= 0:
            raise Incomplete(_LIMIT_REACHED["timeout"])
        if turns <= 0:
            raise Incomplete(_LIMIT_REACHED["max_turns"])
        if output <= 0 or total <= 0 or cost <= 0:
            raise Incomplete(_LIMIT_REACHED["max_cost"])
        return Limits(
            wall_s=wall_s,
            idle_s=limits.idle_s,
            turns=turns,
            output_tokens=output,
            total_tokens=total,
            cost_usd=cost,
        )

    def _stop_if_ended(self, end: ConversationEnd) -> None:
        """Raises `Incomplete` for an end after which asking again is of no use."""
        if end.end == "refused":
            raise Incomplete("the judge declined to answer")
        if end.end in _PLATFORM_FAILED:
            detail = f" ({end.detail})" if end.detail else ""
            raise Incomplete(f"{_PLATFORM_FAILED[end.end]}{detail}")
        if end.end in _LIMIT_REACHED:
            raise Incomplete(_LIMIT_REACHED[end.end])

    def _describe_missing(self, cuts: int) -> str:
        missing, wanted = len(self.missing), len(self.wanted)
        if cuts:
            return (
                f"{cuts} of {len(self.raw_answers)} answers of the judge were cut at their token "
                f"limit and {missing} of {wanted} verdicts are missing"
            )
        if missing == wanted:
            return f"the judge gave no readable answer in {len(self.raw_answers)} tries"
        absent = list(dict.fromkeys(key[0] for key in self.missing))
        return (
            f"the judge left {missing} of {wanted} verdicts unread in "
            f"{len(self.raw_answers)} answers: {_enumerate(absent)}"
        )


def add_usage(first: Usage, second: Usage) -> Usage:
    """The sum of two usages; its cost is unknown as soon as requests of unknown price are in."""
    costs = [
        usage.cost_usd for usage in (first, second) if usage.requests or usage.cost_usd is not None
    ]
    known = [cost for cost in costs if cost is not None]
    return Usage(
        requests=first.requests + second.requests,
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        cache_read_tokens=first.cache_read_tokens + second.cache_read_tokens,
        cache_write_tokens=first.cache_write_tokens + second.cache_write_tokens,
        cost_usd=sum(known, Decimal(0)) if len(known) == len(costs) else None,
    )


def _enumerate(names: Sequence[str]) -> str:
    """At most eight names, then how many more."""
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
