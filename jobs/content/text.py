"""Text as strangers wrote it, made safe to compare, to show and to hash.

Line ends, byte order marks, NULs and half surrogates are settled here once, so that no later
step sees two spellings of one text. Nothing is translated, shortened or judged here, except
that `quoted` cuts what it shows.
"""

import re

SHOWN_CHARACTERS = 120
"""A quotation in a reply longer than this is cut: a reply names a thing, it does not repeat it."""

_NO_RESPONSE = re.compile(r"[\s_*]*no response[\s_*.]*", re.IGNORECASE)
_NONE = re.compile(
    r"""[\s_*`"'(\[-]*
        (?:none|nothing|nil|null|n\s*/\s*a|n\.\s*a\.?|na|not\ applicable|not\ needed
          |no\ response|[-–—./]*
          |no\ (?:\w+\ ){0,2}(?:files?|attachments?|inputs?))
        [\s_*`"')\].!-]*""",
    re.IGNORECASE | re.VERBOSE,
)


def clean_text(text: str) -> str:
    """The same text with LF line ends and without byte order mark, NUL and lone surrogates."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:  # JSON can spell half a surrogate pair; it cannot be stored
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def without_blank_edges(text: str) -> str:
    """The text without blank lines at both ends; the first line keeps its indentation."""
    lines = [line.rstrip() if not line.strip() else line for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def is_no_response(text: str) -> bool:
    """Whether an issue form filled this in for a field that was left blank."""
    return bool(_NO_RESPONSE.fullmatch(text))


def is_none(text: str) -> bool:
    """Whether somebody wrote that there is nothing: `None`, `N/A`, `-`, an empty answer."""
    return bool(_NONE.fullmatch(text))


def quoted(text: str) -> str:
    """A stranger's words in a code span, on one line: no mention, link or markup comes alive."""
    line = " ".join(clean_text(text).replace("`", "'").split())
    if len(line) > SHOWN_CHARACTERS:
        line = line[: SHOWN_CHARACTERS - 1] + "…"
    return f"`{line}`" if line else "` `"


def listed(names: list[str]) -> str:
    """Quoted names as a phrase: `a`, `b` and `c`."""
    shown = [quoted(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def size_words(size_bytes: int) -> str:
    """A size as people write it, in decimal units: `54 kB`, `300 MB`."""
    if size_bytes < 1_000:
        return f"{size_bytes} bytes"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:.0f} kB"
    return f"{size_bytes / 1_000_000:.0f} MB"
