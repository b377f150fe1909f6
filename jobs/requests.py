"""What crosses the queue: plain data with a version, so that an update can still read it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

NEEDS_BENCHMARK = "needs-benchmark"
"""The label that asks for a benchmark of the issue it is put on."""
BENCHMARKED = "benchmarked"
"""The label that takes its place once a report stands on the issue."""


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


class Request(Value):
    """What somebody asked for: who, where, which evals, which models, which options."""

    version: Literal[1] = 1
    key: str = Field(max_length=200)
    """Identifies the asking; the same key is carried out once at a time."""
    kind: Literal["benchmark", "trigger", "optimize"] = "benchmark"
    repo: Repo
    issue: int
    """0 where a push asks, which is answered on its commit."""
    asker: str
    """Login of the person who asked."""
    origin: Literal["label", "comment", "push"]
    comment_id: int | None = None
    """The comment that holds the command; None for a label."""
    models: tuple[str, ...] = ()
    """Models as typed; empty: the configured one."""
    skill: str | None = None
    eval_id: str | None = None
    launcher: Literal["api", "claude-code"] | None = None
    """How sessions are run; None: the configured way."""
    mode: Literal["forced", "installed"] | None = None
    """How sessions are given the skill; None: as is usual for the launcher."""
    environment: str | None = None
    """Name of the environment for every run, `none` for the plain sandbox; None: what the eval
    case names, else the repository's default."""
    force: bool = False
    """Measure again even if a finished run exists."""
    triggering: TriggerOptions = TriggerOptions()
    """Of a `trigger` or an `optimize`."""
    before: str | None = None
    """Commit before a push; None: there was none, or nobody pushed."""
    after: str = ""
    """Commit that a push led to; empty: nobody pushed."""
    asked_at: datetime
