"""What crosses the queue: plain data with a version, so that an update can still read it."""

from datetime import datetime
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

NEEDS_BENCHMARK = "needs-benchmark"
"""The label that asks for a benchmark of the issue it is put on."""


class Value(BaseModel):
    """Base of all values: frozen, no unknown fields, plain JSON both ways."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Repo(Value):
    """A repository as one installation of the App sees it."""

    owner: str
    name: str
    installation_id: int
    private: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


Kind = Literal[
    "benchmark",
    "trigger",
    "optimize",
    "rejudge",
    "report",
    "verdict",
    "summary",
    "digest",
    "sync",
    "changed_skills",
    "pull_request",
    "sweep",
    "repo_check",
    "welcome",
    "dataset",
    "dataset_chunk",
]
"""What is asked for: a comparison; a description's measurement or improvement; stored candidates
scored again; a report rendered again; what a person says of an assertion; the analysis of a
skill's runs; the weekly one of a repository; eval cases as files; what a push means for its
skills; what a pull request changes; the next due evals; the repository's file checked; the first
words to a new repository; a benchmark's dataset; some of its cases."""
LATEST = "latest"
"""In place of a run's id: the run of the issue that ended last."""
ALL_EVALS = "all"
"""In place of an eval case's id: all that are about the skill."""
Origin = Literal[
    "label", "comment", "push", "pull_request", "button", "schedule", "installation", "web"
]
"""How it came about; `web`: on the bot's own pages, which show what becomes of it."""
TOLD_ELSEWHERE: frozenset[Origin] = frozenset({"push", "pull_request"})
"""Origins of benchmarks that follow from something else, whose check run tells how they ended."""
LONGEST_KEY = 200
"""Characters of a request's key; 140 of them may be the name of its repository."""
PULL_CHECK = "pull:"
"""Begins the tag of a pull request's check run; its number follows."""
CONFIG_CHECK = "config:"
"""Begins the tag of the check run on the repository's file; the commit follows."""
PUSH_CHECK = "push:"
"""Begins the tag of a push's check run; the commits before and after it follow, with a dash."""


class TriggerOptions(Value):
    """How a skill's description is measured; None means what is usual."""

    eval_set: str | None = None
    """Path of the eval set in the repository; None: the issue's own, else the skill's."""
    alone: bool = False
    """Without the repository's other skills beside it."""
    runs_per_query: int | None = None
    max_iterations: int | None = None
    """Of an optimization."""
    confirmed: bool = False
    """Whether it may cost more than the limit of a run."""


HumanWord = Literal["pass", "partial", "fail", "cannot_verify"]
"""What a person may say of an assertion, in the judge's words."""


class VerdictOptions(Value):
    """What somebody says of one assertion for the output of one arm."""

    assertion: str = ""
    """Its id, such as `A3`; empty: the request is about none."""
    arm: Literal["with_skill", "without_skill", "candidate_skill", "base_skill"] = "with_skill"
    verdict: HumanWord = "pass"
    reason: str = ""
    """As it was written, cut at `handlers.verdict_line.LONGEST_REASON` characters."""
    trial: int | None = None
    """Of a run of several trials, which one's output."""


class DatasetOptions(Value):
    """Which part of which dataset is run, and by whom; None means what is usual."""

    benchmark: str = ""
    """Name of the benchmark; empty: the request is about none."""
    dataset: str = ""
    """Name of one of the benchmark's datasets."""
    limit: int | None = None
    """At most so many items, after `ids` were chosen."""
    ids: tuple[str, ...] = ()
    """Items by id; empty: all of them."""
    target_type: str | None = None
    """Which kind of system is asked the questions."""
    eval_model: str | None = None
    """The model that scores the answers."""
    user_model: str | None = None
    """The model that plays users."""
    parallel: int | None = None
    """Cases in flight; 0: as many as the provider lets through."""
    typed: dict[str, str] = Field(default_factory=dict)
    """Fields of the target beside its model, such as `system_prompt`, as typed."""
    max_usd: Decimal | None = None
    """What the run may cost; the operator's limits hold besides."""
    run_id: str = ""
    """Under which the run is kept, 12 hexadecimal digits; empty: one is made."""
    resume: bool = False
    """Carry on the run that `run_id` names, as it was planned."""
    again_of: str = ""
    """The run whose ungraded cases are run once more; empty: none."""
    chunk: int | None = None
    """Of a `dataset_chunk`: which part of the run that `run` names, counted from 0."""


