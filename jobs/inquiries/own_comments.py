"""What the bot's own comments on an issue tell of its requests.

Only comments of the App itself are read; anybody can type a tag.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

from jobs.living_comment import find_asked, is_under_way
from jobs.ports import Comment

_TAG = re.compile(r"<!-- skillbench:tag (\S+) -->\s*")
_ENDING = "end:"


@dataclass(frozen=True, slots=True)
class Told:
    """What a comment tells of one request."""

    key: str
    asked_at: datetime
    headline: str
    """Its first line, without the mark of a heading; Markdown of our own."""
    url: str
    is_under_way: bool
    is_last_word: bool
    """Whether it is the answer of a request that has no living comment."""


def read_told(comments: Sequence[Comment]) -> list[Told]:
    """What the comments of an issue tell of its requests, the newest first."""
    return list(reversed(list(_read(comments))))


def _read(comments: Sequence[Comment]) -> Iterator[Told]:
    for comment in comments:
        first, _, rest = comment.body.partition("\n")
        found = _TAG.fullmatch(first)
        if not comment.by_this_app or found is None:
            continue
        tag = unquote(found[1])
        asked = find_asked(tag.removeprefix(_ENDING))
        if asked is None:
            continue
        yield Told(
            key=asked[0],
            asked_at=asked[1],
            headline=_headline(rest),
            url=comment.url,
            is_under_way=is_under_way(comment.body),
            is_last_word=tag.startswith(_ENDING),
        )


def _headline(text: str) -> str:
    """The first line that says something."""
    for line in text.split("\n"):
        bare = line.strip().lstrip("#").strip()
        if bare:
            return bare
    return ""
