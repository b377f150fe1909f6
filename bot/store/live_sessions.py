"""How runs go on, in Redis: the workers write, the pages read.

A run is one hash, which is kept for a day, and a place among those that are carried out now, which
its worker renews: so a run whose worker was killed is not shown as running for ever. Each change is
published in the step that writes it. A worker writes what is newest, a few times a second at most,
so that no session makes more work than that, however fast it goes on.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from bot.queues import milliseconds
from bot.redis_clients import REDIS_AWAY, away_is_transient
from jobs.alongside import alongside
from jobs.live_sessions import OVER, LiveHead, LiveMove, LiveSession, RunNow

RUN = "skillbench:live:"
"""Before a run's id: its hash, and the channel of its changes."""
HELD = "skillbench:live-runs"
"""Sorted set: run to when its worker's word is good no more; and the channel of all changes."""
KEPT = timedelta(days=1)
LEASE = timedelta(seconds=15)
RENEW_S = 5.0
AT_MOST_EVERY_S = 0.25
REST_S = 2.0
"""Before Redis is written to again that was away."""
LAST_WORD_S = 3.0
"""For what is left to write when a worker goes."""
LISTEN_S = 5.0
"""How long a follower waits for a change before it looks itself: no worker tells that it died."""
SESSION = "session:"
"""Before a session's step: its field in the hash."""
MOST_LISTED = 200

WRITE = """
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local by = redis.call('hget', KEYS[1], 'by')
if ARGV[3] == 'begin' then
  redis.call('del', KEYS[1])
elseif not by then
  return 0
elseif ARGV[3] == 'go on' and by ~= ARGV[2] then
  return -1
end
if ARGV[3] ~= 'end' then redis.call('hset', KEYS[1], 'by', ARGV[2]) end
if ARGV[4] == '1' then
  redis.call('zrem', KEYS[2], ARGV[1])
else
  redis.call('zadd', KEYS[2], now + ARGV[5], ARGV[1])
end
redis.call('pexpire', KEYS[1], ARGV[6])
if #ARGV == 6 then return 1 end
redis.call('hset', KEYS[1], 'version', time[1] .. '.' .. time[2], unpack(ARGV, 7))
redis.call('publish', KEYS[1], '')
redis.call('publish', KEYS[2], ARGV[1])
return 1
"""
"""The run; who writes; `begin`, `go on` or `end` (a word of whoever does not carry it out); whether
it is over; lease and keeping time; then fields. 0: it is not remembered; -1: it is another's."""
LOOK = """
local time = redis.call('time')
local until_ = redis.call('zscore', KEYS[2], ARGV[1])
local held = until_ and tonumber(until_) > time[1] * 1000 + math.floor(time[2] / 1000)
return {redis.call('hgetall', KEYS[1]), held and 1 or 0}
"""
LIST = """
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', now - 60000)
return redis.call('zrevrangebyscore', KEYS[1], '+inf', '(' .. now, 'LIMIT', 0, ARGV[1])
"""

WRITTEN, NOT_REMEMBERED = 1, 0

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Told:
    """What this worker has to say of one run."""

    how: str
    """What the next write is: `begin`, `go on` or `end`."""
    fields: dict[str, str] = field(default_factory=dict)
    """All of it, for a Redis that has forgotten."""
    changed: set[str] = field(default_factory=set)
    """Names of those that Redis has not got yet."""
    is_over: bool = False

    def take_changed(self) -> list[str]:
        """Those names, which are on their way from now on."""
        changed, self.changed = sorted(self.changed), set()
        return changed


