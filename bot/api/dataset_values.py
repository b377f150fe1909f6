"""What the API tells of runs of datasets: the same as their pages, as numbers."""

from datetime import datetime
from typing import Literal

from pydantic import RootModel

from jobs.datasets.grades import Outcome
from jobs.datasets.live import LiveCase
from jobs.datasets.results import CaseResult, Trouble
from jobs.requests import Value

DatasetRunState = Literal[
    "waiting", "running", "complete", "cancelled", "out_of_money", "failed", "refused"
]


class Reach(Value):
    """A 95% interval, both ends included."""

    low: float
    high: float


class DatasetRun(Value):
    """A run of a dataset. A count is null where it is not known."""

    run: str
    benchmark: str
    dataset: str
    target: str
    """What answers; empty: the benchmark's own, until the run is planned."""
    asker: str
    """Empty: the command line."""
    started_at: datetime
    """When it was asked for, until it is planned."""
    state: DatasetRunState
    """`waiting` until a worker has planned it; `refused` where none will."""
    total: int | None
    """Cases that were selected."""
    done: int | None
    graded: int | None
    passed: int | None
    failed: int | None
    ungraded: int | None
    average: float | None
    """Mean score of the graded cases."""
    pass_rate: float | None
    """Passes among passes and fails."""
    cost_usd: float | None
    is_cost_partial: bool
    """Whether more was spent than is known."""


class DatasetRunPart(Value):
    """A part of the runs of datasets, newest first."""

    rows: tuple[DatasetRun, ...]
    next: str = ""
    """What to ask for the part after it by; empty: there is none."""


class RunSetup(Value):
    """How a run was planned."""

    source: str
    """Where the dataset was read from."""
    sha256: str
    """Of the dataset's file."""
    fields: dict[str, str]
    """Fields of the target as typed."""
    parallel: int
    """Cases in flight; 0: as many as the provider lets through."""
    judge: str
    """As asked for; empty: each case's own, else the configured one."""
    user_model: str
    """The same of who plays the user."""
    max_usd: float | None
    again_of: str
    """The run whose graded cases were taken over; empty: there is none."""


class TagFigures(Value):
    """What the cases of one tag came to."""

    tag: str
    cases: int
    graded: int
    passed: int
    failed: int
    average: float | None
    standard_error: float | None
    pass_rate: float | None


class CriterionFigures(Value):
    """What the criteria of one tag came to, over the cases that have such criteria."""

    tag: str
    cases: int
    average: float
    standard_error: float | None


class DatasetFigures(Value):
    """What a report holds beside the counts."""

    headline: str
    notes: tuple[str, ...]
    """What a reader must know beside the number, a sentence each."""
    average_interval: Reach | None
    """Of the average."""
    standard_error: float | None
    """Of the average."""
    pass_rate_interval: Reach | None
    missing: int
    """Cases that were selected and not run."""
    ungraded_because: dict[str, int]
    """Ungraded cases by whose fault it is."""
    judges: tuple[str, ...]
    """Models that judged, as they were sent."""
    by_tag: tuple[TagFigures, ...]
    by_criterion: tuple[CriterionFigures, ...]
    ended_at: datetime
    seconds: float
    """From its begin to its end."""


class DatasetRunDetails(Value):
    """A run as its page shows it, its cases left out."""

    at: datetime
    """When it stood so."""
    run: DatasetRun
    seconds_left: float | None
    """What the rest will take if it goes on as it has; null where nobody can say."""
    in_flight: tuple[LiveCase, ...]
    """Cases that go on, the oldest first."""
    setup: RunSetup | None
    """Null until a worker has planned it."""
    report: DatasetFigures | None
    """Null until it has ended."""
    word: str
    """Of a run that was never planned, what was said of it last."""


class DatasetCaseRow(Value):
    """A case in the list of a run's cases."""

    id: str
    title: str = ""
    """Empty until the case has ended."""
    outcome: Outcome | Literal["running", "waiting"]
    score: float | None = None
    """As it goes into the mean; null where it is ungraded or has not ended."""
    trouble: Trouble | None = None
    """Whose fault it is that a case is ungraded."""
    feedback: str = ""
    tags: tuple[str, ...] = ()
    seconds: float | None = None
    cost_usd: float | None = None
    turn: int | None = None
    """Of a case in flight: what was said so far, 1 is the user's first turn, 0 is before it."""


class DatasetCases(Value):
    """A part of a run's cases, in the order of the dataset."""

    rows: tuple[DatasetCaseRow, ...]
    total: int
    """Cases in all parts."""
    next: str = ""
    """What to ask for the part after it by; empty: there is none."""


class CaseFinding(Value):
    """One thing that was looked for in an answer, whatever the evaluator."""

    name: str
    verdict: str
    """`met`, `not met`, a figure, or empty."""
    reason: str
    is_good: bool
    """Whether the verdict speaks for the answer."""


class DatasetCase(Value):
    """One case: its dialogue, its grade and what was found in it."""

    id: str
    before: str | None
    after: str | None
    """Ids of its neighbours in the run; null at its ends."""
    result: CaseResult | None
    """Null until the case has ended."""
    cost_usd: float | None
    """Null where a part of it is not known."""
    findings: tuple[CaseFinding, ...]


class DatasetSuite(Value):
    """A benchmark that lies in the data folder of the web process's machine."""

    benchmark: str
    description: str
    datasets: tuple[str, ...]
    targets: tuple[str, ...]
    """What can answer, as the benchmark has it."""
    problem: str
    """Why it cannot be used; empty where it can."""


class DatasetSuites(RootModel[tuple[DatasetSuite, ...]]):
    """Benchmarks, by name."""


class DatasetDifference(Value):
    """What changed from the first run to the second on the cases that both have graded."""

    name: str
    """The tag, or `all cases`."""
    cases: int
    first: float
    second: float
    """Mean scores over those cases."""
    difference: float
    interval: Reach | None
    """Of the mean difference; null where there are too few cases, or all differ alike."""
    better: int
    worse: int


class DatasetComparison(Value):
    """Two runs held against each other case by case."""

    conclusion: str
    notes: tuple[str, ...]
    """What makes the comparison less sure, a sentence each."""
    differences: tuple[DatasetDifference, ...]
    """All cases first, then by tag."""
    only_first: int
    only_second: int
    """Cases that only one run holds."""
    ungraded: int
    """Cases of both that one of them has no grade for."""
