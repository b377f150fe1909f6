"""What a run finds out: its sessions, readings and scores, and the record that outlives it."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, StringConstraints

from jobs.checks.verdict import MachineVerdict
from jobs.health.counts import Health
from jobs.health.manifest import Manifest
from jobs.leaks.assertion_class import AssertionLeak
from jobs.leaks.guess import Guess
from jobs.readings import JudgeAgreement, JudgePass, LostReading, ScrubCount
from jobs.requests import Value
from jobs.scores import ArmScore, AssertionScore, TrialResult
from jobs.sequential.stop import Stop
from jobs.values import Arm, RunSpec, SessionResult, Usage
from jobs.weak_evals.canary_check import CanaryCheck, OutputLengths

LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""Before every run: the end of one that does not say when it ended."""
SAME_SCORE = 1e-9
"""Scores are sums of quarters over a count, so anything smaller is rounding."""
MetWords = Annotated[str, StringConstraints(pattern=r"^[a-z_]{4,13}/[a-z_]{4,13}$")]
"""A person's word and the judge's on one assertion."""


class RunResult(Value):
    """Everything a finished run found out; the scores are None for an ungraded run."""

    spec: RunSpec
    started_at: datetime
    ended_at: datetime
    sessions: tuple[SessionResult, ...]
    passes: tuple[JudgePass, ...] = ()
    lost_readings: tuple[LostReading, ...] = ()
    candidate_1_is: Arm
    """The blind map of pass 1; pass 2 is swapped."""
    scrubbed: ScrubCount
    assertions: tuple[AssertionScore, ...] = ()
    with_skill: ArmScore | None = None
    without_skill: ArmScore | None = None
    ungraded_reason: str | None = None
    agreement: JudgeAgreement | None = None
    """How far the readings agree; None in older results and where none was read twice."""
    machine: tuple[MachineVerdict, ...] = ()
    """What code found of checks and plain assertions, trial after trial; empty in older results."""
    judging: str = ""
    """Id of the later judging that gave the scores; empty: they are the run's own."""
    trials: tuple[TrialResult, ...] = ()
    """Each trial by itself, where several were wanted; the scores above are then the means over
    all of them, and None where one has none."""
    stopped: Stop | None = None
    """Why there were no more trials, where they were added until it was sure; else None."""
    canaries: CanaryCheck | None = None
    """What the judge said of false answers to the eval case; None: nobody asked, or an older
    run."""
    leaks: tuple[AssertionLeak, ...] = ()
    """What each assertion tests, and where it stands word for word; empty in older results."""
    guess: Guess | None = None
    """Which output the guesser took for the one with the skill; None: not in the sample."""
    lengths: tuple[OutputLengths, ...] = ()
    """How much of both outputs the judge was shown, trial by trial; empty in older runs."""
    environment: tuple[str, ...] = ()
    """Name of the prepared environment and what pre-flight found in it; empty: the plain one."""
    lost_attempts: int = 0
    """Sessions and readings that were begun and ended with their worker, of this run."""
    lost_usd: Decimal = Decimal(0)
    """The most that those can have cost; what they did cost is known to nobody."""
    remarks: tuple[str, ...] = ()
    """What the reader must know: withheld files, price unknown, model mismatch."""
    manifest: Manifest | None = None
    """What it was expected to consist of; None in older results."""
    health: Health | None = None
    """What became of that; None in older results."""

    @property
    def graded(self) -> bool:
        return self.ungraded_reason is None

    @property
    def produced_nothing(self) -> bool:
        """Whether no session left a file or a last word, so that nothing could be compared."""
        return bool(self.sessions) and not any(one.outputs for one in self.sessions)

    @property
    def trials_wanted(self) -> int:
        """How many trials there were to be; until sure, those that there were until it stopped."""
        return len(self.trials) if self.stopped else self.spec.trials

    @property
    def whole_trials(self) -> tuple[TrialResult, ...]:
        """The trials with a score; none where only one was wanted."""
        return tuple(one for one in self.trials if one.difference is not None)

    @property
    def difference(self) -> float | None:
        """Score of the arm under test minus that of the other, as a fraction; None if ungraded."""
        if self.with_skill is None or self.without_skill is None:
            return None
        return self.with_skill.score - self.without_skill.score

    @property
    def reused(self) -> tuple[SessionResult, ...]:
        """The sessions without a skill that another run had paid for."""
        return tuple(session for session in self.sessions if session.reused_from)

    @property
    def usages(self) -> tuple[Usage, ...]:
        """What each session and each reading of this run used, lost ones included."""
        own = (session.usage for session in self.sessions if not session.reused_from)
        return (*own, *self.reading_usages)

    @property
    def reading_usages(self) -> tuple[Usage, ...]:
        """What each reading used, lost ones included."""
        return (
            *(reading.usage for reading in self.passes),
            *(reading.usage for reading in self.lost_readings),
        )

    @property
    def cost_usd(self) -> Decimal | None:
        """Sessions and judging together; None as soon as one part has no known price."""
        if any(usage.cost_usd is None for usage in self.usages):
            return None
        return self.known_cost_usd

    @property
    def known_cost_usd(self) -> Decimal:
        """The part of the cost whose price is known."""
        return sum((usage.cost_usd or Decimal(0) for usage in self.usages), Decimal(0))


