"""Finds the files of a run's suite, and makes its plan ready in a world of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from jobs.carrying_out import find_head, open_snapshot
from jobs.datasets.loading import Dataset, dataset_names, load_dataset, suite_names
from jobs.datasets.plan import RunPlan
from jobs.datasets.ready import DatasetWorld, Ready, make_ready
from jobs.datasets.request_world import DatasetRequestWorld
from jobs.datasets.run_state import RunState
from jobs.datasets.suite_files import DATA, pack_suite, unpack_suite
from jobs.errors import Refused
from jobs.requests import WEB, Request
from jobs.sessions.workspace import remove_tree

OURS = "the operator's folder"
"""The source of a dataset that the operator has put there."""
MODEL_ALONE = "llm_api"
"""The target that is a model and nothing else."""
MOST_LISTED = 30


@dataclass(frozen=True, slots=True)
class Found:
    """A dataset, and where its suite's files come from."""

    dataset: Dataset
    packed: bytes | None
    """The suite's files, where they are a repository's; None: the operator's folder."""


async def find_dataset(request: Request, world: DatasetRequestWorld) -> Found:
    """The dataset that is asked for: the repository's own, else the operator's.

    Raises `Refused` with those that there are.
    """
    options = request.dataset
    there = ""
    if request.repo != WEB:
        commit = await find_head(world.place)
        async with open_snapshot(request, commit, world.place) as snapshot:
            root = snapshot.root / DATA
            if options.dataset in _names(root, options.benchmark):
                packed = await asyncio.to_thread(
                    pack_suite, root, options.benchmark, options.dataset
                )
                source = f"{request.repo.full_name}@{commit}"
                dataset = await asyncio.to_thread(
                    load_dataset, root, options.benchmark, options.dataset, source=source
                )
                return Found(dataset, packed)
            there = f"In this repository, below `{DATA}/`, there are {_list(root) or 'none'}; "
    if options.dataset in _names(world.data, options.benchmark):
        dataset = await asyncio.to_thread(
            load_dataset, world.data, options.benchmark, options.dataset, source=OURS
        )
        return Found(dataset, None)
    raise Refused(
        f"there is no dataset `{options.benchmark}/{options.dataset}`. {there}the operator of "
        f"this bot has {_list(world.data) or 'none'}."
    )


@asynccontextmanager
async def opened(
    plan: RunPlan, packed: bytes | None, world: DatasetRequestWorld
) -> AsyncIterator[tuple[Ready, DatasetWorld]]:
    """A run's plan made ready, in a world that is open while the block runs.

    Raises `Refused` where its file has changed, or something that it names is not there.
    """
    scratch = world.place.runs.scratch / f"dataset-{uuid4().hex[:12]}"
    root = world.data if packed is None else scratch
    try:
        if packed is not None:
            await asyncio.to_thread(unpack_suite, packed, scratch)
        dataset = await asyncio.to_thread(
            load_dataset, root, plan.benchmark, plan.dataset, source=plan.source
        )
        async with world.open_world(root / plan.benchmark, packed is None) as cases:
            yield await make_ready(plan, dataset, cases), cases
    finally:
        await asyncio.to_thread(remove_tree, scratch)


@asynccontextmanager
async def opened_again(
    plan: RunPlan, world: DatasetRequestWorld
) -> AsyncIterator[tuple[Ready, DatasetWorld]]:
    """The same for a run whose files are kept."""
    packed = await RunState(world.keeping.blobs, plan.run_id).get_suite()
    async with opened(plan, packed, world) as both:
        yield both


def check_target(plan: RunPlan, packed: bytes | None) -> None:
    """Raise `Refused` where a repository's own suite names more than a model.

    Every other target would let whoever writes to the repository choose which address the bot
    calls, and with the operator's keys.
    """
    if packed is not None and plan.target_type != MODEL_ALONE:
        raise Refused(
            f"a repository's own dataset is run against a model (`--target-type {MODEL_ALONE}`), "
            f"not against `{plan.target_type}`; the operator can put it into the bot's own data "
            "folder."
        )


def _names(root: Path, benchmark: str) -> list[str]:
    return dataset_names(root / benchmark) if benchmark in suite_names(root) else []


def _list(root: Path) -> str:
    found = [f"`{suite}/{name}`" for suite in suite_names(root) for name in _names(root, suite)]
    more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
    return ", ".join(found[:MOST_LISTED]) + more
