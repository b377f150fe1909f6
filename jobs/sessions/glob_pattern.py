"""File name patterns with `**` and braces, compared with paths that a sandbox listed.

Pure text: no file is looked at here, since the files are another machine's as far as the
bot is concerned.
"""

import re
from functools import lru_cache

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
    """Whether a relative path matches; a name's leading dot is nothing special.

    Takes at most the product of both lengths in steps, whatever the pattern.
    """
    names = path.split("/")
    return any(_match_path(names, choice) for choice in _expand(pattern))


@lru_cache(maxsize=256)
def _expand(pattern: str) -> tuple[tuple[str, ...], ...]:
    """`a.{md,txt}` as its alternatives, each as the parts between its slashes.

    Braces without a comma stand for themselves, as do those beyond the 64th alternative.
    """
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
    return tuple(
        tuple(part for part in choice.split("/") if part not in {"", "."}) for choice in done
    )


def _match_path(names: list[str], parts: tuple[str, ...]) -> bool:
    """Match names with parts, `**` standing for any number of names."""
    reached = {0}  # how many names the parts so far can stand for
    for part in parts:
        if part == "**":
            reached = set(range(min(reached), len(names) + 1))
        else:
            signs = _signs(part)
            reached = {
                count + 1
                for count in reached
                if count < len(names) and _match_name(names[count], signs)
            }
        if not reached:
            return False
    return len(names) in reached


def _match_name(name: str, signs: tuple[str, ...]) -> bool:
    """Match one name; only the last `*` that was met is ever taken back to."""
    at = sign = 0
    star, star_at = -1, 0
    while at < len(name):
        if sign < len(signs) and signs[sign] == "*":
            star, star_at = sign, at
            sign += 1
        elif sign < len(signs) and _match_sign(name[at], signs[sign]):
            at, sign = at + 1, sign + 1
        elif star >= 0:
            star_at += 1
            at, sign = star_at, star + 1
        else:
            return False
    return all(rest == "*" for rest in signs[sign:])


def _match_sign(letter: str, sign: str) -> bool:
    if len(sign) <= 2:  # a letter as `\\x`, or `?`
        return sign == "?" or sign[1:] == letter
    negated = sign[1] in "!^"
    choices = sign[1 + negated : -1]
    spans = re.findall(r"(.)-(.)", choices, re.DOTALL)
    single = re.sub(r".-.", "", choices, flags=re.DOTALL)
    inside = letter in single or any(low <= letter <= high for low, high in spans)
    return inside is not negated


@lru_cache(maxsize=256)
def _signs(part: str) -> tuple[str, ...]:
    r"""A part as its signs: `*`, `?`, `[…]`, and a letter that stands for itself as `\x`."""
    signs: list[str] = []
    for sign in re.findall(r"\*+|\?|\[[!^]?\]?[^\]]*\]|.", part, re.DOTALL):
        if sign.startswith("*"):
            signs.append("*")
        elif sign == "?" or (len(sign) > 2 and sign.startswith("[")):
            signs.append(sign)
        else:
            signs += [f"\\{letter}" for letter in sign]
    return tuple(signs)
