"""All routes of the pages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import Redis
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from bot.api.app import make_api
from bot.api.asking import ROOT, Backend
from bot.charts.gallery import Gallery
from bot.charts.routes import Charts
from bot.queue_view import RedisQueueView
from bot.store.live_sessions import LiveReader
from bot.store.seen_repos import RedisSeenRepos, utc_now
from bot.web.access import Access
from bot.web.aside import Aside
from bot.web.comparing import Comparer
from bot.web.downloads import Downloads
from bot.web.figures import Figures
from bot.web.fresh import show_nothing
from bot.web.going_on import Happenings
from bot.web.guard import Guard
from bot.web.overview import Overview
from bot.web.queue_page import QueuePage
from bot.web.queue_reading import QueueReader
from bot.web.repo_page import RepoPage
from bot.web.run_compare import RunCompare
from bot.web.run_downloads import RunDownloads
from bot.web.run_live import RunLive
from bot.web.run_page import RunPage
from bot.web.run_reader import RunReader
from bot.web.run_talk import RunTalk
from bot.web.runs import Runs
from bot.web.runs_list import RunsList
from bot.web.shell import problem, show_static
from bot.web.sign_in import SignIn
from bot.web.skill_page import SkillPage
from bot.web.task_page import TaskPage
from bot.web.tasks import Tasks
from config.settings import Settings


async def show_no_way(_: Request, error: Exception) -> Response:
    """What is answered to a method that an address does not have."""
    answer = problem(None, 405, "Not that way", "This address is not asked for in this way.")
    allowed = error.headers if isinstance(error, HTTPException) else None
    answer.headers.update(allowed or {})
    return answer


async def show_defect(_: Request, __: Exception) -> Response:
    """A defect: the log says more, and the page nothing of it."""
    text = "This page could not be made; the operator's log says why."
    return problem(None, 500, "Something broke on our side", text)


def make_pages(settings: Settings, redis: Redis, leaving: asyncio.Event) -> Starlette:
    """The pages as an application; `leaving` is set when the server goes."""
    access = Access(settings, redis)
    guard = Guard(access)
    runs = Runs(redis, settings.blobs)
    comparer = Comparer()
    aside = Aside()
    figures = Figures(redis, settings, aside)
    queue = RedisQueueView(redis)
    live = RunLive(LiveReader(redis), figures, access, utc_now, leaving)
    happenings = Happenings(queue, live, utc_now)
    reader = RunReader(settings, figures)
    requests = QueueReader(redis, utc_now)
    backend = Backend(
        settings=settings, access=access, figures=figures, reader=reader,
        live=LiveReader(redis), queue=queue, requests=requests, datasets=runs,
        comparer=comparer, clock=utc_now,
    )  # fmt: skip

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await figures.close()
        aside.close()

    async def show_no_page(request: Request, _: Exception) -> Response:
        return await guard.open_page(show_nothing)(request)

    return Starlette(
        exception_handlers={404: show_no_page, 405: show_no_way, Exception: show_defect},
        routes=[
            Mount(ROOT, make_api(backend)),
            Route("/static/{name}", show_static, methods=["GET"]),
            *SignIn(settings, access, RedisSeenRepos(redis)).routes(),
            *Overview(figures, happenings, settings).routes(guard),
            *RepoPage(figures, happenings, settings).routes(guard),
            *SkillPage(figures, settings, utc_now).routes(guard),
            *QueuePage(requests, redis, settings, utc_now).routes(guard),
            *RunsList(figures, utc_now).routes(guard),
            *RunPage(reader, figures, settings, utc_now, live).routes(guard),
            *RunTalk(reader, figures).routes(guard),
            *RunCompare(reader, figures, utc_now).routes(guard),
            *RunDownloads(reader, figures).routes(guard),
            *live.routes(guard),
            *Charts(access, figures, Gallery(aside)).routes(),
            *Tasks(runs, comparer, settings.datasets, utc_now).routes(guard),
            *Downloads(runs).routes(guard),
            *TaskPage(runs, utc_now, leaving).routes(guard),
        ],
        lifespan=lifespan,
    )
