"""How soon the dashboard's pages begin to come, with 100,000 runs in the ledger.

40 skills in three repositories, 200 requests that wait, 200 that failed, and one run whose files
are kept. The real server has core 0 to itself, with the process beside it that works figures out;
Redis and whoever asks share core 1. A page is asked for over one connection, without the `ETag`
that a browser would send, so it is made each time. Measured is the time from the question to the
first bytes of the answer: for the first visitor of a server whose figures nobody made yet, for the
first of one that was restarted, for all later ones, and right after a run was recorded. The peer,
in the same run, is `/healthz`, which asks nobody and shows nothing.

To reach: at most 50 ms at the median for every page and answer of the API, and as much where a run
was recorded the moment before. Only the skill's own page then waits for its new figures, for a
second at most: that is shown without a goal. A turn of a run that is watched arrives within a
second.
"""

import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.embedded_redis import embedded_redis
from bot.store.ledger import RedisLedger
from bot.store.seen_repos import RedisSeenRepos
from jobs.planning.dedup import record_of
from jobs.requests import Repo
from jobs.results import RunRecord
from tests.bot.web_pages.ledger_seed import fill, put_ended_run, some_records
from tests.bot.web_pages.queue_seed import a_request, let_fail, let_wait
from tests.builders import a_repo, a_run_spec
from tools.bench.load import SECRET
from tools.bench.watching import time_updates
from tools.bench_intake import ask, free_port, serving

GOAL_MS, GOAL_UPDATE_MS = 50.0, 1_000.0
OFTEN = 100
RECORDED = 10
"""Runs that are recorded while somebody looks."""
REPOS = {"skills": (20, 60_000), "more-skills": (15, 30_000), "few-skills": (5, 10_000)}
"""Skills and runs of each repository."""
SKILL = "skills/skill-00"
KEPT = "5e1f00d5a1ad"
SETTLED_S, PAUSE_S = 120.0, 0.5
AT = "/repos/acme/skills"
API = "/api/v1/repos"
PAGES = {
    "overview": "/",
    "repository": AT,
    "skill": f"{AT}/skill?path={SKILL}",
    "runs": f"{AT}/runs",
    "runs of a skill and state": f"{AT}/runs?skill={SKILL}&state=complete",
    "run": f"{AT}/runs/{KEPT}",
    "queue": "/queue",
    "API: repositories": API,
    "API: repository": f"{API}/acme/skills",
    "API: skills": f"{API}/acme/skills/skills",
    "API: skill": f"{API}/acme/skills/skill?path={SKILL}",
    "API: runs": f"{API}/acme/skills/runs",
    "API: run": f"{API}/acme/skills/runs/{KEPT}",
    "API: queue": "/api/v1/queue",
}
AFTER_A_RUN = ("overview", "repository", "runs", "API: skills", "skill")
WAITS = "skill"
"""The page that has figures made anew before it is shown."""


class Asker:
    """One visitor over one connection, who keeps what cookies the server gives."""

    def __init__(self, port: int) -> None:
        self.base_url = f"http://127.0.0.1:{port}"
        self._connection = HTTPConnection("127.0.0.1", port, timeout=SETTLED_S)
        self._cookies: dict[str, str] = {}

    def first_byte_ms(self, path: str) -> float:
        """Milliseconds until an answer begins. Raises `RuntimeError` where it is no 200."""
        return self._ask(path)[0]

    def tag(self, path: str) -> str:
        """Of a page as it is now."""
        return self._ask(path)[1].headers["etag"] or ""

    def runs_counted(self) -> int:
        """In the figures of the skill."""
        return int(json.loads(self._ask(PAGES["API: skill"])[2])["card"]["runs"])

    def _ask(self, path: str) -> tuple[float, HTTPResponse, bytes]:
        headers = {"cookie": "; ".join(f"{name}={one}" for name, one in self._cookies.items())}
        began = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        passed = (time.perf_counter() - began) * 1000
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:300]!r}")
        for given in answer.headers.get_all("set-cookie", []):
            name, _, rest = given.partition("=")
            self._cookies[name] = rest.partition(";")[0]
        return passed, answer, body


async def main() -> int:
    """Measure, print, and give 0 if the goals were reached."""
    if (os.cpu_count() or 1) < 2 or not shutil.which("taskset"):
        print("This needs Linux with two cores: one for the server, one for Redis and the asker.")
        return 1
    print(f"processors {os.cpu_count()}, load {os.getloadavg()[0]:.1f} when it began")
    os.sched_setaffinity(0, {1})
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        async with embedded_redis(folder / "redis") as url, Redis.from_url(url) as redis:
            await seed(redis, folder)
            async with served(url, folder) as asker:
                show_firsts("first visitors, nothing made yet", asker)
                await asyncio.to_thread(settle, asker)
            async with served(url, folder) as asker:
                show_firsts("first visitors after a restart", asker)
                await asyncio.to_thread(settle, asker)
                peer = statistics.median(asker.first_byte_ms("/healthz") for _ in range(OFTEN))
                print(f"\n{'peer: /healthz':28}{peer:8.1f} ms")
                reached = show_warm(asker, peer)
                reached &= await show_after_a_run(asker, redis)
                reached &= await show_updates(asker, redis)
                return 0 if reached else 1


