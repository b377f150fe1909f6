"""`skillbench rebuild`: the ledger, read back from GitHub after Redis was lost."""

import asyncio
import re
from collections.abc import AsyncIterator

import typer

from bot.blobs import Blobs
from bot.cli.serving import with_redis
from bot.github.app import GitHubApp
from bot.github.places import Place
from bot.needs import require
from bot.redis_clients import connect_patiently
from bot.store.ledger import RedisLedger
from bot.upkeep.rebuild import Rebuild, Rebuilt
from config.settings import Settings
from jobs.errors import Error, Gone, Transient

DONE, INCOMPLETE = 0, 1
FULL_NAME = re.compile(r"[^/\s]+/[^/\s]+")


def run_rebuild(settings: Settings, repository: str | None) -> int:
    """Rebuild one repository (`OWNER/REPO`), or all of them; prints a line for each.

    Gives 0, or 1 where a repository could not be read to its end. Raises `Error` where a
    setting is missing or the App is not installed there.
    """
    if repository is not None and not FULL_NAME.fullmatch(repository):
        raise Error(f"{repository} is no repository; write OWNER/REPO.")
    require(settings, "github_app_id", "github_private_key")
    return asyncio.run(_run(settings, repository))


async def _run(settings: Settings, repository: str | None) -> int:
    ending = DONE
    async with with_redis(settings) as complete, GitHubApp(complete) as app:
        redis = connect_patiently(complete.redis_url)
        try:
            ledger, blobs = RedisLedger(redis), Blobs(complete.blobs)
            async for place in _places(app, repository):
                try:
                    repository_client = app.repository(place.repo)
                    rebuilt = await Rebuild(place, repository_client, ledger, blobs).run()
                    typer.echo(render_rebuilt(place.repo.full_name, rebuilt))
                except (Gone, Transient) as trouble:
                    typer.echo(f"{place.repo.full_name}: not read to its end: {trouble}", err=True)
                    ending = INCOMPLETE
        finally:
            await redis.aclose()
    return ending


async def _places(app: GitHubApp, repository: str | None) -> AsyncIterator[Place]:
    if repository is not None:
        owner, _, name = repository.partition("/")
        yield await app.place(owner, name)
        return
    async for installed in app.installations():
        if installed.is_suspended:
            typer.echo(f"{installed.owner}: skipped, the installation is suspended")
            continue
        try:
            async for place in app.places(installed.id):
                yield place
        except Gone as gone:
            typer.echo(f"{installed.owner}: skipped, {gone}")


def render_rebuilt(name: str, rebuilt: Rebuilt) -> str:
    """`acme/skills: 12 runs (1 from an archive); skipped: 2 not graded`."""
    total = rebuilt.from_comments + rebuilt.from_archives
    line = f"{name}: {total} {'run' if total == 1 else 'runs'}"
    if rebuilt.from_archives:
        line += f" ({rebuilt.from_archives} from archives)"
    if rebuilt.verdicts:
        line += (
            f", {rebuilt.verdicts} {'verdict' if rebuilt.verdicts == 1 else 'verdicts'} of people"
        )
    if rebuilt.measurements:
        noun = "measurement" if rebuilt.measurements == 1 else "measurements"
        line += f", {rebuilt.measurements} {noun} of descriptions"
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(rebuilt.skipped.items()))
    return line + (f"; skipped: {reasons}" if reasons else "")
