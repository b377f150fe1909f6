"""Text as strangers wrote it, made safe to compare, to show and to hash.

Line ends, byte order marks, NULs and half surrogates are settled here once, so that no later
step sees two spellings of one text. Nothing is translated, shortened or judged here, except
that `quoted` cuts what it shows.
"""

import re
import unicodedata

SHOWN_CHARACTERS = 120
"""A quotation in a reply longer than this is cut: a reply names a thing, it does not repeat it."""
LISTED_NAMES = 10
NONE_CHARACTERS = 80
"""Nobody needs more to say that there is nothing."""

_EDGE_MARKS = " \t\n_*`\"'()[]{}<>.,;:!?-–—/\\•·#~+=|"
_NONE = re.compile(
    r"""(?:(?:there\ (?:is|are)\ )?(?:no|none|nothing)|nil|null|na|n/a|n\.a
          |not\ (?:applicable|needed|required|necessary)
          |no\ response
          |(?:there\ (?:is|are)\ )?no\ (?:[\w-]+\ ){0,2}(?:files?|attachments?|inputs?))
        (?:\ (?:is\ |are\ )?(?:needed|required|necessary|attached|provided|given|applicable))?""",
    re.VERBOSE,
)


def clean_text(text: str) -> str:
    """The same text with LF line ends and without byte order mark, NUL and lone surrogates."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:  # JSON and YAML can spell half a surrogate pair
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def without_blank_edges(text: str) -> str:
    """The text without blank lines at both ends; the first line keeps its indentation."""
    lines = [line.rstrip() if not line.strip() else line for line in text.split("\n")]
    first = next((number for number, line in enumerate(lines) if line), len(lines))
    last = next((number for number in range(len(lines), 0, -1) if lines[number - 1]), 0)
    return "\n".join(lines[first:last])


def is_no_response(text: str) -> bool:
    """Whether an issue form filled this in for a field that was left blank."""
    return _bare_words(text) == "no response"


def is_none(text: str) -> bool:
    """Whether somebody wrote that there is nothing: `None`, `N/A`, `-`, an empty answer."""
    bare = _bare_words(text)
    return bare is not None and (not bare or bool(_NONE.fullmatch(bare)))


def _bare_words(text: str) -> str | None:
    """A short text without case, width and the marks around it; None for a longer text."""
    if len(text) > NONE_CHARACTERS and len(text := text.strip()) > NONE_CHARACTERS:
        return None
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s*/\s*", "/", " ".join(plain.split())).strip(_EDGE_MARKS)


def quoted(text: str) -> str:
    """A stranger's words in a code span, on one line: no mention, link or markup comes alive.

    Letters that are not seen, or turn the direction of what follows, are left out.
    """
    line = " ".join(clean_text(text[: 20 * SHOWN_CHARACTERS]).replace("`", "'").split())
    line = "".join(letter for letter in line if unicodedata.category(letter) not in {"Cc", "Cf"})
    if len(line) > SHOWN_CHARACTERS:
        line = line[: SHOWN_CHARACTERS - 1] + "…"
    return f"`{line}`" if line.strip() else "` `"


def listed(names: list[str]) -> str:
    """Quoted names as a phrase: `a`, `b` and `c`; of very many only the first."""
    shown = [quoted(name) for name in names[:LISTED_NAMES]]
    if len(names) > LISTED_NAMES:
        shown.append(f"{len(names) - LISTED_NAMES} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def size_words(size_bytes: int) -> str:
    """A size as people write it, in decimal units: `54 kB`, `300 MB`."""
    if size_bytes < 1_000:
        return f"{size_bytes} bytes"
    if size_bytes < 999_500:
        return f"{size_bytes / 1_000:.0f} kB"
    return f"{size_bytes / 1_000_000:.0f} MB"