async def seed(redis: Redis, folder: Path) -> None:
    """Repositories with runs, one run with its files, and a queue."""
    for name, (skills, runs) in REPOS.items():
        repo = Repo(owner="acme", name=name, installation_id=7)
        await RedisSeenRepos(redis).see(repo)
        paths = [f"skills/skill-{number:02}" for number in range(skills)]
        await fill(redis, some_records(runs, repo=repo.full_name, skills=paths))
    blobs = Blobs((folder / "data/blobs").as_uri())
    spec = a_run_spec(run_id=KEPT, repo=a_repo(owner="acme", name="skills"))
    result = await put_ended_run(blobs, folder / "made", run_id=KEPT, spec=spec)
    await RedisLedger(redis).note(record_of(result))
    for number in range(200):
        await let_wait(redis, a_request(issue=number + 1))
        await let_fail(redis, a_request(issue=number + 1_000))


@asynccontextmanager
async def served(url: str, folder: Path) -> AsyncIterator[Asker]:
    """The web process as an operator starts it, and a connection to it."""
    port = free_port()
    env = {
        "SKILLBENCH_GITHUB_WEBHOOK_SECRET": SECRET,
        "SKILLBENCH_REDIS_URL": url,
        "SKILLBENCH_DATA_DIR": str(folder / "data"),
    }
    command = [sys.executable, "-m", "bot", "serve", "--port", str(port)]
    async with serving(command, port, env):
        await asyncio.to_thread(ask, port, "/healthz")
        yield Asker(port)


def show_firsts(who: str, asker: Asker) -> None:
    """One question for each page, in this order: the first one loads what the pages need."""
    print(f"\n{who}")
    for name, path in PAGES.items():
        print(f"  {name:28}{asker.first_byte_ms(path):8.1f} ms")


def settle(asker: Asker) -> None:
    """Wait until all figures are made: until the pages stay as they are.

    Raises `RuntimeError` where they never do.
    """
    deadline = time.monotonic() + SETTLED_S
    paths = [PAGES["overview"], PAGES["repository"], PAGES["skill"]]
    before, tags = None, [asker.tag(path) for path in paths]
    while tags != before:
        if time.monotonic() > deadline:
            raise RuntimeError("figures are made without end")
        time.sleep(PAUSE_S)
        before, tags = tags, [asker.tag(path) for path in paths]


def show_warm(asker: Asker, peer: float) -> bool:
    """Print how soon each page begins; whether the goal was reached."""
    print(f"\nall later visitors, {OFTEN} times each")
    reached = True
    for name, path in PAGES.items():
        times = sorted(asker.first_byte_ms(path) for _ in range(OFTEN))
        middle, late = statistics.median(times), times[int(len(times) * 0.95)]
        reached &= middle <= GOAL_MS
        print(
            f"  {name:28}{middle:8.1f} ms   95 in 100 below {late:6.1f} ms"
            f"   ratio {middle / peer:5.1f}{'' if middle <= GOAL_MS else '   TOO SLOW'}"
        )
    return reached


async def show_after_a_run(asker: Asker, redis: Redis) -> bool:
    """Print how soon pages begin right after a run was recorded; whether the goal was reached."""
    print(f"\nright after a run was recorded, {RECORDED} times each")
    ledger, reached = RedisLedger(redis), True
    for name in AFTER_A_RUN:
        times, counted = [], asker.runs_counted()
        for number in range(RECORDED):
            await ledger.note(a_new_run(f"{name} {number}"))
            times.append(await asyncio.to_thread(asker.first_byte_ms, PAGES[name]))
            await asyncio.to_thread(settle, asker)
        if asker.runs_counted() != counted + RECORDED:
            raise RuntimeError("figures were not made anew")
        middle = statistics.median(times)
        is_late = middle > GOAL_MS and name != WAITS
        reached &= not is_late
        late = "   TOO SLOW" if is_late else ""
        print(f"  {name:28}{middle:8.1f} ms   at most {max(times):6.1f} ms{late}")
    return reached


async def show_updates(asker: Asker, redis: Redis) -> bool:
    """Print how soon a turn of a run arrives with whoever watches it; whether it was reached."""
    times = await time_updates(asker.base_url, redis, count=OFTEN // 2)
    middle, latest = statistics.median(times), max(times)
    print(f"\na turn of a run that is watched, {len(times)} times")
    late = "" if latest <= GOAL_UPDATE_MS else "   TOO SLOW"
    print(f"  {'arrives after':28}{middle:8.1f} ms   at most {latest:6.1f} ms{late}")
    return latest <= GOAL_UPDATE_MS


def a_new_run(name: str) -> RunRecord:
    """Of the skill whose page is asked for, ended now."""
    [record] = some_records(1, skills=[SKILL], until=datetime.now(UTC))
    return record.model_copy(update={"run": sha256(name.encode()).hexdigest()[:12]})


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
