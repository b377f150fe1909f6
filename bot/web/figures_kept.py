"""What is kept of figures, and how it stands by the ledger: there or not, old or new."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from redis.asyncio import Redis

from bot.store.figures_shelf import FiguresShelf, Kind, Made, What
from bot.store.run_index import RepoState, RunIndex
from bot.web.figures_making import MADE_ANEW
from bot.web.figures_work import NOTES
from jobs.dashboard.values import AssertionNote, SkillCard, SkillFigures

SAID_AFTER = timedelta(minutes=1)
"""Figures that are older than this and lack the newest runs say so."""
MOST_CARDS = 5_000
MOST_PAGES = 200
"""Held in this process: a card takes about 3 kB, a page up to some hundred."""

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Standing:
    """A repository's skills, and of which state of their runs figures are there."""

    state: RepoState
    made: dict[str, Made]
    notes: dict[str, Made]
    now: datetime

    def is_old(self, skill: str, what: What = "skill") -> bool:
        """Whether figures, or notes, lack or are to be made anew."""
        made = (self.made if what == "skill" else self.notes).get(skill)
        if made is None or made.version != self.state.versions.get(skill, ""):
            return True
        return what == "skill" and self.now - made.at > MADE_ANEW

    def is_behind(self, skill: str) -> bool:
        """Whether it must be said that figures lack the newest runs."""
        made = self.made.get(skill)
        is_current = made is not None and made.version == self.state.versions.get(skill, "")
        return made is not None and not is_current and self.now - made.at > SAID_AFTER

    def version(self, skill: str = "") -> str:
        """Of what is shown of one skill, or of all of them."""
        shown = [skill] if skill else list(self.state.skills)
        parts = [self.state.versions.get(skill, "")]
        for one in shown:
            made = (self.made.get(one), self.notes.get(one) if skill else None)
            parts.append(f"{one} {made[0]} {made[1]} {self.is_behind(one)}")
        return sha256("\n".join(parts).encode()).hexdigest()[:24]


class KeptFigures:
    """Figures in Redis, and those that this process has read. Raises what Redis raises."""

    def __init__(self, redis: Redis, shelf: FiguresShelf, clock: Callable[[], datetime]) -> None:
        self._redis = redis
        self._shelf = shelf
        self._clock = clock
        self._index = RunIndex(redis)
        self._cards = _Read("card", TypeAdapter(SkillCard), shelf, MOST_CARDS)
        self._pages = _Read("skill", TypeAdapter(SkillFigures), shelf, MOST_PAGES)
        self._notes = _Read("notes", NOTES, shelf, MOST_PAGES)

    async def look(self, repos: Sequence[str]) -> list[Standing]:
        """How the figures of repositories stand now."""
        async with self._redis.pipeline(transaction=False) as asked:
            for repo in repos:
                self._index.ask_state(asked, repo)
                self._shelf.ask_made(asked, repo, "skill")
                self._shelf.ask_made(asked, repo, "notes")
            found = await asked.execute()
        now = self._clock()
        return [
            Standing(
                self._index.read_state(*found[at : at + 2]),
                self._shelf.read_made(found[at + 2]),
                self._shelf.read_made(found[at + 3]),
                now,
            )
            for at in range(0, len(found), 4)
        ]

    async def cards(self, repo: str, standing: Standing) -> dict[str, SkillCard]:
        """The cards that are there, by the path of the skill."""
        found = await self._cards.read(repo, standing.made, list(standing.state.skills))
        return {skill: _dated(card, standing) for skill, card in found.items()}

    async def page(self, repo: str, skill: str, standing: Standing) -> SkillFigures | None:
        """All figures of a skill but what is noted of its assertions and triggers."""
        page = (await self._pages.read(repo, standing.made, [skill])).get(skill)
        return page and page.model_copy(update={"card": _dated(page.card, standing)})

    async def notes(
        self, repo: str, skill: str, standing: Standing
    ) -> tuple[AssertionNote, ...] | None:
        """What is noted of a skill's assertions; None where it was never looked for."""
        return (await self._notes.read(repo, standing.notes, [skill])).get(skill)


def _dated(card: SkillCard, standing: Standing) -> SkillCard:
    is_behind = standing.is_behind(card.skill)
    at = standing.made[card.skill].at
    return card.model_copy(update={"made_at": at, "is_behind": is_behind})


class _Read(Generic[Kept]):
    """One kind of figures: read again only where they were made anew."""

    def __init__(
        self, kind: Kind, adapter: TypeAdapter[Kept], shelf: FiguresShelf, most: int
    ) -> None:
        self._kind: Kind = kind
        self._adapter = adapter
        self._shelf = shelf
        self._most = most
        self._held: dict[tuple[str, str], tuple[Made, Kept]] = {}

    async def read(
        self, repo: str, made: dict[str, Made], skills: Sequence[str]
    ) -> dict[str, Kept]:
        """What is there of these skills."""
        found: dict[str, Kept] = {}
        unread: list[str] = []
        for skill in skills:
            held = self._held.get((repo.lower(), skill))
            if skill not in made:
                continue
            if held is not None and held[0] == made[skill]:
                found[skill] = held[1]
            else:
                unread.append(skill)
        stored = await self._shelf.read(self._kind, repo, unread)
        for skill, content in zip(unread, stored, strict=True):
            try:
                value = self._adapter.validate_json(content or b"")
            except ValidationError:
                continue  # another version's, or gone since
            found[skill] = value
            self._held.pop((repo.lower(), skill), None)
            self._held[repo.lower(), skill] = (made[skill], value)
        while len(self._held) > self._most:
            del self._held[next(iter(self._held))]
        return found
