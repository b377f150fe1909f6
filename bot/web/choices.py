"""What a visitor chose to see of a list of skills: by text, by word, in which order, which part.

Everything comes from the query of an address, so that a choice works without a script, can be
kept as a bookmark and sent to others. What makes no sense there counts as not chosen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, get_args
from urllib.parse import urlencode

from bot.web.showing import LEAST_SHOWN
from jobs.conclusions.verdict import SetWord
from jobs.dashboard.values import SkillCard

LONGEST_TEXT = 200
NOT_MEASURED = "not measured"
WORDS = (*get_args(SetWord), NOT_MEASURED)
SORTS = {"last": "last run", "name": "name", "difference": "difference", "change": "change"}
"""How lists are put in order, and how that is called."""
USUAL = "last"
RISING = frozenset({"name", "change"})
"""Orders that usually begin with the least: with A, and with what got worse most."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Choice:
    """One visitor's."""

    text: str = ""
    word: str = ""
    """One of `WORDS`; empty: all."""
    sort: str = USUAL
    is_turned: bool = False
    """Whether the order is the other way round than is usual for it."""
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Choice":
        """From the query of an address, whatever stands in it."""
        word, sort = query.get("word", ""), query.get("sort", USUAL)
        page = query.get("page", "1")
        is_number = page.isascii() and page.isdecimal() and len(page) < 6
        name = sort.removeprefix("-")
        return cls(
            text=" ".join(query.get("q", "")[:LONGEST_TEXT].split()),
            word=word if word in WORDS else "",
            sort=name if name in SORTS else USUAL,
            is_turned=sort.startswith("-") and name in SORTS,
            page=max(1, int(page)) if is_number else 1,
        )

    @property
    def is_narrowed(self) -> bool:
        """Whether anything is left out."""
        return bool(self.text or self.word)

    def query(self, **changes: Any) -> str:
        """The query that shows another choice: this one but for what is named."""
        other = replace(self, **({"page": 1} | changes))
        sort = f"{'-' if other.is_turned else ''}{other.sort}"
        values = {
            "q": other.text,
            "word": other.word,
            "sort": "" if sort == USUAL else sort,
            "page": str(other.page) if other.page > 1 else "",
        }
        return "?" + urlencode({name: value for name, value in values.items() if value})

    def sorting(self, name: str) -> str:
        """The query of the head of a column: its usual order, and the other one from there."""
        return self.query(sort=name, is_turned=self.sort == name and not self.is_turned)

    def direction(self, name: str) -> str:
        """What `aria-sort` says of the column; empty where the list is in another's order."""
        if self.sort != name:
            return ""
        return "ascending" if (name in RISING) != self.is_turned else "descending"


@dataclass(frozen=True, slots=True)
class Part(Generic[Item]):
    """One page of a list."""

    items: Sequence[Item]
    page: int
    pages: int
    total: int


def take_part(items: Sequence[Item], page: int, size: int) -> Part[Item]:
    """The page of that number, and the last one where there are fewer."""
    pages = max(1, -(-len(items) // size))
    page = min(page, pages)
    return Part(items[(page - 1) * size : page * size], page, pages, len(items))


def choose(cards: Sequence[SkillCard], choice: Choice) -> list[SkillCard]:
    """The cards that are asked for, in the order that is asked for.

    What was never measured stands last in either direction.
    """
    found = [card for card in cards if _fits(card, choice)]
    known, key = _ORDERS[choice.sort]
    is_descending = (choice.sort not in RISING) != choice.is_turned
    measured = sorted((one for one in found if known(one)), key=_by_name)
    measured.sort(key=key, reverse=is_descending)
    return [*measured, *sorted((one for one in found if not known(one)), key=_by_name)]


def find_worse(cards: Sequence[SkillCard]) -> list[SkillCard]:
    """Whose newest version is worse than the one before, the one measured last first."""
    worse = [one for one, change in _find_changes(cards) if change <= -LEAST_SHOWN]
    return sorted(worse, key=_measured_at, reverse=True)


def find_better(cards: Sequence[SkillCard]) -> list[SkillCard]:
    """Whose newest version is better than the one before, the one measured last first."""
    better = [one for one, change in _find_changes(cards) if change >= LEAST_SHOWN]
    return sorted(better, key=_measured_at, reverse=True)


def find_begun(cards: Sequence[SkillCard]) -> list[SkillCard]:
    """Whose newest version has only begun to be measured, the one measured last first.

    Its change rests on fewer than half of the eval cases of the version before, often on one, and
    stands among what is worse or better no more than such a set stands for its skill.
    """
    return sorted(filter(_has_begun, cards), key=_measured_at, reverse=True)


def find_word(card: SkillCard) -> str:
    """One of `WORDS`; empty while its figures are still being made."""
    if card.made_at is None:
        return ""
    return card.latest.word if card.latest else NOT_MEASURED


def _fits(card: SkillCard, choice: Choice) -> bool:
    if choice.word and choice.word != find_word(card):
        return False
    whole = f"{card.repo}/{card.skill}".casefold()
    return all(part in whole for part in choice.text.casefold().split())


def _find_changes(cards: Sequence[SkillCard]) -> Iterator[tuple[SkillCard, float]]:
    for one in cards:
        if one.change is not None and not _has_begun(one):
            yield one, one.change


def _has_begun(card: SkillCard) -> bool:
    before = card.earlier.evals if card.earlier else 0
    return card.change is not None and 2 * card.change_evals < before


def _measured_at(card: SkillCard) -> datetime:
    return (card.latest.ended_at if card.latest else None) or _EARLIEST


def _by_name(card: SkillCard) -> tuple[str, str]:
    return card.name.casefold(), card.skill


def _difference(card: SkillCard) -> float:
    return card.latest.whiskers.difference if card.latest else 0.0


_ORDERS: Mapping[str, tuple[Callable[[SkillCard], bool], Callable[[SkillCard], Any]]] = {
    "last": (lambda card: card.ended_at is not None, lambda card: card.ended_at or _EARLIEST),
    "name": (lambda _: True, _by_name),
    "difference": (lambda card: card.latest is not None, _difference),
    "change": (lambda card: card.change is not None, lambda card: card.change or 0.0),
}
