"""Which chores there are, and how often each is done."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.dispatch import AnswerInquiry
from bot.github.app import GitHubApp
from bot.upkeep.late_posts import LatePosts
from bot.upkeep.privacy import Privacy
from bot.upkeep.redelivery import Redelivery
from bot.upkeep.rounds import SCAN, Chore
from bot.upkeep.scan import Scan
from bot.upkeep.schedule import Schedules
from bot.upkeep.sweep import Sweep
from bot.waiting import LOOK, WaitingComments
from config.settings import Settings
from handlers.questions import HandlerContext

OFTEN = timedelta(minutes=5)
HOURLY = timedelta(hours=1)
SELDOM = timedelta(hours=6)
DAILY = timedelta(days=1)


def make_chores(
    settings: Settings,
    redis: Redis,
    app: GitHubApp,
    find_context: Callable[[], Awaitable[HandlerContext]],
    answer: AnswerInquiry,
) -> tuple[Chore, ...]:
    """The chores of a worker. `find_context` tells whom the bot serves, `answer` is for
    reading commands that were missed.
    """
    blobs = Blobs(settings.blobs)
    redelivery = Redelivery(log=app.deliveries(), redis=redis)
    late_posts = LatePosts(app=app, redis=redis, blobs=blobs)
    scan = Scan(app=app, redis=redis, blobs=blobs, find_context=find_context, answer=answer)
    schedules = Schedules(app=app, redis=redis, find_context=find_context)
    waiting = WaitingComments(settings=settings, redis=redis, app=app, blobs=blobs)
    sweep = Sweep(blobs=blobs, redis=redis, keep=timedelta(days=settings.keep_days))
    return (
        Chore("waiting", LOOK, waiting.look),
        Chore("redelivery", OFTEN, redelivery.run),
        Chore("late_posts", OFTEN, late_posts.run),
        Chore(SCAN, SELDOM, scan.run),
        Chore("privacy", HOURLY, Privacy(app, redis).run),
        Chore("schedules", OFTEN, schedules.run),
        Chore("sweep", DAILY, sweep.run),
    )
