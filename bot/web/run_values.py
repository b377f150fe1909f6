"""What is shown of one run: plain values, the same on its page and in the API.

Texts are as models and people wrote them, and are escaped where they are shown. Scores and
differences are fractions, money is USD, times are UTC. None means not measured, or not known.
"""

from datetime import datetime
from typing import Literal

from jobs.dashboard.values import RunRow, RunState
from jobs.leaks.assertion_class import AssertionClass
from jobs.reporting.conclusion import Word
from jobs.requests import Value
from jobs.values import Arm, OutputFile, SessionEnd, VerdictWord

KeptWhere = Literal["store", "archive", "nowhere"]


class Remark(Value):
    """A sentence that a reader must know, and how it is meant."""

    kind: Literal["warning", "good", "note"]
    text: str


class ScoreLine(Value):
    """A line of the scorecard, for the arm under test and the other one, as it is shown."""

    name: str
    tested: str
    other: str


class SessionView(Value):
    """A session of one arm."""

    arm: Arm
    trial: int
    end: SessionEnd
    is_scored: bool
    detail: str
    """One sentence on a bad end."""
    started_at: datetime
    wall_s: float
    turns: int
    tool_calls: int
    failed_tool_calls: int
    retries: int
    tokens: int
    cost_usd: float | None
    is_loaded: bool | None
    """Whether the skill was; None for the arm without one."""
    reused_from: str
    """Id of the run that paid for it; empty: this one."""
    outputs: tuple[OutputFile, ...]
    left_out: tuple[str, ...]
    """What was not collected, each with its reason."""


class Said(Value):
    """A verdict on one output, by a reading of the judge, by code or by a person."""

    verdict: VerdictWord
    evidence: str
    reason: str
    by: Literal["judge", "code", "person"]
    name: str = ""
    """Which reading it was, or the login of the person."""
    is_quote: bool = False
    """Whether code found the evidence in the output, word for word."""
    is_unproven: bool = False
    """Whether it gives credit for evidence that code did not find there."""
    judge_said: VerdictWord | None = None
    """What the judge had said where code decided, or a person did."""


class AssertionView(Value):
    """An assertion and what was said of both outputs."""

    id: str
    text: str
    group: str
    """Title of the group it stands under; may be empty."""
    kind: AssertionClass | None = None
    """What it tests; None in older results."""
    gain: float = 0.0
    """By how much it is better met in the arm under test, from -1 to 1."""
    is_split: bool = False
    """Whether the readings differ on an output."""
    is_machine: bool = False
    """Whether code decided it."""
    is_unverified: bool = False
    """Whether nobody could verify it, so that it counts for neither."""
    tested: tuple[Said, ...] = ()
    other: tuple[Said, ...] = ()
    """Nothing, both, where the trial has no score."""
    in_trials: tuple[str, str] = ("", "")
    """How often each verdict was given over all trials, by arm; empty in a run of one."""
    people: tuple[tuple[Arm, Said], ...] = ()
    """What people said, by arm; it changes no score."""


class Finding(Value):
    """What code found for one output."""

    verdict: Literal["pass", "fail"] | None
    """None: not measured, or left to the judge."""
    found: str
    output: str = ""
    """What a check's command printed, the end of it."""


class MachineView(Value):
    """A check, or an assertion that code looked at."""

    id: str
    what: str
    """The check's name and command, or the assertion's text."""
    is_check: bool
    tested: Finding | None = None
    other: Finding | None = None


class TrialView(Value):
    """One of several trials."""

    number: int
    tested: float | None
    other: float | None
    difference: float | None
    why_not: str = ""
    """Why it has no score."""


class PassView(Value):
    """One reading of both outputs, unblinded."""

    judge: int
    number: int
    model: str
    first: Arm
    """The arm that stood first."""
    verdicts: dict[str, tuple[VerdictWord | None, VerdictWord | None]]
    """By assertion: of the arm under test, of the other; None where it said nothing."""
    answers: int
    tokens: int
    cost_usd: float | None
    notes: tuple[str, ...]
    """What the judge observed, and what was odd about its answers."""


class LostPass(Value):
    """A reading that gave no verdicts."""

    judge: int
    number: int
    reason: str


class RunDetails(Value):
    """Everything on the page of a run that has ended, but for the contents of its files."""

    row: RunRow
    name: str
    """The skill's name."""
    state: RunState
    headline: str
    """What was found, in a sentence."""
    word: Word | None = None
    """The conclusion; None without a score, and where only the record is left."""
    conclusion: str = ""
    """The counts behind it."""
    to_do: str = ""
    """Whether whoever reads it must act, and how."""
    why_ungraded: str = ""
    remarks: tuple[Remark, ...] = ()
    arms: tuple[Arm, Arm]
    """The one under test first."""
    titles: tuple[str, str]
    """What both are called."""
    scorecard: tuple[ScoreLine, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()
    """What ran, and how: names and values."""
    trial: int = 1
    """The trial that assertions, sessions and passes are of."""
    trials: tuple[TrialView, ...] = ()
    """All of them; empty where one was wanted."""
    assertions: tuple[AssertionView, ...] = ()
    machine: tuple[MachineView, ...] = ()
    """What code found of checks and plain assertions."""
    sessions: tuple[SessionView, ...] = ()
    passes: tuple[PassView, ...] = ()
    lost_passes: tuple[LostPass, ...] = ()
    prompt: str = ""
    """What both sessions were asked."""
    kept: KeptWhere = "nowhere"
    """What the details are read from; nowhere: only the record is left."""
    has_files: bool = False
    """Whether outputs and transcripts are kept."""
    started_at: datetime | None = None
