"""What runs of datasets are carried out in, made from a worker's other worlds.

Imports the model SDKs, so only workers and one-shot commands load it.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from redis.asyncio import Redis

from bot.blobs import PATIENCE_S, Blobs
from bot.store.live_datasets import RedisLiveRuns
from config.settings import Settings
from jobs.conversation import Agent, ModelCatalog
from jobs.datasets.case_run import CaseWorld
from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.programs import SandboxPrograms
from jobs.datasets.ready import DatasetWorld
from jobs.datasets.request_world import DatasetRequestWorld
from jobs.models.tls import tls_context
from jobs.ports import Clock
from jobs.sandbox import SandboxMaker
from jobs.targets.target import TargetWorld
from jobs.values import Limits
from jobs.world import World

KEPT = "targets"
"""Folder of what is dear to make again, such as indices of documents, below the data folder."""
CONNECTIONS = httpx.Limits(max_connections=1_000, max_keepalive_connections=200)
"""To the systems that are measured: as many as cases can go on at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetWorlds:
    """Makes a world for each run; they share connections to models and the store."""

    settings: Settings
    agent: Agent
    catalog: ModelCatalog
    sandboxes: SandboxMaker
    clock: Clock
    scratch: Path

    @property
    def keeping(self) -> DatasetKeeping:
        """The runs of datasets in the blob store."""
        return DatasetKeeping(Blobs(self.settings.blobs, pauses_s=PATIENCE_S))

    @property
    def data(self) -> Path:
        """The operator's own datasets."""
        return self.settings.datasets

    @asynccontextmanager
    async def open(
        self, suite: Path | None, is_ours: bool, own_command: str = ""
    ) -> AsyncIterator[DatasetWorld]:
        """A world for a suite in a folder; one that is not ours reaches no system but models.

        `own_command` is the program that the person at this very machine has typed.
        """
        environment: Mapping[str, str] = self.settings.target_variables if is_ours else {}
        async with httpx.AsyncClient(
            verify=tls_context(), limits=CONNECTIONS, trust_env=False
        ) as http:
            target = TargetWorld(
                agent=self.agent,
                catalog=self.catalog,
                http=http,
                sandboxes=self.sandboxes,
                environment=environment,
                limits=self._limits(),
                suite=suite,
                scratch=self.scratch,
                keep=self.settings.data_dir / KEPT,
                own_command=own_command,
            )
            yield DatasetWorld(
                cases=CaseWorld(
                    target=target,
                    agent=self.agent,
                    programs=SandboxPrograms(self.sandboxes, self.scratch / "programs"),
                    clock=self.clock,
                ),
                keeping=self.keeping,
                catalog=self.catalog,
                default_judge=self.settings.judge_model,
                default_user_model=self.settings.model,
            )

    def on(self, place: World, redis: Redis) -> DatasetRequestWorld:
        """The world of a request, in the place where it is answered."""
        return DatasetRequestWorld(
            place=place,
            keeping=self.keeping,
            live=RedisLiveRuns(redis),
            open_world=self.open,
            data=self.data,
        )

    def _limits(self) -> Limits:
        """Of one answer of a target: those of a session."""
        settings = self.settings
        return Limits(
            wall_s=settings.session_timeout.total_seconds(),
            idle_s=settings.session_idle_timeout.total_seconds(),
            turns=settings.session_max_turns,
            output_tokens=settings.session_max_output_tokens,
            total_tokens=settings.max_tokens_per_run,
            cost_usd=settings.max_usd_per_run,
        )
