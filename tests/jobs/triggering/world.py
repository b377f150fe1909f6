"""A world in which skills fire by rule, so that what a search finds can be known beforehand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from jobs.conversation import ConversationEnd, ConversationSpec, TranscriptEvent, TranscriptSink
from jobs.triggering.eval_set import EvalSet, make_eval_set
from jobs.triggering.evaluation import Ask, Evaluator, Terms
from jobs.triggering.installed import Installed, Listed
from jobs.triggering.observations import Observation
from jobs.triggering.optimizer import Optimizer
from jobs.triggering.proposals import Proposer
from jobs.triggering.purse import Purse
from jobs.triggering.split import split_eval_set
from jobs.values import Limits, Model, Usage

MODEL = Model(asked="m", sent="m", identity="m", provider="anthropic")
LIMITS = Limits(
    wall_s=30, idle_s=10, turns=10, output_tokens=1_000, total_tokens=10_000, cost_usd=Decimal(1)
)
SPENT = Usage(requests=1, input_tokens=100, output_tokens=10, cost_usd=Decimal("0.01"))

Rule = Callable[[Ask], bool | None]
"""Whether the skill fires in a session; None: the session breaks."""


@dataclass(slots=True)
class RuledObserver:
    """Sessions by rule; remembers what it was asked."""

    rule: Rule
    asked: list[Ask] = field(default_factory=list)

    async def observe(self, ask: Ask) -> Observation:
        self.asked.append(ask)
        fired = self.rule(ask)
        return Observation(
            query_id=ask.query.id,
            number=ask.number,
            fired=fired,
            detail="" if fired is not None else "the stream broke off",
            usage=SPENT,
        )


@dataclass(slots=True)
class MemoryBlobs:
    """Implements `jobs.ports.BlobStore` in a dictionary."""

    kept: dict[str, bytes] = field(default_factory=dict)

    async def put(self, key: str, content: bytes | Path) -> None:
        assert isinstance(content, bytes)
        self.kept[key] = content

    async def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    async def exists(self, key: str) -> bool:
        return key in self.kept

    async def delete(self, key: str) -> None:
        self.kept.pop(key, None)


@dataclass(slots=True)
class Writer:
    """Answers with one text after the other; remembers what it was asked."""

    answers: Sequence[str]
    end: str = "completed"
    asked: list[ConversationSpec] = field(default_factory=list)

    async def converse(self, spec: ConversationSpec, _: TranscriptSink) -> ConversationEnd:
        self.asked.append(spec)
        return ConversationEnd.model_validate(
            {
                "end": self.end,
                "last_text": self.answers[len(self.asked) - 1],
                "turns": 1,
                "tool_calls": 0,
                "failed_tool_calls": 0,
                "retries": 0,
                "usage": SPENT,
                "served_models": ("m",),
            }
        )


class NoTranscript:
    def write(self, event: TranscriptEvent) -> None:
        pass


def make_set(positives: int, negatives: int) -> EvalSet:
    kinds = [True] * positives + [False] * negatives
    return make_eval_set(
        [(f"{'do' if kind else 'skip'} thing {n}", kind) for n, kind in enumerate(kinds)], "set"
    )


def install(description: str, folder: Path) -> Installed:
    return Installed(folder=folder, skill=Listed("pdf", description))


def make_evaluator(
    rule: Rule, blobs: MemoryBlobs | None = None, purse: Purse | None = None, **terms: int
) -> tuple[Evaluator, RuledObserver]:
    observer = RuledObserver(rule)
    evaluator = Evaluator(
        observer=observer,
        terms=Terms(model=MODEL, limits=LIMITS, **terms),  # type: ignore[arg-type]
        blobs=blobs or MemoryBlobs(),
        prefix="triggering/abc",
        purse=purse or Purse(usd=Decimal(1_000), tokens=1_000_000),
    )
    return evaluator, observer


def make_optimizer(
    evaluator: Evaluator, writer: Writer, eval_set: EvalSet, scratch: Path, **more: int
) -> Optimizer:
    return Optimizer(
        evaluator=evaluator,
        proposer=Proposer(
            agent=writer, model=MODEL, limits=LIMITS, skill_name="pdf", skill_text="How to."
        ),
        install=install,
        scratch=scratch,
        split=split_eval_set(eval_set),
        holdout=0.4,
        **more,
    )
