"""Puts a worker's parts together: queues, handlers, jobs, GitHub.

Imports the model SDKs and the GitHub client, so only workers and one-shot commands load it.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.cancellable_queue import CancellableQueue, find_said
from bot.dispatch import dispatch
from bot.github.app import GitHubApp
from bot.github.on_commit import NO_ISSUE
from bot.github.pacing import Pacer
from bot.kinds import CARRY_OUT, TRIGGERING
from bot.metrics import Counts
from bot.onboarding import Onboarding
from bot.queue_view import RedisQueueView
from bot.queues import enqueue
from bot.redis_clients import away_is_transient, connect_patiently
from bot.store.budget import RedisBudget
from bot.store.claims import RedisClaims
from bot.store.failed_requests import RedisFailures
from bot.store.ledger import RedisLedger
from bot.store.live_sessions import LiveWriter
from bot.store.page_shelf import PageShelf
from bot.store.seen_repos import RedisSeenRepos
from bot.unreadable import Words
from bot.upkeep.chores import make_chores
from bot.upkeep.privacy import Privacy
from bot.upkeep.rounds import do_rounds
from bot.upkeep.schedule import forget_unscheduled
from bot.waiting import WaitingComments
from bot.worker import Jobs
from bot.worlds import Worlds, make_worlds
from config.settings import Settings, names_in
from handlers.events import (
    Event,
    InstallationChanged,
    IssueCommented,
    IssueLabelled,
    Pushed,
    RepositoryChanged,
)
from handlers.questions import HandlerContext, as_repo
from jobs import not_offered
from jobs.alongside import alongside
from jobs.cancelling import Cancelled, end_cancelled
from jobs.datasets import chunks
from jobs.errors import Error
from jobs.inquiries.answering import answer
from jobs.inquiries.world import InquiryWorld
from jobs.late import put_off
from jobs.pull_requests import following as pull_following
from jobs.pushes import following
from jobs.requests import TOLD_ELSEWHERE, WEB, Inquiry, Repo, Request
from jobs.triggering import cancelling
from jobs.triggering import carry_out as triggering
from jobs.triggering.world import TriggerRequestWorld
from jobs.world import World

ANSWERS_AT_ONCE = 4
"""Of reading commands, in one worker: some read the files of a whole commit."""


class _Requests:
    """Implements `jobs.world.RequestQueue`; what a job asks for comes with no delivery."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def enqueue(self, request: Request) -> bool:
        with away_is_transient():
            return await enqueue(self._redis, request)


