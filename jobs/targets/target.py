"""What a target is: something that answers, turn by turn. A new kind is one module.

A target's own failure (an outage, a page of HTML, silence) is never an answer: it is a
`TargetFailed`, and the case is ungraded with its words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx
from pydantic import BaseModel, ConfigDict

from jobs.conversation import Agent, ModelCatalog
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said
from jobs.sandbox import SandboxMaker
from jobs.values import Limits


class TargetFailed(Exception):  # noqa: N818 -- reads as the outcome it is
    """The target gave no answer: a sentence for the report, without keys or stack."""


class TargetFields(BaseModel):
    """What a target is configured with; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Conversation(Protocol):
    """One case's dialogue with a target."""

    async def reply(self, said: Said) -> Reply:
        """Answer one turn. Raises `TargetFailed`."""

    async def close(self) -> None:
        """Give back what the conversation holds; called once, however it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetWorld:
    """What targets are made from."""

    agent: Agent
    catalog: ModelCatalog
    http: httpx.AsyncClient
    sandboxes: SandboxMaker | None
    environment: Mapping[str, str]
    """Where a target's address and key are looked up, such as `HERMES_API_BASE_URL`."""
    limits: Limits
    """Of one answer."""
    suite: Path | None
    """Folder of the benchmark, with its users' data; None where answers are given."""
    scratch: Path
    keep: Path | None = None
    """Folder that outlives the process, for what is dear to make again; None: `scratch`."""
    own_command: str = ""
    """The command line that the person at this very machine has typed for the target `command`;
    it alone runs outside of a sandbox."""

    @property
    def cache(self) -> Path:
        """Where to keep what can be made again."""
        return self.keep or self.scratch


class TargetKind(Protocol):
    """A kind of target. One module each, named in `jobs.targets.registry`."""

    @property
    def fields(self) -> type[TargetFields]:
        """What it is configured with."""

    async def open(self, fields: Any, case: DatasetCase, world: TargetWorld, /) -> Conversation:
        """Begin a dialogue for one case. `fields` is an instance of `self.fields`.

        Raises `Refused` where the target cannot be had as configured, before anything is
        spent, and `TargetFailed` where it does not answer.
        """
