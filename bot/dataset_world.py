"""What runs of datasets are carried out in, on the command line and in a worker.

Imports the model SDKs, so only workers and one-shot commands load it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from bot.blobs import PATIENCE_S, Blobs
from bot.worlds import Worlds, utc_now
from config.settings import Settings
from jobs.datasets.case_run import CaseWorld
from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.programs import SandboxPrograms
from jobs.datasets.ready import DatasetWorld
from jobs.models.tls import tls_context
from jobs.sessions.sandboxes import make_sandbox_maker
from jobs.targets.target import TargetWorld
from jobs.values import Limits

DATASETS = "datasets"
"""Folder of datasets, below the data folder."""
KEPT = "dataset-indexes"
"""Folder of what targets make of people's data."""
CONNECTIONS = httpx.Limits(max_connections=1_000, max_keepalive_connections=200)


@asynccontextmanager
async def open_dataset_world(  # noqa: PLR0913 -- each by its name
    settings: Settings,
    worlds: Worlds,
    scratch: Path,
    *,
    suite: Path | None,
    reaches_services: bool = True,
    own_command: str = "",
) -> AsyncIterator[DatasetWorld]:
    """A world for the suite in a folder, with its connections open while the block runs.

    Without `reaches_services` no target finds an address or a key: for suites that the operator
    has not chosen. `own_command` is the program that the person at this machine has typed.
    """
    sandboxes = make_sandbox_maker(
        settings.sandbox, docker_image=settings.docker_image, docker_host=settings.docker_host
    )
    async with httpx.AsyncClient(verify=tls_context(), limits=CONNECTIONS, trust_env=False) as http:
        target = TargetWorld(
            agent=worlds.triggers.agent,
            catalog=worlds.triggers.catalog,
            http=http,
            sandboxes=sandboxes,
            environment=settings.target_variables if reaches_services else {},
            limits=answer_limits(settings),
            suite=suite,
            scratch=scratch / "targets",
            keep=settings.data_dir / KEPT,
            own_command=own_command,
        )
        yield DatasetWorld(
            cases=CaseWorld(
                target=target,
                agent=worlds.triggers.agent,
                programs=SandboxPrograms(sandboxes, scratch / "programs"),
                clock=utc_now,
            ),
            keeping=DatasetKeeping(Blobs(settings.blobs, pauses_s=PATIENCE_S)),
            catalog=worlds.triggers.catalog,
            default_judge=settings.judge_model,
            default_user_model=settings.model,
        )


def answer_limits(settings: Settings) -> Limits:
    """What one answer of a target may use: the time of a session, the money of a run."""
    return Limits(
        wall_s=settings.session_timeout.total_seconds(),
        idle_s=settings.session_idle_timeout.total_seconds(),
        turns=1,
        output_tokens=settings.session_max_output_tokens,
        total_tokens=settings.max_tokens_per_run,
        cost_usd=settings.max_usd_per_run,
    )
