"""The hidden tag by which a comment of ours is found again.

It is the comment's first line, so that nothing that follows (a fence left open, a quotation,
a cut) can swallow or imitate it: `<!-- skillbench:tag TAG -->`. It says only "this was
posted already"; what a run found out stands in the marker, which is another matter. Whoever
reads a tag must make sure that the comment is the App's own: anybody can type one.
"""

import hashlib
import re
from urllib.parse import quote, unquote

LONGEST_TAG = 160
"""Escaped characters; a longer tag is cut and ends in its digest."""
LONGEST_COMMENT = 65_536
"""GitHub's limit on a comment, in characters."""
ROOM_FOR_TAG = 200
"""What a renderer leaves free below `LONGEST_COMMENT` for the first line."""

OPENING = "<!-- skillbench:tag "
CLOSING = " -->"
CUT = re.compile(rf"(?=.{{{LONGEST_TAG}}}$).+\.[0-9a-f]{{32}}")


def render_tag(tag: str) -> str:
    """The first line for a tag; whatever the tag holds, it stays inside the HTML comment."""
    escaped = quote(tag, safe=":/@#").replace("--", "-%2D")
    if len(escaped) > LONGEST_TAG:
        digest = hashlib.sha256(tag.encode()).hexdigest()[:32]
        escaped = f"{escaped[: LONGEST_TAG - 33]}.{digest}"
    return f"{OPENING}{escaped}{CLOSING}"


def with_tag(body: str, tag: str) -> str:
    """The text to post. Raises `ValueError` where GitHub would not take its length."""
    text = f"{render_tag(tag)}\n{body}"
    if len(text) > LONGEST_COMMENT:
        raise ValueError(
            f"a comment of {len(text)} characters is over GitHub's {LONGEST_COMMENT}: "
            f"render at most {LONGEST_COMMENT - ROOM_FOR_TAG}"
        )
    return text


def find_tag(body: str) -> str | None:
    """The tag on a comment's first line; None where there is none, or only the cut one of a
    tag that was too long.
    """
    first = body.partition("\n")[0].rstrip()
    if not (first.startswith(OPENING) and first.endswith(CLOSING)):
        return None
    escaped = first.removeprefix(OPENING).removesuffix(CLOSING)
    return None if CUT.fullmatch(escaped) else unquote(escaped)


def is_same_text(one: str, other: str) -> bool:
    """Whether GitHub keeps two texts as one: it may store other line ends, and trims the end."""
    return _plain(one) == _plain(other)


def bears_tag(body: str, tag: str) -> bool:
    """Whether a comment's text begins with this very tag."""
    first = body.partition("\n")[0]
    return first.rstrip() == render_tag(tag)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip()