class Wiring:
    """A worker's ends: events to handlers, requests to the jobs, both to GitHub."""

    def __init__(self, settings: Settings, redis: Redis, app: GitHubApp, worlds: Worlds) -> None:
        self._settings = settings
        self._redis = redis
        self._app = app
        self._worlds = worlds
        self._seen = RedisSeenRepos(redis)
        self._answers = asyncio.Semaphore(ANSWERS_AT_ONCE)
        self._waiting = WaitingComments(
            settings=settings, redis=redis, app=app, blobs=Blobs(settings.blobs)
        )

    def jobs(self) -> Jobs:
        """What the two queues call."""
        return Jobs(
            self._redis,
            self.handle_event,
            self.carry_out,
            self.say,
            end_cancelled=self.end_cancelled,
            find_words=self.find_words,
        )

    async def handle_event(self, event: Event) -> None:
        if isinstance(event, InstallationChanged):
            blobs = Blobs(self._settings.blobs)
            onboarding = Onboarding(self._app, self._redis, blobs)
            await onboarding.handle(event, await self._context_for_all())
            return
        if isinstance(event, RepositoryChanged):
            await Privacy(self._app, self._redis).take(event)
        else:
            await self._seen.see(as_repo(event.repository))
        repository = self._app.repository(as_repo(event.repository))
        if isinstance(event, Pushed):
            await repository.repo_files.forget(may_differ=event.touches_config)
            await forget_unscheduled(self._redis, repository.repo.full_name)
        queue = CancellableQueue(self._redis, find_said(event), blobs=Blobs(self._settings.blobs))
        await dispatch(event, await self._context(event), repository, queue, self.answer)

    async def answer(self, inquiry: Inquiry) -> str:
        """What a reading command wants to know."""
        request = inquiry.request
        world = InquiryWorld(
            place=self._world(request),
            queue=RedisQueueView(self._redis),
            repo_file=await self._app.repository(request.repo).repo_file(),
            version=version("skillbench"),
        )
        async with self._answers:
            return await answer(inquiry, world)

    async def carry_out(self, request: Request, last_try: bool) -> None:
        if request.repo != WEB:
            await self._seen.see(request.repo, request.asked_at)
        await self._waiting.begin(request)
        await self._carry_out(request, last_try)
        await self._waiting.end(request)

    async def _carry_out(self, request: Request, last_try: bool) -> None:
        world = await self._named_world(request)
        if request.kind in TRIGGERING:
            await triggering.carry_out(request, self._trigger_world(world), last_try=last_try)
        elif request.kind in chunks.KINDS:
            datasets = self._worlds.datasets.on(world, self._redis)
            await chunks.carry_out(request, datasets, last_try=last_try)
        else:
            carry_out = CARRY_OUT.get(request.kind, not_offered.carry_out)
            await carry_out(request, world, last_try=last_try)

    async def end_cancelled(self, request: Request, cancelled: Cancelled) -> None:
        await self._waiting.begin(request)
        await self._end_cancelled(request, cancelled)
        await self._waiting.end(request)

    async def _end_cancelled(self, request: Request, cancelled: Cancelled) -> None:
        if cancelled.comes_back:
            await put_off(request, "the installation is suspended", self._world(request))
            return
        world = await self._named_world(request)
        if request.kind in TRIGGERING:
            await cancelling.end_cancelled(request, cancelled, self._trigger_world(world))
        elif await chunks.end_cancelled(
            request, cancelled, self._worlds.datasets.on(world, self._redis)
        ):
            return
        else:
            await end_cancelled(request, cancelled, world)
            await following.note_cancelled(request, world)
            await pull_following.note_cancelled(request, world)

    async def _named_world(self, request: Request) -> World:
        """The world of a request, in which the bot is mentioned as the repository has it."""
        world = self._world(request)
        try:
            mention = (await world.github.repo_file()).mention
        except Error:  # the request meets the same trouble, and knows what to do about it
            return world
        if mention is None:
            return world
        settings = world.runs.settings.model_copy(update={"mention": mention})
        return replace(world, runs=replace(world.runs, settings=settings))

    def _trigger_world(self, world: World) -> TriggerRequestWorld:
        named = {"mention": world.runs.settings.mention}
        settings = self._worlds.triggers.settings.model_copy(update=named)
        return TriggerRequestWorld(
            place=world,
            triggers=replace(self._worlds.triggers, settings=settings),
            pages=PageShelf(self._redis, public_url=self._settings.public_url),
        )

    def _world(self, request: Request) -> World:
        on_commit = request.after if request.issue == NO_ISSUE else None
        return World(
            runs=self._worlds.runs,
            github=self._app.repository(
                request.repo,
                on_commit=on_commit,
                reports_only=request.kind == "benchmark" and request.origin in TOLD_ELSEWHERE,
                on_page=request.dataset.run_id if request.origin == "web" else "",
            ),
            ledger=RedisLedger(self._redis),
            counts=Counts(self._redis),
            requests=_Requests(self._redis),
            claims=RedisClaims(self._redis),
            failures=RedisFailures(self._redis),
            find_moved=partial(self._app.find_moved, request.repo),
        )

    def upkeep(self) -> AbstractAsyncContextManager[object]:
        """Does what is due now and then, beside whatever the block does."""
        chores = make_chores(
            self._settings, self._redis, self._app, self._context_for_all, self.answer
        )
        return alongside(do_rounds(self._redis, chores))

    async def say(self, place: dict[str, object], text: str) -> None:
        """Say something on the issue, or the commit, that an unreadable job names."""
        repository = self._app.repository(Repo.model_validate(place["repo"]))
        tag = f"word:{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        if "commit" in place:
            await repository.comment_on_commit(str(place["commit"]), text, tag=tag)
        else:
            await repository.comment(int(str(place["issue"])), text, tag=tag)

    async def find_words(self, repo: dict[str, object]) -> Words:
        """How a repository speaks to the bot, by its own file; the operator's word holds, too."""
        repo_file = await self._app.repository(Repo.model_validate(repo)).repo_file()
        usual = self._settings.mention
        return Words((usual, repo_file.mention or usual), repo_file.labels.run)

    async def _context(self, event: Event) -> HandlerContext:
        """What the decision depends on; GitHub is asked who we are, once, if it does at all.

        Bots are not listened to, but what they push, propose or take off counts: unless we did it.
        """
        context = self._context_of_settings()
        is_listened_to = context.reason_to_ignore(event.sender) is None
        if not is_listened_to and isinstance(event, IssueCommented | IssueLabelled):
            return context
        return await self._context_for_all()

    def _context_of_settings(self) -> HandlerContext:
        return HandlerContext(
            mention=self._settings.mention,
            allowed_owners=names_in(self._settings.allowed_owners),
            allowed_bots=names_in(self._settings.allowed_bots),
        )

    async def _context_for_all(self) -> HandlerContext:
        context = self._context_of_settings()
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
    live = LiveWriter(redis)
    try:
        async with (
            GitHubApp(settings, redis=redis, pacer=pacer) as app,
            alongside(app.ask_early()),  # so that the first label does not wait for it
            live.writing(),
        ):
            budget = RedisBudget(redis, per_day=settings.max_usd_per_day)
            worlds = await make_worlds(settings, budget=budget, scratch=scratch, live=live)
            yield Wiring(settings, redis, app, worlds)
    finally:
        await redis.aclose()
