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


class Request(Value):
    """What somebody asked for: who, where, which evals, which models, which options."""

    version: Literal[1] = 1
    key: str = Field(max_length=200)
    """Identifies the asking; the same key is carried out once at a time."""
    repo: Repo
    issue: int
    asker: str
    """Login of the person who asked."""
    origin: Literal["label", "comment"]
    comment_id: int | None = None
    """The comment that holds the command; None for a label."""
    models: tuple[str, ...] = ()
    """Models as typed; empty: the configured one."""
    skill: str | None = None
    eval_id: str | None = None
    launcher: Literal["api", "claude-code"] | None = None
    """How sessions are run; None: the configured way."""
    environment: str | None = None
    """Name of the environment for every run, `none` for the plain sandbox; None: what the eval
    case names, else the repository's default."""
    force: bool = False
    """Measure again even if a finished run exists."""
    asked_at: datetime
