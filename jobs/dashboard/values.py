"""What is shown of repositories, skills and runs: plain values, the same on a page and in the API.

Scores and differences are fractions (0.18 is 18 points), money is USD, times are UTC. None means
not measured, or not known; it is never shown as 0.
"""

from datetime import datetime
from typing import Literal

from jobs.conclusions.verdict import SetWord
from jobs.requests import Value

RunState = Literal["complete", "ungraded", "invalid"]


class Whiskers(Value):
    """A difference and the interval around it."""

    difference: float
    low: float | None = None
    high: float | None = None
    """None, both, where the set is too small to have an interval."""


class Conditions(Value):
    """Which version of a skill was measured, and by what."""

    sha: str
    """Skill SHA of the version that was measured."""
    model: str
    """As it was sent."""
    served: str = ""
    """Its snapshot that answered; empty where none was named."""
    judge: str
    """Its snapshot that answered, else as it was sent."""
    judge_prompt: str = ""
    """Version of the scoring prompt; empty where that is not known."""
    launcher: str
    mode: str
    environment: str


class SetFigures(Conditions):
    """A skill's newest set of eval cases under one set of conditions, with its verdict."""

    vs: str
    """The other arm."""
    word: SetWord
    reason: str
    method: str
    """A line: how the word was come to."""
    evals: int
    wins: int
    ties: int
    losses: int
    with_skill: float
    without_skill: float
    """Mean scores of both arms."""
    whiskers: Whiskers
    ended_at: datetime | None
    """When the last of its runs ended."""


class SkillCard(Value):
    """A skill in a line of the overview."""

    repo: str
    skill: str
    """Path of its folder; `.` for the repository's own."""
    name: str
    """The last part of the path."""
    sha: str
    """Skill SHA of the newest version that was measured."""
    latest: SetFigures | None = None
    """The newest set against no skill that has not only begun: of the newest version, with at
    least half as many eval cases as its largest. None where nothing has a score yet."""
    change: float | None = None
    """Its difference minus that of the last earlier version under the same conditions, over the
    eval cases that both were measured with; None where they share none."""
    change_evals: int = 0
    """How many those are."""
    earlier: SetFigures | None = None
    """The set of the last earlier version that had more eval cases, where there is one: what is
    known while a new version has only begun to be measured."""
    models: int = 0
    """Models that it was measured with."""
    evals: int = 0
    """Eval cases with a score, on any model."""
    stale: tuple[str, ...] = ()
    """Eval cases whose newest score is of an earlier version, by id."""
    runs: int = 0
    """All runs in the ledger."""
    read: int = 0
    """The newest of them, which the figures are made from."""
    spend_week_usd: float = 0.0
    """What is known to have been spent in the last seven days."""
    is_spend_partial: bool = False
    """Whether a run of that week has no known price, or was not read."""
    ended_at: datetime | None = None
    """When its last run ended."""
    made_at: datetime | None = None
    """When these figures were made; None: they are still being made, and none of them is known."""
    is_behind: bool = False
    """Whether they lack the newest runs, although they are older than a minute."""


class VersionPoint(Conditions):
    """A version of a skill on one model: mean over the latest run of each eval case.

    Versions can be compared along one `series` only.
    """

    series: str
    """What its line is found by: the same for all versions on one model snapshot, by one judge
    snapshot and prompt, one launcher, mode and environment."""

    commit: str
    """The commit it was read from; empty where that is not known."""
    first_at: datetime | None
    """When the first run of the version ended, on any model."""
    ended_at: datetime | None
    """When the last run of this point ended."""
    evals: int
    with_skill: float
    without_skill: float
    whiskers: Whiskers
    tokens_with: float | None = None
    tokens_without: float | None = None
    """Means over those of its runs that say, per session."""
    cost_usd: float | None = None
    """Mean over those of its runs that say: sessions and judging together."""
    word: SetWord


class HeatCell(Value):
    """An eval case on a model: the difference of its latest run, with whichever judge."""

    eval_id: str
    model: str
    difference: float | None
    """None where its latest run came to no score that counts."""
    run: str
    is_stale: bool
    """Whether it is of an earlier version than the skill's newest."""


class AssertionNote(Value):
    """What past runs say of an assertion."""

    eval_id: str
    assertion: str
    """Its id, such as `A3`."""
    text: str
    kind: Literal["discriminating", "weak"]
    """Whether it tells the arms apart, or tells little; it may do both, and is then noted twice."""
    with_skill: float | None
    without_skill: float | None
    """Share of readings that passed, in each arm, of runs against no skill by one judge; None
    where there is none."""
    readings: int
    """How many those are, each of both arms."""
    why: str
    """What was seen, and of a weak one what to do about it; plain text, made by code."""


class TriggerPoint(Value):
    """A measurement of a skill's description."""

    run: str
    sha: str
    model: str
    launcher: str
    eval_set: str
    """Digest of the queries: points of two eval sets measure different things."""
    ended_at: datetime | None
    precision: float | None
    recall: float | None
    queries: int
    missing: int
    url: str = ""


class SkillFigures(Value):
    """Everything on a skill's page."""

    card: SkillCard
    sets: tuple[SetFigures, ...] = ()
    """The newest of each set of conditions, the one that ended last first."""
    chance: str = ""
    """What it means that several verdicts stand side by side; empty for one."""
    versions: tuple[VersionPoint, ...] = ()
    """Oldest first."""
    cells: tuple[HeatCell, ...] = ()
    assertions: tuple[AssertionNote, ...] = ()
    triggers: tuple[TriggerPoint, ...] = ()
    """Oldest first."""
    is_partial: bool = False
    """Whether some of it is still being made, or cannot be read for now."""


class RunRow(Value):
    """A run in a list."""

    run: str
    repo: str
    skill: str
    sha: str
    eval_id: str
    issue: int
    pull: int = 0
    model: str
    vs: str
    launcher: str
    trials: int
    state: RunState
    with_skill: float | None = None
    without_skill: float | None = None
    difference: float | None = None
    counts: bool = True
    """Whether a set may count it: it has a score, which no false answer gets too, of an eval case
    that the skill is there for."""
    cost_usd: float | None = None
    ended_at: datetime | None
    url: str = ""
    """Address of the report on GitHub."""


class RunRows(Value):
    """A part of a list of runs, newest first."""

    rows: tuple[RunRow, ...]
    total: int
    """All that the list holds."""
    next: str = ""
    """What to ask for the part after it by; empty: there is none."""


class RepoFigures(Value):
    """A repository on the overview."""

    repo: str
    is_private: bool
    cards: tuple[SkillCard, ...]
    """The skill that was measured last first."""
    spend_week_usd: float = 0.0
    is_spend_partial: bool = False
    running: int = 0
    queued: int = 0
    """Requests."""


def name_skill(repo: str, path: str) -> str:
    """A skill's short name: of its folder, or of the repository that is one."""
    return (repo if path == "." else path).rpartition("/")[2]