class LiveWriter:
    """Implements `jobs.live_sessions.LiveSessions`; writes while `writing` is open."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._write = redis.register_script(WRITE)
        self._me = uuid4().hex
        self._runs: dict[str, _Told] = {}
        """Those that are carried out here, and those whose last word is not written yet."""
        self._news = asyncio.Event()

    def begin(self, head: LiveHead) -> None:
        self._runs[head.run] = _Told(how="begin")
        self._put(head.run, "head", head.model_dump_json())

    def move(self, run: str, move: LiveMove) -> None:
        is_over = move.state in OVER
        if run not in self._runs and is_over:  # told by whoever ends what another had left
            self._runs[run] = _Told(how="end")
        if run in self._runs:
            self._runs[run].is_over = is_over
            self._put(run, "move", move.model_dump_json())

    def show(self, run: str, session: LiveSession) -> None:
        if run in self._runs:
            self._put(run, SESSION + session.step, session.model_dump_json())

    def _put(self, run: str, name: str, text: str) -> None:
        told = self._runs[run]
        told.fields[name] = text
        told.changed.add(name)
        self._news.set()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Write while the block runs, and what is left at its end."""
        try:
            async with alongside(self._keep_writing()):
                yield
        finally:
            with suppress(TimeoutError, *REDIS_AWAY):
                async with asyncio.timeout(LAST_WORD_S):
                    await self._write_news(renews=False)

    async def _keep_writing(self) -> None:
        now = asyncio.get_running_loop().time
        renewed_at = now()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEW_S):
                    await self._news.wait()
            self._news.clear()
            renews = now() - renewed_at >= RENEW_S
            renewed_at = now() if renews else renewed_at
            try:
                await self._write_news(renews=renews)
                await asyncio.sleep(AT_MOST_EVERY_S)
            except REDIS_AWAY as trouble:
                log.warning("live_not_written", problem=str(trouble))
                await asyncio.sleep(REST_S)
                self._news.set()

    async def _write_news(self, *, renews: bool) -> None:
        """Write what has changed; of every run that goes on, that it does, where that is due."""
        news = [one for one in self._runs.items() if one[1].changed or renews]
        if not news:
            return
        names = [told.take_changed() for _, told in news]
        async with self._redis.pipeline(transaction=False) as pipe:
            for (run, told), changed in zip(news, names, strict=True):
                fields = [part for name in changed for part in (name, told.fields[name])]
                times = milliseconds(LEASE), milliseconds(KEPT)
                args: list[str | int] = [
                    run,
                    self._me,
                    told.how,
                    int(told.is_over),
                    *times,
                    *fields,
                ]
                await self._write(keys=[RUN + run, HELD], args=args, client=pipe)
            try:
                found = await pipe.execute()
            except BaseException:
                for (_, told), changed in zip(news, names, strict=True):
                    told.changed.update(changed)
                raise
        for (run, told), answer in zip(news, found, strict=True):
            if self._runs.get(run) is told:  # it may have begun anew meanwhile
                self._take(run, told, answer)

    def _take(self, run: str, told: _Told, answer: int) -> None:
        """What follows from what Redis says of a write."""
        if answer == NOT_REMEMBERED and told.how == "go on":  # Redis was emptied
            told.how, told.changed = "begin", set(told.fields)
            self._news.set()
        elif answer != WRITTEN or (told.is_over and not told.changed):
            del self._runs[run]
        else:
            told.how = "go on"


class LiveReader:
    """What the pages see of runs that go on. Raises `Transient` where Redis stays away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._look = redis.register_script(LOOK)
        self._list = redis.register_script(LIST)

    async def look(self, run: str) -> RunNow | None:
        """A run as it stands; None where it has not begun in the last day."""
        with away_is_transient():
            found = await self._look(keys=[RUN + run, HELD], args=[run])
        return _read(found)

    async def running(self) -> Sequence[RunNow]:
        """The runs that are carried out now, of all repositories; the one begun last first."""
        with away_is_transient():
            names = await self._list(keys=[HELD], args=[MOST_LISTED])
            async with self._redis.pipeline(transaction=False) as pipe:
                for name in names:
                    run = name.decode()
                    await self._look(keys=[RUN + run, HELD], args=[run], client=pipe)
                found = await pipe.execute()
        runs = [run for one in found if (run := _read(one)) is not None and run.is_held]
        return sorted(runs, key=lambda run: run.head.started_at, reverse=True)

    async def follow(self, run: str = "") -> AsyncIterator[None]:
        """At once, whenever a run may have changed, and now and then; without end.

        Without a run: whenever any has.
        """
        channel = RUN + run if run else HELD
        with away_is_transient():
            async with self._redis.pubsub(ignore_subscribe_messages=True) as listening:
                await listening.subscribe(channel)
                while True:
                    yield
                    await listening.get_message(timeout=LISTEN_S)


def _read(found: tuple[list[bytes], int]) -> RunNow | None:
    """A run from its fields; None where there are none, or another version wrote them."""
    pairs, is_held = found
    fields = {name.decode(): text for name, text in zip(pairs[::2], pairs[1::2], strict=True)}
    try:
        sessions = [
            LiveSession.model_validate_json(text)
            for name, text in fields.items()
            if name.startswith(SESSION)
        ]
        return RunNow(
            head=LiveHead.model_validate_json(fields["head"]),
            move=LiveMove.model_validate_json(fields["move"]),
            sessions=tuple(sorted(sessions, key=_place)),
            is_held=bool(is_held),
            version=fields["version"].decode(),
        )
    except (KeyError, ValidationError):
        return None


def _place(session: LiveSession) -> tuple[int, int, str]:
    return session.trial, session.reading, session.step