WEB = Repo(owner="-", name="web", installation_id=0)
"""Stands for a repository where somebody asked on the bot's own pages: no issue, no file, no
account of GitHub's has to do with it."""


class Request(Value):
    """What somebody asked for: who, where, which evals, which models, which options."""

    version: Literal[1] = 1
    key: str = Field(max_length=LONGEST_KEY)
    """Identifies the asking; the same key is carried out once at a time."""
    kind: Kind = "benchmark"
    repo: Repo
    issue: int
    """Issue or pull request that it is answered on; 0 where a push or a schedule asks for the
    repository as a whole, which is answered on its commit."""
    is_pull_request: bool = False
    asker: str
    """Login of the person who asked; of a schedule, the App's own."""
    origin: Origin
    comment_id: int | None = None
    """The comment that holds the command; None where none did."""
    models: tuple[str, ...] = ()
    """Models as typed; empty: the configured one."""
    skill: str | None = None
    eval_id: str | None = None
    """Of one eval case, `ALL_EVALS`, or None: the issue's own."""
    launcher: Literal["api", "claude-code"] | None = None
    """How sessions are run; None: the configured way."""
    mode: Literal["forced", "installed"] | None = None
    """How sessions are given the skill; None: as is usual for the launcher."""
    environment: str | None = None
    """Name of the environment for every run, `none` for the plain sandbox; None: what the eval
    case names, else the repository's default."""
    force: bool = False
    """Measure again even if a finished run exists."""
    vs: str | None = None
    """The other arm as typed: `none`, `previous`, `self`, `main`, `@SHA` or `ref:NAME`; None: the
    base of a pull request, else no skill."""
    trials: int | None = None
    """Repetitions of both arms; None: what the repository's file says, else one."""
    until_sure: bool | None = None
    """Add trials, or eval cases, until it is sure which arm is better; None: as the file says."""
    tier: Literal["quick", "standard", "thorough"] | None = None
    """A usual bundle of the two (`config.tiers`); None: what the repository's file says."""
    judge: str | None = None
    """The judge's model as typed; None: what the repository's file says, else the settings."""
    fresh: bool = False
    """Run both arms together even where a kept baseline would do."""
    override_budget: bool = False
    """A maintainer lets it pass the repository's own budgets; the operator's limits hold."""
    chosen: bool = False
    """Of a `welcome`: somebody chose this very repository, and not just all that there are."""
    only_failed: bool = False
    """Of a `rerun failed`: only runs whose newest attempt came to no score."""
    run: str | None = None
    """Id of the run that a `retry`, `rejudge`, `report` or `verdict` names. None: all that fit; of
    a `retry`, which is a `benchmark` with a run, it is then `LATEST`."""
    rules: str = ""
    """Commit that settings and environments are read from, where it is not the eval case's."""
    head: str = ""
    """Commit of a pull request that may be run, as the button or `run @SHA` names it."""
    label: str = NEEDS_BENCHMARK
    """The label that asked, as the repository calls it; of origin `label`, and of the parts of
    what it asked for on a pull request, where it is empty if none did."""
    text_as_of: datetime | None = None
    """When the asker can have seen the issue's text last, by GitHub's clock; None: when it was
    asked for."""
    triggering: TriggerOptions = TriggerOptions()
    """Of a `trigger` or an `optimize`."""
    dataset: DatasetOptions = DatasetOptions()
    """Of a `dataset`."""
    verdict: VerdictOptions = VerdictOptions()
    """Of a `verdict`."""
    before: str | None = None
    """Commit before a push; None: there was none, or nobody pushed."""
    after: str = ""
    """Commit that a push led to; empty: nobody pushed."""
    asked_at: datetime


Reading = Literal["ping", "status", "queue", "results", "lint", "config", "estimate"]
"""Commands that are answered at once and cost nothing: is the bot alive; the requests of this
issue; those of the repository; past scores; is this issue a good eval case; which configuration
holds; what a run would take."""


class Inquiry(Value):
    """A reading command, and what it is about in the words of a request that nobody carries out."""

    name: Reading
    request: Request
