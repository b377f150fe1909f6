"""`skillbench next`: which eval case a model is measured with next, and that it is."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.serving import with_redis
from bot.github.app import GitHubApp
from bot.needs import require
from bot.queues import enqueue
from bot.redis_clients import connect_patiently
from bot.store.claims import RedisClaims
from bot.store.ledger import RedisLedger
from config.settings import Settings
from jobs.choosing.choosing import Choice, look_for_next, request_for, take_next
from jobs.choosing.survey import Sources, Survey, make_survey
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import extract_tarball
from jobs.errors import Error, Gone, Transient
from jobs.models.catalog import ApiModelCatalog
from jobs.models.doors import Doors
from jobs.requests import Repo, Request

PIPED_WIDTH = 200
"""Characters of a line where no terminal says how many there are."""
CHOSEN, UNREADABLE, UP_TO_DATE, ALL_TAKEN = 0, 1, 3, 4
"""Exit codes; 2 is wrong usage, as everywhere."""
UNTOLD: Any = {"chosen": {"claim"}, "pending": {"__all__": {"claim"}}}
"""What the JSON leaves out: names that mean something to the bot alone."""
ENDINGS = {"CHOSEN": CHOSEN, "UP_TO_DATE": UP_TO_DATE, "ALL_TAKEN": ALL_TAKEN}


class Wanted:
    """What was typed after `next`."""

    def __init__(self, repository: str, model: str | None, *, dry_run: bool, as_json: bool) -> None:
        owner, slash, name = repository.partition("/")
        if not (owner and slash and name) or "/" in name or not repository.isprintable():
            raise Error(f"{repository} is no repository; write OWNER/REPO.")
        self.owner, self.name = owner, name
        self.model = model
        self.dry_run = dry_run
        self.as_json = as_json


def run_next(wanted: Wanted, settings: Settings, scratch: Path) -> int:
    """Print the choice, and put it on the queue unless it is a dry run; gives the exit code.

    Raises `Error` where a setting is missing, the repository's file cannot be used, or no
    provider knows the model.
    """
    require(settings, "github_app_id", "github_private_key")
    try:
        choice = asyncio.run(_run(wanted, settings, scratch))
    except (Gone, Transient) as trouble:
        typer.echo(f"{wanted.owner}/{wanted.name} cannot be read: {trouble}", err=True)
        return UNREADABLE
    if wanted.as_json:
        typer.echo(choice.model_dump_json(indent=2, exclude=UNTOLD))
    else:
        print_choice(choice, dry_run=wanted.dry_run)
    return ENDINGS[choice.status]


async def _run(wanted: Wanted, settings: Settings, scratch: Path) -> Choice:
    catalog = ApiModelCatalog(Doors(settings))
    async with with_redis(settings) as complete, GitHubApp(complete) as app:
        redis = connect_patiently(complete.redis_url)
        try:
            place = await app.place(wanted.owner, wanted.name)
            repository = app.repository(place.repo)
            commit = await repository.default_commit()
            archive = scratch / "commit.tar.gz"
            await repository.download_tarball(commit, archive)
            await asyncio.to_thread(extract_tarball, archive, scratch / "tree")
            snapshot = Snapshot(scratch / "tree", commit, place.repo.name)
            sources = Sources(repository, RedisLedger(redis), complete)
            survey = await make_survey(place.repo, snapshot, sources)
            model = await catalog.resolve(wanted.model or survey.models[0])
            claims = RedisClaims(redis)
            if wanted.dry_run:
                return await look_for_next(survey, model, claims)
            choice = await take_next(survey, model, claims, holder=f"cli:{uuid4().hex}")
            if choice.chosen is not None:
                asker = (await app.identity()).bot_login
                asking = _asking(place.repo, survey, asker)
                await enqueue(redis, request_for(choice, survey, model, asking))
            return choice
        finally:
            await redis.aclose()


def _asking(repo: Repo, survey: Survey, asker: str) -> Request:
    """Who asks: whoever holds the App's credentials, and so the App itself."""
    return Request(
        key=f"sweep:{repo.full_name}:{survey.commit[:12]}",
        kind="sweep",
        repo=repo,
        issue=0,
        asker=asker,
        origin="schedule",
        asked_at=datetime.now(UTC),
    )


def print_choice(choice: Choice, *, dry_run: bool) -> None:
    """What is pending, the next first, and what becomes of it, in words for people."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    if choice.pending:
        console.print(_table(choice))
    console.print(_sentence(choice, dry_run=dry_run), markup=False)


def _table(choice: Choice) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("eval case", overflow="fold")
    table.add_column("issue", justify="right")
    table.add_column(f"runs of {choice.model}", justify="right")
    table.add_column("runs in all", justify="right")
    table.add_column("last run")
    table.add_column("")
    for one in choice.pending:
        is_next = choice.chosen is not None and one.eval_id == choice.chosen.eval_id
        remarks = ["taken this week"] if one.eval_id in choice.taken else []
        remarks += [] if one.is_readable else ["its history cannot be read"]
        table.add_row(
            "→" if is_next else "",
            Text(one.eval_id),
            f"#{one.issue}" if one.issue else "",
            str(one.completed),
            str(one.completed_in_all),
            f"{one.last_run:%Y-%m-%d %H:%M}" if one.last_run else "never",
            Text(", ".join(remarks)),
        )
    return table


def _sentence(choice: Choice, *, dry_run: bool) -> str:
    where = f"{choice.repository} on {choice.model}"
    if choice.status == "UP_TO_DATE":
        return f"UP_TO_DATE: {where}: all {choice.evals} eval cases are measured as they are now."
    if choice.chosen is None:
        return f"ALL_TAKEN: {where}: what is pending was taken within the last seven days."
    done = "is next" if dry_run else "was put on the queue"
    return f"{where}: {choice.chosen.eval_id} {done}."