class RunRecord(Value):
    """A finished run as the ledger and the marker know it: the dedup key, score and place."""

    run: str
    repo: str
    eval_id: str
    eval_digest: str
    skill: str
    skill_sha: str
    model: str
    """The id that was sent."""
    model_identity: str
    launcher: str
    mode: str
    vs: str
    environment: str
    trials: int
    judge: str
    judge_prompt: str = ""
    """Version of the scoring prompt: scores of two versions belong in two trends."""
    served: str = ""
    """Snapshot of the model that answered; empty in older records and where none was named."""
    judge_served: str = ""
    """The same of the judge."""
    model_asked: str = ""
    """The model as typed, beside the id it was resolved to."""
    score: dict[str, float] | None
    """Fractions by arm; None for an ungraded run, which is no duplicate of anything."""
    state: Literal["complete", "ungraded"]
    issue: int = 0
    """The issue it was asked on; 0 where there was none, and in older records."""
    pull: int = 0
    """The pull request whose head was measured, as long as it is known to be nothing but that;
    0: none."""
    commit: str = ""
    """The commit its skill was read from; empty in older records."""
    finished_at: datetime | None = None
    """None in older records, as are the three below."""
    tokens: dict[str, int] | None = None
    """All tokens of the sessions, by arm."""
    wall_s: dict[str, float] | None = None
    """Seconds that the sessions took, by arm."""
    cost_usd: float | None = None
    """Sessions and judging together; None, too, where a price is not known."""
    judging_usd: float | None = None
    """The part of it that the readings cost."""
    agreement: JudgeAgreement | None = None
    """How far the judge's readings agree; None where none was read twice."""
    people: dict[MetWords, NonNegativeInt] = Field(default_factory=dict)
    """What people said of its assertions against what the judge said: `pass/fail` is a person's
    pass and a judge's fail, `split` a judge whose readings differ."""
    baseline: tuple[str, ...] = ()
    """Ids of the runs whose sessions without a skill were used again, which cost nothing now."""
    baseline_usd: float | None = None
    """What the sessions of the other arm cost, whichever run paid; None: a price is not known."""
    saved_usd: float | None = None
    """The part of it that another run had paid."""
    fixture: str = ""
    """Digest of its input files, by which eval cases are one cluster; empty: none, or not known."""
    sure: bool = False
    """Whether eval cases were measured only until the set they are of was sure, by the rule that
    may look at any time."""
    stopped: Stop | None = None
    """Why it had no more trials, where they were added until it was sure; else None."""
    guess: bool | None = None
    """Whether the guesser named the output with the skill; None: it was not asked, or failed."""
    guesser: str = ""
    """Who guessed: the model as served, and the wording of the question; empty without a guess."""
    canary_passed: bool = False
    """Whether a false answer passes every assertion of its eval case, so that its score says
    nothing and counts nowhere."""
    should_load: bool = True
    """As the eval case says. Where it is False no score says whether the skill helps."""
    loaded: dict[str, int] | None = None
    """Sessions of the arm under test in which the skill was `loaded`, and `all` that count; None
    where the skill stood in the prompt, and in older records."""
    lost: dict[str, int] = Field(default_factory=dict)
    """Sessions that came to no output that counts, by arm; empty where there were none, and in
    older records."""
    invalid: bool = False
    """Whether it has no score because its arms cannot be compared."""
    url: str = ""
    """Address of the report comment; empty inside the marker itself."""

    @property
    def ended_at(self) -> datetime:
        """When it ended; `LONG_AGO` where an older record does not say."""
        return self.finished_at or LONG_AGO


def leave_out_pulls(records: Iterable[RunRecord], *, but: int = 0) -> list[RunRecord]:
    """What says how the default branch stands: all but runs of pull requests.

    `but` is the pull request in whose thread it is told, whose own runs belong there.
    """
    return [one for one in records if one.pull in {0, but}]
