"""Whether claims about a JSON file hold."""

import json
import re
from collections import Counter
from decimal import Decimal
from typing import Any, NamedTuple

from jobs.checks.claims import HasKey, KeyIs, Range, Text, Value
from jobs.checks.files import MAX_JSON_BYTES, OutputFolder, Told
from jobs.content.text import clean_text

MAX_LOOKED_AT = 100_000
"""Values of a file in which a key is looked for at other places."""
SHOWN = 80
_STEP = re.compile(r"[^.\[\]]+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_CONSTANTS = frozenset({"true", "false", "null"})
_NOTHING = object()


class _NoJsonError(ValueError):
    """A constant that JSON has not."""


class _Twice(NamedTuple):
    """In place of a value: its key stands twice in one object, and readers take either."""


def load(path: str, output: OutputFolder) -> Any | Told:
    """What the file holds; told as a fail where it is no JSON, as None where nobody can say."""
    content = output.read(path, MAX_JSON_BYTES)
    if isinstance(content, Told):
        return content
    try:
        return json.loads(
            content.decode("utf-8-sig"),
            parse_float=Decimal,
            parse_constant=_refuse,
            object_pairs_hook=_make_object,
        )
    except UnicodeDecodeError:
        return Told(None, f"{path} is no text in UTF-8.")
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return Told(holds=False, found=f"{path} is no JSON: {error.msg} in {where}.")
    except _NoJsonError as error:
        return Told(holds=False, found=f"{path} is no JSON: {error}.")
    except (RecursionError, ValueError, ArithmeticError, MemoryError):
        return Told(None, f"{path} is nested too deep or holds too long a number to be read.")


def tell_json(path: str, output: OutputFolder) -> Told:
    """Whether the file parses as JSON."""
    if path.casefold().endswith((".jsonl", ".ndjson")):
        return Told(None, f"{path} may hold one JSON text a line.")
    content = load(path, output)
    return (
        content if isinstance(content, Told) else Told(holds=True, found=f"{path} parses as JSON.")
    )


def tell_key(claim: HasKey | KeyIs, output: OutputFolder) -> Told:
    """Whether a key is there and, where that is claimed, has such a value."""
    content = load(claim.path, output)
    if isinstance(content, Told):
        return content
    value = _look_up(content, claim.key)
    if value is _NOTHING:
        if not isinstance(content, dict) or _stands_deeper(content, claim.key):
            return Told(None, f"{claim.key} is no key at the top of {claim.path}.")
        return Told(holds=False, found=f"{claim.path} has no key {claim.key}.")
    if isinstance(value, _Twice):
        holds = True if isinstance(claim, HasKey) else None
        return Told(holds, f"{claim.key} stands in {claim.path} more than once.")
    shown = _show(value)
    if isinstance(claim, HasKey):
        return Told(holds=True, found=f"{claim.key} in {claim.path} is {shown}.")
    return Told(_compare(value, claim.value), f"{claim.key} in {claim.path} is {shown}.")


def _refuse(constant: str) -> None:
    raise _NoJsonError(f"{constant} is no number")


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, in which a key that stands there twice has no value."""
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        made |= {name: _Twice() for name, count in counts.items() if count > 1}
    return made


def _look_up(content: object, key: str) -> object:
    """The value of a key as it is spelt, else of a path of keys: `stats.mean`, `rows[0].id`."""
    if isinstance(content, dict) and key in content:
        return content[key]
    at = content
    for step in _STEP.findall(key):
        if isinstance(at, dict) and step in at:
            at = at[step]
        elif isinstance(at, list) and step.isascii() and step.isdigit() and len(step) < 9:
            if int(step) >= len(at):
                return _NOTHING
            at = at[int(step)]
        else:
            return _NOTHING
    return _NOTHING if at is content else at


def _stands_deeper(content: object, key: str) -> bool:
    """Whether the key's last word is a key anywhere in the file, in whatever case."""
    wanted, left = (_STEP.findall(key) or [key])[-1].casefold(), MAX_LOOKED_AT
    waiting = [content]
    while waiting:
        value = waiting.pop()
        left -= 1
        if left < 0 or (
            isinstance(value, dict) and any(str(name).casefold() == wanted for name in value)
        ):
            return True
        waiting += (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        )
    return False


def _compare(value: object, wanted: Value) -> bool | None:
    """Whether a value is what it must be; None where it is so in another spelling."""
    if isinstance(wanted, bool) or wanted is None:
        said = isinstance(value, str) and value.strip().casefold() == str(wanted).casefold()
        return None if said else value is wanted
    if isinstance(wanted, Text):
        return _compare_text(value, wanted)
    number = _as_number(value)
    if number is None:
        spelt = isinstance(value, str) and re.search(r"\d", value)
        return None if spelt or isinstance(value, dict | list) else False
    if isinstance(wanted, Range):
        return wanted.holds(number)
    if number == wanted:
        return True
    exponent = wanted.as_tuple().exponent
    # what is computed with is the assertion's: a number of the file may be too large for that
    half = Decimal(5).scaleb(exponent - 1) if isinstance(exponent, int) else Decimal(0)
    return None if wanted - half <= number <= wanted + half else False


def _compare_text(value: object, wanted: Text) -> bool | None:
    if isinstance(value, str):
        if value == wanted.text:
            return True
        return None if _bare(value) == _bare(wanted.text) else False
    if isinstance(value, dict | list):
        return None
    spelt = json.dumps(value, default=str).strip('"')
    number = _as_number(value)
    is_same = spelt == wanted.text or (
        number is not None
        and bool(_NUMBER.fullmatch(wanted.text))
        and number == Decimal(wanted.text)
    )
    if is_same:
        return True if wanted.in_code else None
    return False if _NUMBER.fullmatch(wanted.text) or wanted.text in _CONSTANTS else None


def _as_number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return Decimal(value)


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).strip(".,;: ")


def _show(value: object) -> str:
    if isinstance(value, dict | list):
        kind = "an object" if isinstance(value, dict) else "a list"
        return f"{kind} of {len(value):,} entries"
    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)
    text = clean_text(text)  # JSON can spell half a surrogate pair
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
