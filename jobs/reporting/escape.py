"""Text that a model, a file or a person wrote, made fit to stand in a comment of ours.

Everything foreign goes through here before it is published, because a comment is read by
GitHub (mentions, references, links, HTML), by other bots (commands) and by our own dedup
(markers). Two means, each where it works: character entities, which no Markdown parser takes
for syntax and which are valid in raw HTML too, and a zero-width space, since mentions and
references are looked for in the rendered text, where entities are characters again.

It decides nothing about what is shown and never makes text disappear: what is dangerous
stays visible in another form. Digits alone are not treated as a commit: figures are what a
report is about, and an invisible character inside would spoil them for copying.
"""

import re
from urllib.parse import quote, urlsplit

BREAK = "\u200b"
"""Zero-width space: ends whatever GitHub would link, and takes no room on the screen."""

ELLIPSIS = "…"
LONGEST_ADDRESS = 2_000

_CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the reading direction
    "\ufff9-\ufffb\U000e0000-\U000e007f]"  # invisible carriers of text
)
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_MARKUP = re.compile(r"[&<>\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_AT_START = re.compile(r"[-+=#/!:]|(?<=\d)[.)]")
_HEX = re.compile(r"[0-9a-f]{7,}", re.IGNORECASE)
_LINKED = re.compile(
    r"@"
    r"|\#(?=\w)"
    r"|(?:GH|GHSA|CVE)-(?=\w)"
    r"|:(?=//)"
    r"|www(?=\.)"
    r"|:(?!\d{1,2}:)(?=[\w+-]{1,60}:)",  # emoji names, but not the colons of a time
    re.IGNORECASE | re.VERBOSE,
)
_MARKER = re.compile(
    r"<(?=!--)|skillbench:(?=v\d|trigger:)"
    r"|BENCHMARK(?=_(?:COMPLETE|PARTIAL))|Benchmark(?= Results)",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"^[ \t]*(?:(?=/[a-z][\w-]*(?:[ \t]|$))|@(?=[\w-]+(?:\[bot\])?[ \t,:]+\S))",
    re.MULTILINE | re.IGNORECASE,
)
_LANGUAGE = re.compile(r"[A-Za-z0-9+-]{1,20}")
_DRAWN = frozenset({"mermaid", "math", "geojson", "topojson", "stl", "suggestion"})
"""Fence languages that GitHub draws, or offers to apply, instead of showing the text."""


def clean(text: str) -> str:
    """The text with LF line ends, whole characters only, and nothing that hides or reorders.

    A control or direction character becomes a visible name such as `⟨U+202E⟩`.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub(_named, _LINE_END.sub("\n", whole))


def clip(text: str, limit: int) -> str:
    """At most `limit` characters; an ellipsis shows that something was cut."""
    if len(text) <= limit:
        return text
    # a joiner or a variation selector at the end would wait for a character that is gone
    return text[: max(limit - 1, 0)].rstrip(" \u200d\ufe0f") + ELLIPSIS


def inline(text: str, limit: int | None = None) -> str:
    """Running text on one line: no markup, link, mention or reference in it takes effect.

    Fits a paragraph, a list item, a table cell and a `<summary>`. `limit` counts characters
    of the text as read.
    """
    flat = _one_line(text, limit)
    broken = _HEX.sub(_chopped, _LINKED.sub(_followed_by_break, _defuse_markers(flat)))
    return _encode_start(_MARKUP.sub(_entity, broken))


def cell(text: str, limit: int | None = None) -> str:
    """A table cell; an empty one shows a dash, so that a gap is seen to be one."""
    return inline(text, limit) or "—"


def code(text: str, limit: int | None = None) -> str:
    """A code span on one line, also inside a table; empty text gives an empty string.

    Parsers disagree on back-ticks, pipes and backslashes inside a span inside a table, so
    text with one of those goes into a `<code>` element with entities.
    """
    flat = _one_line(text, limit)
    if not flat:
        return ""
    if any(character in flat for character in "`|\\"):
        return f"<code>{inline(flat)}</code>"
    return f"`{_defuse_markers(flat)}`"


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any run of back-ticks inside it.

    A line that another bot would take for a command gets an invisible first character.
    """
    body = _COMMAND.sub(_followed_by_break, _defuse_markers(clean(text))).rstrip("\n")
    runs = re.findall("`+", body)
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    known = _LANGUAGE.fullmatch(language) is not None and language.lower() not in _DRAWN
    return f"{fence}{language if known else ''}\n{body}\n{fence}"


def message(text: str) -> str:
    """Sentences of our own that quote foreign words: lines, `- ` bullets and code spans stay.

    This is how the text of a `UserError` is shown: it is plain text with back-ticks.
    """
    return "\n".join(_message_line(line) for line in clean(text).strip().split("\n"))


def sentence(text: str, limit: int) -> str:
    """Text on one line whose code spans stay, for a list item or a cell."""
    return _spans(_one_line(text, limit))


def link(text: str, url: str) -> str:
    """A link with foreign text; without a usable http(s) address only the text."""
    target = address(url)
    return f"[{inline(text)}]({target})" if target else inline(text)


def address(url: str) -> str:
    """An http(s) address that cannot end a Markdown link early; empty if it is none.

    One of over 2,000 characters is none: no browser or proxy can be relied on to take it.
    """
    if len(url) > LONGEST_ADDRESS:
        return ""
    stripped = clean(url).strip()
    try:
        parts = urlsplit(stripped)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return ""
    return quote(stripped, safe="/:?#@!$&+,;=%~-._")


def _one_line(text: str, limit: int | None) -> str:
    if limit is None:
        return " ".join(clean(text).split())
    # only what can be shown is looked at: a text may be a thousand times its limit
    looked_at = text[: 10 * limit + 100]
    flat = clip(" ".join(clean(looked_at).split()), limit)
    unseen = len(looked_at) < len(text) and not flat.endswith(ELLIPSIS)
    return flat + ELLIPSIS if unseen and text[len(looked_at) :].strip() else flat


def _message_line(line: str) -> str:
    bullet = re.match(r"\s*[-*] +", line)
    return f"- {_spans(line[bullet.end() :])}" if bullet else _spans(line)


def _spans(line: str) -> str:
    """The line with code spans as they are and everything between them escaped.

    A span of blanks stays a blank: what stands on its sides was looked at apart.
    """
    pieces = re.split(r"(`[^`]+`)", line)
    shown = [
        code(piece[1:-1]) or " " if index % 2 else _spaced(piece)
        for index, piece in enumerate(pieces)
    ]
    return "".join(shown).strip()


def _spaced(piece: str) -> str:
    """Escape a piece between two code spans and keep the blanks at its ends."""
    if not piece.strip():
        return piece
    before = " " if piece[0].isspace() else ""
    after = " " if piece[-1].isspace() else ""
    return before + inline(piece) + after


def _defuse_markers(text: str) -> str:
    return _MARKER.sub(_followed_by_break, text)


def _followed_by_break(match: re.Match[str]) -> str:
    return match.group() + BREAK


def _chopped(match: re.Match[str]) -> str:
    """Pieces of 6 hexadecimal digits: GitHub looks for commits from 7 on.

    That one of them is a letter is asked here: within the pattern it would be looked for from
    each of a hundred thousand digits anew.
    """
    digits = match.group()
    if digits.isdecimal():
        return digits
    return BREAK.join(digits[start : start + 6] for start in range(0, len(digits), 6))


def _encode_start(text: str) -> str:
    """Take the power from what means a heading, list, rule or command at the start of a line."""
    first = re.match(r"\d{1,9}(?=[.)])", text)
    at = first.end() if first else 0
    found = _AT_START.match(text, at)
    return text[:at] + _entity(found) + text[found.end() :] if found else text


def _entity(match: re.Match[str]) -> str:
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
    return named.get(match.group(), f"&#{ord(match.group())};")


def _named(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match.group()):04X}⟩"
