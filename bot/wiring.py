"""Puts the parts together: the one place where ports meet what fills them.

Imports the model SDKs and the GitHub client, so only workers and one-shot commands load it.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.cancels import CancellableQueue
from bot.dispatch import dispatch
from bot.github.app import GitHubApp
from bot.github.pacing import Pacer
from bot.metrics import Counts
from bot.redis_clients import connect_patiently
from bot.store.budget import RedisBudget
from bot.store.ledger import RedisLedger
from bot.worker import Jobs
from config.settings import Settings, names_in
from handlers.events import Event
from handlers.questions import HandlerContext, as_repo
from jobs.alongside import alongside
from jobs.benchmark import carry_out
from jobs.cancelling import Cancelled, end_cancelled
from jobs.claude_code.cli import ClaudeCli
from jobs.claude_code.conversation import CliConversations, ModelApi
from jobs.claude_code.launcher import ClaudeCodeLauncher
from jobs.environments.environments import SandboxEnvironments
from jobs.environments.folders import Folders
from jobs.environments.images import find_image_id
from jobs.environments.setup import SetupRunner
from jobs.errors import Refused
from jobs.judging.judge import AgentJudge
from jobs.models.agent import ModelAgent
from jobs.models.catalog import ApiModelCatalog
from jobs.models.doors import Doors
from jobs.ports import Budget
from jobs.requests import Repo, Request
from jobs.sandbox import SandboxMaker
from jobs.sessions.api_launcher import ApiLauncher
from jobs.sessions.sandboxes import make_sandbox_maker, runs_programs
from jobs.sessions.tools import SessionTools
from jobs.world import Launchers, RunWorld, World


def utc_now() -> datetime:
    return datetime.now(UTC)


async def make_run_world(settings: Settings, *, budget: Budget, scratch: Path) -> RunWorld:
    """What runs need. Raises `Refused`, saying what to do, where no sandbox can work here."""
    sandboxes = make_sandbox_maker(
        settings.sandbox, docker_image=settings.docker_image, docker_host=settings.docker_host
    )
    if problem := await sandboxes.problem():
        raise Refused(problem)
    await asyncio.to_thread((doors := Doors(settings)).load)
    agent = ModelAgent(doors)
    api = ApiLauncher(agent, sandboxes, memory_mb=settings.session_memory_mb)
    return RunWorld(
        launchers=make_launchers(settings, api, sandboxes),
        environments=await make_environments(settings, sandboxes, scratch),
        judge=AgentJudge(agent, sandboxes, SessionTools),
        catalog=ApiModelCatalog(doors),
        blobs=Blobs(settings.blobs),
        budget=budget,
        settings=settings,
        clock=utc_now,
        scratch=scratch,
    )


async def make_environments(
    settings: Settings, sandboxes: SandboxMaker, scratch: Path
) -> SandboxEnvironments:
    """Environments in the data folder, without those that nobody has asked for in a month."""
    folders = Folders(settings.data_dir / "environments")
    await asyncio.to_thread(folders.sweep)
    return SandboxEnvironments(
        runner=SetupRunner(
            sandboxes=sandboxes,
            timeout_s=settings.setup_timeout.total_seconds(),
            memory_mb=settings.session_memory_mb,
        ),
        folders=folders,
        find_image_id=lambda environment: find_image_id(environment, settings.docker_host),
        scratch=scratch,
    )


def make_launchers(settings: Settings, api: ApiLauncher, sandboxes: SandboxMaker) -> Launchers:
    """Our own loop, and Claude Code where it is installed and its key is set."""
    try:
        if not runs_programs(sandboxes):
            raise Refused(  # noqa: TRY301
                f"it needs the sandbox `bubblewrap` or `docker`, and this is `{sandboxes.name}`."
            )
        if not settings.anthropic_api_key.get_secret_value():
            raise Refused("ANTHROPIC_API_KEY is not set.")  # noqa: TRY301
        conversations = CliConversations(
            cli=ClaudeCli.find(settings.claude_binary),
            sandboxes=sandboxes,
            api=ModelApi(base_url=settings.anthropic_base_url, key=settings.anthropic_api_key),
            memory_mb=settings.session_memory_mb,
        )
    except Refused as reason:
        return Launchers({"api": api}, {"claude-code": str(reason)})
    claude = ClaudeCodeLauncher(conversations=conversations)
    return Launchers({"api": api, "claude-code": claude}, {})


class Wiring:
    """A worker's ends: events to handlers, requests to the jobs, both to GitHub."""

    def __init__(self, settings: Settings, redis: Redis, app: GitHubApp, runs: RunWorld) -> None:
        self._settings = settings
        self._redis = redis
        self._app = app
        self._runs = runs

    def jobs(self) -> Jobs:
        """What the two queues call."""
        mention = self._settings.mention
        return Jobs(
            self._redis,
            self.handle_event,
            self.carry_out,
            self.say,
            end_cancelled=self.end_cancelled,
            mention=mention,
        )

    async def handle_event(self, event: Event) -> None:
        repository = self._app.repository(as_repo(event.repository))
        await dispatch(event, await self._context(event), repository, CancellableQueue(self._redis))

    async def carry_out(self, request: Request, last_try: bool) -> None:
        await carry_out(request, self._world(request), last_try=last_try)

    async def end_cancelled(self, request: Request, cancelled: Cancelled) -> None:
        await end_cancelled(request, cancelled, self._world(request))

    def _world(self, request: Request) -> World:
        return World(
            runs=self._runs,
            github=self._app.repository(request.repo),
            ledger=RedisLedger(self._redis),
            counts=Counts(self._redis),
        )

    async def say(self, place: dict[str, object], text: str) -> None:
        """Say something on the issue that an unreadable job names."""
        repo = Repo.model_validate(place["repo"])
        issue = int(str(place["issue"]))
        tag = f"word:{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        await self._app.repository(repo).comment(issue, text, tag=tag)

    async def _context(self, event: Event) -> HandlerContext:
        """What the decision depends on; GitHub is asked who we are, once, if it does at all."""
        context = HandlerContext(
            mention=self._settings.mention,
            allowed_owners=names_in(self._settings.allowed_owners),
            allowed_bots=names_in(self._settings.allowed_bots),
        )
        if context.reason_to_ignore(event.sender) is not None:
            return context
        identity = await self._app.identity()
        return replace(
            context,
            allowed_owners=context.allowed_owners or (identity.owner,),
            app_bot_login=identity.bot_login,
        )


@asynccontextmanager
async def wired(
    settings: Settings, scratch: Path, *, pacer: Pacer | None = None
) -> AsyncIterator[Wiring]:
    """A worker's wiring, with its connections open while the block runs.

    `pacer` is for whoever need not keep to GitHub's pace of writes.
    """
    redis = connect_patiently(settings.redis_url)
    try:
        async with (
            GitHubApp(settings, redis=redis, pacer=pacer) as app,
            alongside(app.ask_early()),  # so that the first label does not wait for it
        ):
            budget = RedisBudget(redis, per_day=settings.max_usd_per_day)
            runs = await make_run_world(settings, budget=budget, scratch=scratch)
            yield Wiring(settings, redis, app, runs)
    finally:
        await redis.aclose()
