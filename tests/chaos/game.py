"""One game of chaos: a seed, a bot of several processes, and everything that can break.

What is asked, broken and checked stands in the modules beside this one; here is only their
order.
"""

import asyncio
import random
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr
from redis.asyncio import Redis

from demo.github import LocalGitHub
from demo.github.serving import open_socket
from demo.model_api import Asked, ScriptedModelApi
from demo.model_api.steps import Step
from demo.play import make_settings, scripted
from jobs.values import SKILL_OR_NONE
from tests.chaos import checks
from tests.chaos.askings import Asking, draw_askings, seed_repositories, unanswered
from tests.chaos.fleet import Fleet, orphans, remove
from tests.chaos.paid import JUDGE, Paid
from tests.chaos.trouble import Breaker, Broken, draw_faults, draw_kills
from tests.stories.test_crash import environment_of

LONGEST_S = 240.0
"""For everything to be answered: far more than it takes, and less than for ever."""
SETTLE_S = 30.0
"""For what is left in progress after the last answer."""
AGAIN_S = 0.5
"""How often deliveries that failed are sent again, as GitHub does when it is asked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a game is."""

    workers: int = 3
    askings: int = 8
    kills: int = 5
    faults: int = 14
    span_s: float = 20.0


@dataclass(eq=False, slots=True, kw_only=True)
class Outcome:
    """What a game has shown."""

    seed: int
    seconds: float = 0.0
    askings: int = 0
    deliveries: int = 0
    broken: Broken = field(default_factory=Broken)
    begun: int = 0
    """Sessions that began, of both arms."""
    finished: int = 0
    readings_begun: int = 0
    readings: int = 0
    takeovers: list[checks.Takeover] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    """Broken promises; none is what is hoped for."""
    folder: Path | None = None
    """Where the logs are, if there is a finding."""


async def play(seed: int, size: Size, *, private_key_pem: str) -> Outcome:
    """Play one game to its end and check it."""
    outcome = Outcome(seed=seed)
    before = orphans()  # what else this process has to do with
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    rng = random.Random(seed)
    paid = Paid(random.Random(seed))
    async with staged(folder, paid.behave, private_key_pem) as (fleet, github, model):
        askings = draw_askings(
            rng, seed_repositories(github), count=size.askings, span_s=size.span_s * 0.8
        )
        kills = draw_kills(rng, count=size.kills, span_s=size.span_s)
        faults = draw_faults(rng, count=size.faults, span_s=size.span_s)
        await fleet.start(size.workers)
        breaker = Breaker(fleet, github, model)
        start = time.monotonic()
        repeating = asyncio.create_task(_deliver_again(github, rng))
        await asyncio.gather(
            _ask(askings, start), breaker.kill(kills, start), breaker.spoil(faults, start)
        )
        await _until_answered(askings, github.bot_login)
        repeating.cancel()
        async with Redis.from_url(fleet.redis_url) as redis:
            outcome.findings += await _settled(redis)
        await fleet.stop()
        outcome.broken = breaker.broken
        outcome.deliveries = len(github.deliveries)
        outcome.findings += checks.check_answers(askings, github.bot_login)
    _look_back(outcome, fleet, paid)
    left = orphans(before).items()
    outcome.findings += [f"a process was left behind: {pid} {command}" for pid, command in left]
    outcome.askings = len(askings)
    outcome.seconds = time.monotonic() - began
    if outcome.findings:
        outcome.folder = folder
    else:
        remove(folder)
    return outcome


@asynccontextmanager
async def staged(
    folder: Path, behaviour: Callable[[Asked], Step], private_key_pem: str
) -> AsyncIterator[tuple[Fleet, LocalGitHub, ScriptedModelApi]]:
    secret = secrets.token_urlsafe(24)
    async with AsyncExitStack() as stack:
        github = LocalGitHub(webhook_secret=secret, private_key_pem=private_key_pem)
        served = await stack.enter_async_context(github.serve())
        model = ScriptedModelApi(behaviour=behaviour)
        api = await stack.enter_async_context(model.serve())
        bound = open_socket("127.0.0.1", 0)
        port = bound.getsockname()[1]
        bound.close()
        github.set_webhook(f"http://127.0.0.1:{port}/webhook", secret)
        settings = make_settings(
            {
                "github_app_id": str(github.app_id),
                "github_private_key": SecretStr(github.private_key_pem),
                "github_webhook_secret": SecretStr(secret),
                "github_api_url": served.api_url,
                "github_web_url": served.web_url,
                "allowed_owners": "*",
                "redis_url": f"unix://{folder / 'redis.sock'}",
                "data_dir": folder / "data",
                "port": port,
                "max_usd_per_day": "100000",
                "max_concurrent_requests": 20,  # so that whoever lives has room for all
                "max_requests_per_repository": 20,
                **scripted(api.anthropic_url),
            }
        )
        fleet = Fleet(folder, environment_of(settings), port)
        try:
            yield fleet, github, model
        finally:
            await fleet.stop()


async def _ask(askings: list[Asking], start: float) -> None:
    for asking in askings:
        await asyncio.sleep(max(0.0, start + asking.at_s - time.monotonic()))
        asking.ask()


async def _deliver_again(github: LocalGitHub, rng: random.Random) -> None:
    """Redeliver what was not taken, in any order."""
    while True:
        await asyncio.sleep(AGAIN_S)
        taken = {one.guid for one in github.deliveries if one.status in {"OK", "pending"}}
        failed = {one.guid: one for one in github.deliveries if one.guid not in taken}
        for guid in rng.sample(sorted(failed), len(failed)):
            github.redeliver(failed[guid])


async def _until_answered(askings: list[Asking], bot: str) -> None:
    """Wait for every answer; whoever is still waiting then is a finding of the checks."""
    end = time.monotonic() + LONGEST_S
    while unanswered(askings, bot) and time.monotonic() < end:
        await asyncio.sleep(0.1)


async def _settled(redis: Redis) -> list[str]:
    """What is still under way when it should not be."""
    end = time.monotonic() + SETTLE_S
    while (found := await checks.check_redis(redis)) and time.monotonic() < end:
        await asyncio.sleep(0.1)
    return found


def _look_back(outcome: Outcome, fleet: Fleet, paid: Paid) -> None:
    """All that can be said once nothing runs any more."""
    blobs = fleet.folder / "data" / "blobs"
    outcome.takeovers = checks.find_takeovers(fleet)
    outcome.findings += [
        *checks.check_payments(fleet, paid),
        *checks.check_takeovers(outcome.takeovers),
        *checks.check_folders(fleet),
        *checks.check_logs(fleet),
        *fleet.left_by_themselves(),
    ]
    words = {checks.word_of(spec) for spec in checks.planned(blobs)}
    outcome.begun = sum(paid.begun(word, arm.value) for word in words for arm in SKILL_OR_NONE)
    outcome.finished = len(list(blobs.glob("runs/*/*_skill-1.zip")))
    outcome.readings_begun = sum(paid.begun(word, JUDGE) for word in words)
    outcome.readings = len(list(blobs.glob("runs/*/pass-*.json")))
