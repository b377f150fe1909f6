"""Brings the suite that a command names onto this machine."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import httpx

from bot.cli.local_run import NoDailyLimit
from bot.dataset_worlds import DatasetWorlds
from bot.github.app import GitHubApp
from bot.needs import require
from bot.worlds import make_worlds, utc_now
from config.settings import Settings, names_in
from jobs.datasets.loading import Dataset, load_dataset
from jobs.datasets.sources import (
    Repository,
    WebFetcher,
    WebFolder,
    fetch_repository,
    find_root,
    parse_source,
)
from jobs.models.tls import tls_context
from jobs.sessions.sandboxes import make_sandbox_maker


@dataclass(frozen=True, slots=True)
class LocalDataset:
    """A dataset, and the folder of its suite on this machine."""

    dataset: Dataset
    suite: Path


async def open_dataset(
    data: str | None, benchmark: str, name: str, settings: Settings, scratch: Path
) -> LocalDataset:
    """Read a dataset from where `data` says; None: the data folder.

    Raises `Refused` with what to change, `Gone` and `Transient` where it cannot be fetched.
    """
    source = parse_source(data) if data else settings.datasets
    if isinstance(source, WebFolder):
        async with httpx.AsyncClient(verify=tls_context(), trust_env=False) as http:
            allowed = settings.dataset_hosts
            hosts = () if allowed == "none" else names_in(allowed)
            fetcher = WebFetcher(hosts=hosts, http=http)
            root = await fetcher.fetch(source, benchmark, name, scratch / "fetched")
        told = source.address
    else:
        folder = await open_folder(source, settings, scratch)
        root = await asyncio.to_thread(find_root, folder, benchmark)
        told = "folder" if isinstance(source, Path) else f"{source.full_name}@{source.ref}"
    dataset = await asyncio.to_thread(load_dataset, root, benchmark, name, source=told)
    return LocalDataset(dataset, root / benchmark)


async def open_folder(source: Path | Repository, settings: Settings, scratch: Path) -> Path:
    """The folder itself, or a repository's files; the App reads it. Raises `Error`."""
    if isinstance(source, Path):
        return source
    require(settings, "github_app_id", "github_private_key")
    async with GitHubApp(settings) as app:
        place = await app.place(*source.full_name.split("/"))
        return await fetch_repository(source, app.repository(place.repo), scratch / "fetched")


async def make_dataset_worlds(settings: Settings, scratch: Path) -> DatasetWorlds:
    """What runs of this process are carried out in. Raises `Refused` without a sandbox."""
    worlds = await make_worlds(settings, budget=NoDailyLimit(), scratch=scratch / "world")
    return DatasetWorlds(
        settings=settings,
        agent=worlds.triggers.agent,
        catalog=worlds.triggers.catalog,
        sandboxes=make_sandbox_maker(
            settings.sandbox, docker_image=settings.docker_image, docker_host=settings.docker_host
        ),
        clock=utc_now,
        scratch=scratch / "datasets",
    )
