"""Questions about one person's JSON files: by path, by JMESPath, by keyword, by indicator.

What a model asks for is bounded, since it may ask for anything; what it gets is plain data. A
wrong question raises `ValueError` with a sentence for the model.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from jobs.targets.user_data import shown_files

MOST_RESULTS = 20
MOST_HITS = 10
LONGEST_QUERY = 2_000
MOST_LOOKED_AT = 1_000_000
"""Values of one file that a search looks at."""
TIMELINE = "timeline.json"
_STEP = re.compile(r"""\.?([A-Za-z_][\w-]*)|\[(-?\d+|\*)\]|\["([^"\]]+)"\]""")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Records:
    """The files of one person, read when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Any] = {}

    def files(self) -> list[dict[str, object]]:
        return [{"name": one.name, "bytes": one.stat().st_size} for one in self._shown.values()]

    def content(self, name: str) -> Any:
        """The JSON of a file."""
        if name not in self._shown:
            raise ValueError(f"there is no file {name[:100]!r}; there are {sorted(self._shown)}")
        if name not in self._read:
            try:
                self._read[name] = json.loads(self._shown[name].read_bytes())
            except (ValueError, RecursionError):
                raise ValueError(f"{name} is no JSON") from None
        return self._read[name]

    @cached_property
    def _shown(self) -> Mapping[str, Path]:
        return {one.name: one for one in shown_files(self._folder)}

    def entries(self, source: str) -> Iterator[dict[str, Any]]:
        """Measured values of the timeline: `auto` for all, `device` or `exam`."""
        sources = ("device", "exam") if source == "auto" else (source,)
        kinds = {f"{one}_indicator" for one in sources}
        content = self.content(TIMELINE)
        listed = content.get("entries") if isinstance(content, dict) else None
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict) and one.get("entry_type") in kinds:
                yield one


def at_path(content: Any, path: str) -> Any:
    """What stands at a simple path: `.key`, `[0]`, `[-1]`, `[*]`, `["key"]`."""
    found, position, spread = [content], 0, False
    rest = path.strip().removeprefix("$")
    while position < len(rest):
        step = _STEP.match(rest, position)
        if step is None:
            raise ValueError(f"the path cannot be read from {rest[position:][:60]!r} on")
        position = step.end()
        name, index = step[1] or step[3], step[2]
        if index == "*":
            spread = True
            found = [one for each in found for one in _members(each)]
        else:
            found = [_step(each, name, index) for each in found]
    return found if spread else found[0]


def _members(content: Any) -> Sequence[Any]:
    if isinstance(content, dict):
        return list(content.values())
    if isinstance(content, list):
        return content
    raise ValueError("`[*]` stands behind something that has no members")


def _step(content: Any, name: str | None, index: str | None) -> Any:
    try:
        if name is not None:
            return content[name] if isinstance(content, dict) else _missing(name)
        return content[int(index or 0)] if isinstance(content, list) else _missing(index)
    except (KeyError, IndexError):
        return _missing(name if name is not None else index)


def _missing(step: object) -> Any:
    raise ValueError(f"nothing stands at {step!r}")


def by_jmespath(content: Any, query: str) -> Any:
    if len(query) > LONGEST_QUERY:
        raise ValueError(f"an expression has at most {LONGEST_QUERY} characters")
    try:
        return jmespath.search(query, content)
    except (JMESPathError, RecursionError, TypeError, ValueError, LookupError) as fault:
        raise ValueError(f"the expression cannot be used: {str(fault)[:300]}") from None


def where(content: Any, key: str, value: str) -> list[Any]:
    """The members of a list of objects, or of the lists in an object, whose `key` holds `value`."""
    lists = [content] if isinstance(content, list) else []
    if isinstance(content, dict):
        lists = [one for one in content.values() if isinstance(one, list)]
    wanted = value.casefold()
    return [
        one
        for each in lists
        for one in each
        if isinstance(one, dict) and wanted in str(one.get(key, "")).casefold()
    ]


def select(found: Any, names: Sequence[str]) -> Any:
    """Objects with only these keys."""
    if not names:
        return found
    if isinstance(found, list):
        return [select(one, names) for one in found]
    if isinstance(found, dict):
        return {name: found[name] for name in names if name in found}
    return found


def search(content: Any, keyword: str, most: int) -> dict[str, Any]:
    """Where a word stands, in keys and values."""
    if not keyword.strip():
        raise ValueError("a keyword is needed")
    wanted, hits = keyword.casefold(), []
    for looked_at, (path, value) in enumerate(_walk(content), 1):
        if wanted in path.rpartition(".")[2].casefold() or (
            not isinstance(value, dict | list) and wanted in str(value).casefold()
        ):
            hits.append({"path": path, "value": _short(value)})
        if len(hits) >= most or looked_at >= MOST_LOOKED_AT:
            return {"hits": hits, "note": "there may be more"}
    return {"hits": hits}


def _walk(content: Any) -> Iterator[tuple[str, Any]]:
    waiting: list[tuple[str, Any]] = [("$", content)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        if isinstance(value, dict):
            waiting += [(f"{path}.{key}", one) for key, one in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(f"{path}[{at}]", value[at]) for at in reversed(range(len(value)))]


def lookup(records: Records, indicator: str, date: str | None, source: str) -> list[dict[str, Any]]:
    """The values of indicators whose name holds a text, of one date where that is said."""
    _check_date(date)
    wanted = re.sub(r"[\s_-]+", "", indicator).casefold()
    if not wanted:
        raise ValueError("an indicator is needed")
    return [
        one
        for one in records.entries(source)
        if wanted in re.sub(r"[\s_-]+", "", str(one.get("indicator", ""))).casefold()
        and (date is None or str(one.get("time", "")).startswith(date))
    ]


def indicators_on(records: Records, date: str, source: str) -> list[str]:
    _check_date(date)
    return sorted(
        {
            str(one.get("indicator"))
            for one in records.entries(source)
            if str(one.get("time", "")).startswith(date)
        }
    )


def outline(content: Any, most: int, depth: int = 3) -> Any:
    """The structure of a file: keys, kinds, lengths and the first members."""
    if isinstance(content, dict):
        if depth == 0:
            return f"object with {len(content)} keys"
        shown = list(content.items())[: max(most, 30)]
        return {key: outline(value, most, depth - 1) for key, value in shown}
    if isinstance(content, list):
        first = [outline(one, most, depth - 1) for one in content[:most]] if depth else []
        return {"list_of": len(content), "first": first}
    return _short(content)


def _short(value: Any) -> Any:
    if isinstance(value, dict | list):
        return f"{type(value).__name__} with {len(value)} members"
    return value[:300] if isinstance(value, str) else value


def _check_date(date: str | None) -> None:
    if date is not None and not _DATE.fullmatch(date):
        raise ValueError("a date looks like 2024-05-31")
