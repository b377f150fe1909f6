"""The judge: one reading of both candidates in one order, by a conversation with a model.

What an answer lacks is asked for again, twice at most; an answer cut at its token limit is
continued in smaller parts with more room. A reading that stays incomplete is `Ungraded`
with its reason: no verdict is ever guessed. A candidate that left nothing fails every
assertion by rule, whatever a judge may say.
"""

import asyncio
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jobs.conversation import Agent, ToolBox, TranscriptSink
from jobs.errors import Transient
from jobs.judging.blind import CANDIDATE_NAMES, PassNumber
from jobs.judging.injections import find_injections
from jobs.judging.judge_tools import JudgeTools
from jobs.judging.prompt import PROMPT_VERSION, load_material
from jobs.judging.quotes import Quotations
from jobs.judging.reading import Incomplete, Reading
from jobs.readings import JudgePass, Verdict
from jobs.sandbox import Sandbox, SandboxMaker
from jobs.values import CandidateName, EvalCase, Limits, Model, Usage

_EVIDENCE_CHARACTERS = 1_000
_NOTHING_LEFT = "This candidate left nothing to judge."


@dataclass(frozen=True, slots=True)
class Ungraded:
    """A reading, or a run, that has no score because something broke."""

    reason: str
    """One sentence, safe to show."""
    usage: Usage
    raw_answers: tuple[str, ...]
    """What the judge wrote all the same, for the archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSpec:
    """Everything that one pass starts from."""

    number: PassNumber
    candidates: Path
    """The folder that `prepare_candidates` made for this pass. It becomes the judge's work
    folder and is used up by the reading."""
    case: EvalCase
    inputs: Path | None
    """The folder with the staged input files; only the case's own are copied, by alias."""
    judge: Model
    limits: Limits
    """They hold for the whole pass, however many answers it takes."""


class AgentJudge:
    """Reads candidates through the `Agent` port, with tools in a sandbox of its own."""

    def __init__(
        self,
        agent: Agent,
        sandboxes: SandboxMaker,
        make_tools: Callable[[Sandbox], ToolBox],
        *,
        memory_mb: int = 2048,
    ) -> None:
        self._agent = agent
        self._sandboxes = sandboxes
        self._make_tools = make_tools
        self._memory_mb = memory_mb

    @property
    def agent(self) -> Agent:
        """The door to the models, for what the judge is asked besides its readings."""
        return self._agent

    async def read(self, spec: ReadingSpec, transcript: TranscriptSink) -> JudgePass | Ungraded:
        """One pass over both candidates.

        Raises `Refused` where this machine has no sandbox of the kind that was named.
        """
        prepared = await asyncio.to_thread(_prepare, spec)
        reading = prepared.reading
        if reading.missing:
            try:
                async with self._sandboxes.open(
                    spec.candidates, memory_mb=self._memory_mb
                ) as sandbox:
                    tools = JudgeTools(self._make_tools(sandbox))
                    await reading.run(self._agent, tools, transcript)
            except (Incomplete, Transient) as problem:
                reason = str(problem) if isinstance(problem, Incomplete) else _NO_SANDBOX
                return Ungraded(reason, reading.usage, tuple(reading.raw_answers))
        return _make_pass(spec, prepared)


_NO_SANDBOX = "the judge's sandbox could not start"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is read from the candidates before a judge's commands could change them."""

    reading: Reading
    texts: Mapping[CandidateName, Quotations]
    injections: tuple[str, ...]


def _prepare(spec: ReadingSpec) -> _Prepared:
    _stage_inputs(spec)
    texts = {name: Quotations(spec.candidates / name) for name in CANDIDATE_NAMES}
    reading = Reading(
        case=spec.case,
        material=load_material(spec.case, spec.candidates),
        judge=spec.judge,
        limits=spec.limits,
        wanted=[
            (assertion.id, name)
            for assertion in spec.case.assertions
            for name in CANDIDATE_NAMES
            if not texts[name].is_empty
        ],
    )
    injections = tuple(
        line for name in CANDIDATE_NAMES for line in find_injections(spec.candidates / name, name)
    )
    return _Prepared(reading, texts, injections)


def _stage_inputs(spec: ReadingSpec) -> None:
    """Copy the case's input files to `input/` in the work folder, wherever they were staged."""
    if spec.inputs is None:
        return
    for item in spec.case.inputs:
        for source in (spec.inputs / item.alias, spec.inputs / PurePosixPath(item.alias).name):
            if source.is_file() and not source.is_symlink():
                target = spec.candidates / item.alias
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                break


def _make_pass(spec: ReadingSpec, prepared: _Prepared) -> JudgePass:
    reading = prepared.reading
    return JudgePass(
        number=spec.number,
        verdicts=tuple(
            _make_verdict(assertion.id, name, reading, prepared.texts[name])
            for assertion in spec.case.assertions
            for name in CANDIDATE_NAMES
        ),
        key_metrics=tuple(reading.key_metrics),
        observations=tuple(reading.observations),
        weak_assertions=tuple(dict.fromkeys(reading.weak_assertions)),
        injections=tuple(dict.fromkeys((*prepared.injections, *reading.injections))),
        usage=reading.usage,
        served_model=reading.served_model,
        asks=len(reading.raw_answers),
        raw_answers=tuple(reading.raw_answers),
        remarks=tuple(dict.fromkeys(reading.remarks)),
        prompt_version=PROMPT_VERSION,
    )


def _make_verdict(
    assertion: str, name: CandidateName, reading: Reading, texts: Quotations
) -> Verdict:
    """The verdict that was read, its quotation looked up; `fail` for an empty candidate."""
    read = reading.verdicts.get((assertion, name))
    if read is None:  # only pairs of an empty candidate are not wanted from the judge
        return Verdict(
            assertion=assertion,
            candidate=name,
            verdict="fail",
            evidence=_NOTHING_LEFT,
            quote_found=False,
            by_machine=True,
        )
    return Verdict(
        assertion=assertion,
        candidate=name,
        verdict=read.word,
        evidence=(read.quotation or read.reason)[:_EVIDENCE_CHARACTERS],
        quote_found=texts.has(read.quotation),
        reason=read.reason,
    )
