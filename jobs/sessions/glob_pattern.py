"""File name patterns with `**` and braces, compared with paths that a sandbox listed.

Pure text: no file is looked at here, since the files are another machine's as far as the
bot is concerned.
"""

import re
from functools import cache

_MAX_ALTERNATIVES = 64


def split_pattern(pattern: str) -> tuple[str, str]:
    """The folder that a pattern's plain beginning names, and the rest to match below it.

    >>> split_pattern("output/charts/**/*.svg")
    ('output/charts', '**/*.svg')
    """
    parts = pattern.split("/")
    plain = 0
    while plain < len(parts) - 1 and not re.search(r"[*?\[{]", parts[plain]):
        plain += 1
    folder = "/".join(parts[:plain])
    if plain and not folder:
        folder = "/"
    return folder or ".", "/".join(parts[plain:])


def matches(path: str, pattern: str) -> bool:
    """Whether a relative path matches; a name's leading dot is nothing special."""
    return any(_compiled(choice).fullmatch(path) for choice in _expand(pattern))


@cache
def _expand(pattern: str) -> tuple[str, ...]:
    """`a.{md,txt}` as its alternatives; braces without a comma stand for themselves."""
    found = [pattern]
    done: list[str] = []
    while found:
        current = found.pop()
        match = re.search(r"\{([^{}]*,[^{}]*)\}", current)
        if match is None or len(found) + len(done) >= _MAX_ALTERNATIVES:
            done.append(current)
            continue
        found += [
            current[: match.start()] + choice + current[match.end() :]
            for choice in match[1].split(",")
        ]
    return tuple(done)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = [part for part in pattern.split("/") if part not in {"", "."}]
    regex = ""
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if part == "**":
            regex += ".*" if is_last else "(?:[^/]+/)*"
        else:
            regex += _segment(part) + ("" if is_last else "/")
    return re.compile(regex, re.DOTALL)


def _segment(part: str) -> str:
    regex, index = "", 0
    while index < len(part):
        sign = part[index]
        closing = part.find("]", index + 2) if sign == "[" else -1
        if sign == "*":
            # a row of stars is one: nested repeats would make matching explode
            regex += "" if regex.endswith("[^/]*") else "[^/]*"
        elif sign == "?":
            regex += "[^/]"
        elif closing > 0:
            inside = re.sub(r"([\\\[\]&~|^])", r"\\\1", part[index + 1 : closing])
            inside = re.sub(r"^(?:!|\\\^)", "^", inside)
            regex += f"(?!/)[{inside}]"
            index = closing
        else:
            regex += re.escape(sign)
        index += 1
    return regex
