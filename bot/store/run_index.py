"""Which runs the ledger holds, by the time of their end: kept beside it, in the same step.

For each repository, for each skill of it, and in either for each model and end, there is a sorted
set of run ids. So any part of any list is found, and counted, without reading another run.
"""

import re
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol, cast
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from bot.store.eval_digests import Measured, keep_digests
from jobs.results import LONG_AGO

INDEX = "skillbench:index:"
REPOS = f"{INDEX}repos"
"""Hash: name in lower case to the name as its last record has it."""
STATES = ("complete", "ungraded", "invalid")
_PLACE = re.compile(r"(?P<ms>-?\d{1,15})\.(?P<run>[!-~]{1,64})", re.ASCII)
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Indexed(Protocol):
    """What of a record the index is made of; `jobs.results.RunRecord` has it all."""

    @property
    def run(self) -> str: ...
    @property
    def repo(self) -> str: ...
    @property
    def skill(self) -> str: ...
    @property
    def eval_id(self) -> str: ...
    @property
    def eval_digest(self) -> str: ...
    @property
    def pull(self) -> int: ...
    @property
    def should_load(self) -> bool: ...
    @property
    def model(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def invalid(self) -> bool: ...
    @property
    def finished_at(self) -> datetime | None: ...


class Choice(NamedTuple):
    """Which runs of a repository a list holds; what is empty narrows nothing."""

    skill: str = ""
    model: str = ""
    state: str = ""
    """One of `STATES`."""


class Place(NamedTuple):
    """A run's place in a list, which begins with the highest."""

    ended_ms: int
    """Since 1970."""
    run: bytes

    def __str__(self) -> str:
        return f"{self.ended_ms}.{self.run.decode()}"


class Part(NamedTuple):
    """A part of a list."""

    runs: tuple[str, ...]
    total: int
    """All that the list holds."""
    next: str
    """The place behind which the rest of it is; empty: there is none."""


class RepoState(NamedTuple):
    """A repository's skills, and what tells one state of its runs from another."""

    skills: dict[str, datetime]
    """Path to when its last run ended (`LONG_AGO`: not known), the last of them first."""
    versions: dict[str, str]
    """By path; of the whole repository under the empty one."""


def find_place(text: str) -> Place | None:
    """The place that a part was told to be followed by; None where it is no such text."""
    found = _PLACE.fullmatch(text)
    return Place(int(found["ms"]), found["run"].encode()) if found else None


class RunIndex:
    """The index in one Redis, to be read. Raises what Redis raises."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def repos(self) -> dict[str, str]:
        """Every repository with runs: its name, by the same in lower case."""
        found = await cast("Awaitable[dict[bytes, bytes]]", self._redis.hgetall(REPOS))
        return {name.decode(): shown.decode() for name, shown in found.items()}

    async def name(self, repo: str) -> str | None:
        """A repository's name as its last record has it; None: it has no runs."""
        found = await cast("Awaitable[bytes | None]", self._redis.hget(REPOS, repo.lower()))
        return found.decode() if found else None

    def ask_state(self, pipe: Pipeline, repo: str) -> None:
        """Add to a pipeline what `read_state` reads the two answers to."""
        pipe.zrevrange(skills_key(repo), 0, -1, withscores=True)
        pipe.hgetall(versions_key(repo))

    def read_state(
        self, skills: Iterable[tuple[bytes, float]], versions: Mapping[bytes, bytes]
    ) -> RepoState:
        return RepoState(
            {path.decode(): _moment(ended) for path, ended in skills},
            {path.decode(): version.decode() for path, version in versions.items()},
        )

    async def state(self, repo: str) -> RepoState:
        """How a repository stands now."""
        async with self._redis.pipeline(transaction=False) as asked:
            self.ask_state(asked, repo)
            return self.read_state(*await asked.execute())

    async def version(self, repo: str, skill: str = "") -> str:
        """Another one after each record of a repository, or of its skill; empty: there is none."""
        found = self._redis.hget(versions_key(repo), skill)
        return (await cast("Awaitable[bytes | None]", found) or b"").decode()

    async def models(self, repo: str, skill: str = "") -> list[str]:
        """The models in a list, by name."""
        found = await cast("Awaitable[set[bytes]]", self._redis.smembers(models_key(repo, skill)))
        return sorted(model.decode() for model in found)

    async def count(self, repo: str, skill: str) -> int:
        """How many runs a skill has."""
        return int(await self._redis.zcard(runs_key(repo, Choice(skill))))

    async def part(self, repo: str, choice: Choice, after: Place | None, most: int) -> Part:
        """The runs behind a place, or the first ones, newest first."""
        keys = await self._lists(repo, choice)
        top = after.ended_ms if after else "+inf"
        async with self._redis.pipeline(transaction=True) as asked:
            for key in keys:
                asked.zcard(key)
                asked.zrevrangebyscore(key, top, "-inf", 0, most + 2, withscores=True)
            found = await asked.execute()
        places: list[Place] = []
        for key, rows in zip(keys, found[1::2], strict=True):
            behind = _behind(after, rows)
            if after and len(behind) <= most < len(rows):
                behind = await self._look_further(key, after, most)
            places += behind
        shown = sorted(places, reverse=True)[:most]
        is_last = len(places) <= most
        return Part(
            runs=tuple(place.run.decode() for place in shown),
            total=sum(found[::2]),
            next="" if is_last else str(shown[-1]),
        )

    async def _lists(self, repo: str, choice: Choice) -> list[str]:
        """The sorted sets that together hold what was chosen."""
        if not choice.model and not choice.state:
            return [runs_key(repo, choice)]
        models = [choice.model] if choice.model else await self.models(repo, choice.skill)
        return [
            runs_key(repo, Choice(choice.skill, model, state))
            for model in models
            for state in ([choice.state] if choice.state else STATES)
        ]

    async def _look_further(self, key: str, after: Place, most: int) -> list[Place]:
        """The places behind another where many runs ended in the same millisecond: those of
        older records, which do not say when.
        """
        behind: list[Place] = []
        first, step = 0, 1000
        while len(behind) <= most:
            rows = await self._redis.zrevrangebyscore(
                key, after.ended_ms, "-inf", first, step, withscores=True
            )
            behind += _behind(after, rows)
            first += step
            if len(rows) < step:
                break
        return behind[: most + 1]


def index_runs(pipe: Pipeline, repo: str, records: Iterable[Indexed]) -> None:
    """Add to a transaction what the index holds of records of a repository, at least one.

    Doing it again changes nothing.
    """
    added: dict[str, dict[str, int]] = defaultdict(dict)
    taken: dict[str, list[str]] = defaultdict(list)
    models: dict[str, set[str]] = defaultdict(set)
    skills: dict[str, int] = {}
    texts: list[Measured] = []
    name = repo
    for record in records:
        name = record.repo
        ended = milliseconds_of(record.finished_at)
        state = "invalid" if record.invalid else record.state
        skills[record.skill] = max(ended, skills.get(record.skill, ended))
        if record.should_load and not record.pull:
            texts.append(Measured(record.eval_id, ended, record.eval_digest))
        for skill in {"", record.skill}:
            models[models_key(repo, skill)].add(record.model)
            added[runs_key(repo, Choice(skill))][record.run] = ended
            for other in STATES:
                key = runs_key(repo, Choice(skill, record.model, other))
                if other == state:
                    added[key][record.run] = ended
                else:
                    taken[key].append(record.run)
    pipe.hset(REPOS, repo.lower(), name)
    pipe.zadd(skills_key(repo), skills, gt=True)
    for key, named in models.items():
        pipe.sadd(key, *named)
    for key, runs in added.items():
        pipe.zadd(key, runs)
    for key, gone in taken.items():
        pipe.zrem(key, *gone)
    keep_digests(pipe, repo, texts)


def touch(pipe: Pipeline, repo: str, skills: Iterable[str]) -> None:
    """Add to a transaction that something of these skills is new.

    Never the same version twice: one that counted would begin anew in an emptied Redis, and
    browsers would take what they kept for the present.
    """
    version = secrets.token_hex(8)
    pipe.hset(versions_key(repo), mapping=dict.fromkeys(("", *skills), version))


def runs_key(repo: str, choice: Choice) -> str:
    """Sorted set: run ids by when they ended, in milliseconds."""
    return f"{INDEX}runs:{_joined(repo.lower(), *choice)}"


def models_key(repo: str, skill: str) -> str:
    """Set: the models in a list."""
    return f"{INDEX}models:{_joined(repo.lower(), skill)}"


def skills_key(repo: str) -> str:
    """Sorted set: paths of skills by when their last run ended."""
    return f"{INDEX}skills:{repo.lower()}"


def versions_key(repo: str) -> str:
    """Hash: path of a skill to the version of what is known of it."""
    return f"{INDEX}versions:{repo.lower()}"


def milliseconds_of(ended: datetime | None) -> int:
    return ((ended or LONG_AGO) - _EPOCH) // _MILLISECOND


def _moment(score: float) -> datetime:
    return _EPOCH + score * _MILLISECOND


def _behind(after: Place | None, rows: Iterable[tuple[bytes, float]]) -> list[Place]:
    places = [Place(int(ended), run) for run, ended in rows]
    return [one for one in places if one < after] if after else places


def _joined(*parts: str) -> str:
    """Parts as one name that no other parts have."""
    return ":".join(quote(part, safe="/") for part in parts)
