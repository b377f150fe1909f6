"""What the pages, the charts and the API know of repositories, skills and runs.

Figures are made from a skill's newest runs, kept in Redis by the version of its runs, and made
anew behind whoever looks once there are newer runs. Where nothing is there yet, it is waited for.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version

from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from bot.store.figures_shelf import FiguresShelf
from bot.store.index_upkeep import IndexUpkeep
from bot.store.ledger import RedisLedger
from bot.store.run_index import Choice, RunIndex, find_place
from bot.store.seen_repos import RedisSeenRepos, SeenRepo, unseen_repo, utc_now
from bot.web.aside import Aside
from bot.web.figures_kept import KeptFigures, Standing
from bot.web.figures_making import FiguresMaking
from bot.web.figures_work import read_records
from bot.web.trigger_points import TriggerPoints
from config.settings import Settings
from jobs.conclusions.thresholds import Thresholds
from jobs.dashboard.rows import make_run_row
from jobs.dashboard.values import (
    RepoFigures,
    RunRows,
    SkillCard,
    SkillFigures,
    TriggerPoint,
    name_skill,
)
from jobs.results import LONG_AGO, RunRecord

FIRST_WAIT_S = 10.0
"""For figures that are not there at all; then what is there is shown without them."""
WAIT_S = 1.0
"""On a skill's page, for figures that are old."""


class Figures:
    """All that is shown. Raises `Transient` where Redis is away."""

    def __init__(
        self,
        redis: Redis,
        settings: Settings,
        aside: Aside,
        clock: Callable[[], datetime] = utc_now,
        first_wait_s: float = FIRST_WAIT_S,
    ) -> None:
        self._first_wait_s = first_wait_s
        shelf = FiguresShelf(redis, _find_program(settings))
        self._ledger = RedisLedger(redis)
        self._seen = RedisSeenRepos(redis)
        self._index = RunIndex(redis)
        self._upkeep = IndexUpkeep(redis)
        self._kept = KeptFigures(redis, shelf, clock)
        self._making = FiguresMaking(redis, settings, aside, shelf, clock)
        self._triggers = TriggerPoints(settings.blobs)

    async def close(self) -> None:
        """Stop what is being made."""
        await self._making.close()

    async def repos(self) -> list[SeenRepo]:
        """Every repository with runs, by name."""
        with away_is_transient():
            await self._upkeep.find_repos()
            names = await self._index.repos()
            await self._upkeep.ensure(list(names))
        seen = await self._seen.all()
        return [seen.get(name) or unseen_repo(shown) for name, shown in sorted(names.items())]

    async def repo(self, full_name: str) -> SeenRepo | None:
        """A repository that was seen or has runs, by its name in any case."""
        with away_is_transient():
            await self._upkeep.ensure([full_name])
            name = await self._index.name(full_name)
        seen = await self._seen.find(full_name)
        return seen or (unseen_repo(name) if name else None)

    async def overview(self, repos: Sequence[SeenRepo]) -> list[RepoFigures]:
        """These repositories with a card for each of their skills, measured last first.

        A card without `made_at` is still being made; some figures may be those of a moment ago.
        """
        names = [repo.full_name for repo in repos]
        with away_is_transient():
            looks = await self._kept.look(names)
            cards = [await self._kept.cards(*one) for one in zip(names, looks, strict=True)]
            lacking = [
                (name, skill)
                for name, look, there in zip(names, looks, cards, strict=True)
                for skill in look.state.skills
                if skill not in there
            ]
            self._make_old(names, looks)
            if lacking:
                await self._wait([self._making.begin(*one) for one in lacking], self._first_wait_s)
                looks = await self._kept.look(names)
                cards = [await self._kept.cards(*one) for one in zip(names, looks, strict=True)]
                for repo, look, there in zip(repos, looks, cards, strict=True):
                    rest = look.state.skills.keys() - there.keys()
                    there.update(await self._pending(repo, look, rest))
        return [
            _make_repo(repo, [there[skill] for skill in look.state.skills])
            for repo, look, there in zip(repos, looks, cards, strict=True)
        ]

    async def skill(self, repo: SeenRepo, path: str) -> SkillFigures | None:
        """Everything on a skill's page; None where nothing was measured.

        `is_partial` where some of it is still being made.
        """
        triggers = await self._triggers.find(repo.full_name, path)
        with away_is_transient():
            look, found = await self._brought_up(repo.full_name, path)
            if path not in look.state.skills:
                return _of_triggers(repo, path, triggers or (), look.now)
            notes = await self._kept.notes(repo.full_name, path, look)
            if found is None:
                pending = await self._pending(repo, look, {path})
                found, notes = SkillFigures(card=pending[path]), None
        return found.model_copy(
            update={
                "triggers": triggers or (),
                "assertions": notes or (),
                "is_partial": notes is None or triggers is None,
            }
        )

    async def runs(  # noqa: PLR0913 -- what a list can be narrowed by, each by its name
        self,
        repo: SeenRepo,
        *,
        skill: str = "",
        model: str = "",
        state: str = "",
        after: str = "",
        most: int = 50,
    ) -> RunRows:
        """A part of a repository's runs, newest first; `after` is the `next` of the part before.

        It begins with the newest one where `after` is no such text.
        """
        with away_is_transient():
            choice = Choice(skill, model, state)
            part = await self._index.part(repo.full_name, choice, find_place(after), most)
        stored = await self._ledger.stored(repo.full_name, part.runs)
        rows = tuple(map(make_run_row, read_records(stored)))
        return RunRows(rows=rows, total=part.total, next=part.next)

    async def models(self, repo: SeenRepo, skill: str = "") -> list[str]:
        """The models that a repository, or a skill of it, was measured with, by name."""
        with away_is_transient():
            return await self._index.models(repo.full_name, skill)

    async def record(self, repo: SeenRepo, run_id: str) -> RunRecord | None:
        """A run as the ledger has it."""
        found = read_records(await self._ledger.stored(repo.full_name, [run_id]))
        return found[0] if found else None

    async def version(self, repo: SeenRepo, skill: str = "") -> str:
        """Changes whenever what is shown of a repository, or of a skill of it, changes.

        Whoever asks for nothing else has old figures made anew all the same.
        """
        with away_is_transient():
            [look] = await self._kept.look([repo.full_name])
        self._make_old([repo.full_name], [look])
        if not skill:
            return look.version()
        if skill in look.notes and look.is_old(skill, "notes"):
            self._making.begin(repo.full_name, skill, "notes")
        triggers = await self._triggers.find(repo.full_name, skill)
        return sha256(f"{look.version(skill)} {triggers}".encode()).hexdigest()[:24]

    async def versions(self, repos: Sequence[SeenRepo]) -> list[str]:
        """Those of several repositories at one look."""
        names = [repo.full_name for repo in repos]
        with away_is_transient():
            looks = await self._kept.look(names)
        self._make_old(names, looks)
        return [look.version() for look in looks]

    async def _brought_up(self, repo: str, skill: str) -> tuple[Standing, SkillFigures | None]:
        """How a skill stands, and its figures, once what is old has had its time to be made."""
        [look] = await self._kept.look([repo])
        found = await self._kept.page(repo, skill, look)
        if skill not in look.state.skills:
            return look, None
        asked = []
        if found is None or look.is_old(skill):
            asked.append(self._making.begin(repo, skill))
        if look.is_old(skill, "notes"):
            notes = self._making.begin(repo, skill, "notes")
            asked += [] if skill in look.notes else [notes]
        if await self._wait(asked, WAIT_S if found else self._first_wait_s):
            [look] = await self._kept.look([repo])
            found = await self._kept.page(repo, skill, look)
        return look, found

    async def _pending(
        self, repo: SeenRepo, look: Standing, skills: AbstractSet[str]
    ) -> dict[str, SkillCard]:
        """Cards of skills whose figures are still being made."""
        cards = {}
        for skill in skills:
            ended = look.state.skills[skill]
            cards[skill] = SkillCard(
                repo=repo.full_name,
                skill=skill,
                name=name_skill(repo.full_name, skill),
                sha="",
                runs=await self._index.count(repo.full_name, skill),
                ended_at=None if ended == LONG_AGO else ended,
            )
        return cards

    def _make_old(self, repos: Sequence[str], looks: Sequence[Standing]) -> None:
        """Have made anew, behind whoever looks, what is old."""
        for repo, look in zip(repos, looks, strict=True):
            for skill in look.state.skills:
                if look.is_old(skill):
                    self._making.begin(repo, skill)

    async def _wait(self, asked: Iterable["asyncio.Task[None] | None"], longest_s: float) -> bool:
        """Wait for what is being made, for so long at most; whether there was anything."""
        tasks = [one for one in asked if one is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=longest_s)
        return bool(tasks)


def _make_repo(repo: SeenRepo, cards: Sequence[SkillCard]) -> RepoFigures:
    return RepoFigures(
        repo=repo.full_name,
        is_private=repo.is_private,
        cards=tuple(cards),
        spend_week_usd=sum(card.spend_week_usd for card in cards),
        is_spend_partial=any(card.is_spend_partial or card.made_at is None for card in cards),
    )


def _of_triggers(
    repo: SeenRepo, skill: str, triggers: Sequence[TriggerPoint], now: datetime
) -> SkillFigures | None:
    """A skill without runs, whose description was measured."""
    if not triggers:
        return None
    card = SkillCard(
        repo=repo.full_name,
        skill=skill,
        name=name_skill(repo.full_name, skill),
        sha=triggers[-1].sha,
        made_at=now,
    )
    return SkillFigures(card=card, triggers=tuple(triggers))


def _find_program(settings: Settings) -> str:
    """What tells this program's figures from another's: its rules, and the shape of its values."""
    shape = SkillFigures.model_json_schema()
    rules = [version("skillbench"), Thresholds.of(settings), shape]
    return sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:16]
