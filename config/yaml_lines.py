"""Reads YAML that a stranger may have written, and keeps the line of every value.

Takes the part of YAML that settings need: maps, lists and texts. Refuses anchors, aliases,
tags, a second document, keys that stand twice and deep nesting, so that a small file cannot
stand for a large value and nothing is built but strings, lists and maps. Every scalar stays
the text that was written (`no` is `no`, `3.10` is `3.10`); what a text means, the schema says.
"""

import re
import unicodedata
from dataclasses import dataclass, field

import yaml

MAX_BYTES = 64_000
"""A thousand lines of settings; PyYAML reads about 100 kB a second, and planning waits for it."""
MAX_DEPTH = 12
SHOWN_CHARACTERS = 80

_NULL = re.compile(r"~|null|Null|NULL|")
"""Plain words that say there is nothing, as YAML 1.2 has them."""

Path = tuple[str | int, ...]
"""The keys and places that lead to a value, from the outermost."""
Content = str | list["Content"] | dict[str, "Content"] | None


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong with a file."""

    line: int
    """Counted from 1; 0 where it is about the file as a whole."""
    key: str
    """Dotted path of the key, `environments.r.hosts[0]`; empty where no key is meant."""
    text: str
    """A sentence; what the file's writer wrote stands in it as code."""

    def __str__(self) -> str:
        where = [f"line {self.line}"] if self.line else []
        where += [shown(self.key)] if self.key else []
        return f"{', '.join(where)}: {self.text}" if where else self.text


class YamlError(Exception):
    """A file that cannot be read as YAML of ours, with everything that was found in it."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


@dataclass(slots=True)
class Document:
    """What a file holds, and where."""

    content: Content = None
    lines: dict[Path, int] = field(default_factory=dict)
    """The line of each key and of each entry of a list."""
    problems: list[Problem] = field(default_factory=list)
    """What is wrong beside the schema: keys that stand twice, aliases, tags."""

    def line_of(self, path: Path) -> int:
        """The line of a value, or of the nearest that holds it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def parse_yaml(content: bytes) -> Document:
    """Read a file's bytes; an empty file holds None.

    Raises `YamlError` where it is too large, not UTF-8 or no YAML, with the line.
    """
    if len(content) > MAX_BYTES:
        text = f"it has {len(content):,} bytes; at most {MAX_BYTES:,} are read."
        raise YamlError([Problem(0, "", text)])
    text = _decode(content)
    reader = _Reader(text)
    try:
        return reader.read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        said = " ".join(part for part in (error.context, error.problem) if part)
        fault = Problem(line, "", f"it is no valid YAML ({shown(said)}).")
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        fault = Problem(line, "", "a control character stands there.")
    except (yaml.YAMLError, ValueError, OverflowError):  # a number or a letter beyond any
        fault = Problem(reader.line, "", "it is no valid YAML (a number is too large).")
    raise YamlError([fault, *reader.document.problems])


def shown(word: str) -> str:
    """Somebody's word as code on one line, cut, without what is invisible or would end the code."""
    line = " ".join(word[: 10 * SHOWN_CHARACTERS].replace("`", "'").split())
    line = "".join(letter for letter in line if unicodedata.category(letter)[0] != "C")
    if len(line) > SHOWN_CHARACTERS:
        line = line[: SHOWN_CHARACTERS - 1] + "…"
    return f"`{line or ' '}`"


def dotted(path: Path) -> str:
    """A path as people write it: `environments.r.hosts[0]`."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]
    return "".join(parts).removeprefix(".")


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        text = f"it is not UTF-8 (byte 0x{content[error.start]:02x}); save it as UTF-8."
        raise YamlError([Problem(line, "", text)]) from error


class _Reader:
    """Builds the value event by event, so that what is refused is never built."""

    def __init__(self, text: str) -> None:
        self._events = yaml.parse(text, Loader=yaml.BaseLoader)
        self.document = Document()
        self.line = 1

    def read(self) -> Document:
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._complain(event, (), "a second document begins; there may be only one")
                    break
            elif isinstance(event, yaml.NodeEvent):
                self.document.content = self._value(event, ())
        return self.document

    def _next(self) -> yaml.Event:
        return next(self._events)

    def _value(self, event: yaml.Event, path: Path) -> Content:
        self.line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            self._complain(event, path, f"aliases such as {shown(f'*{event.anchor}')} are not read")
            return None
        if isinstance(event, yaml.NodeEvent):
            self._check_plainness(event, path)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path)
        if len(path) >= MAX_DEPTH:
            problem = f"it is nested more than {MAX_DEPTH} deep."
            raise YamlError([Problem(self.line, dotted(path), problem), *self.document.problems])
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path)
        return self._map(path)

    def _list(self, path: Path) -> Content:
        items: list[Content] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            place = (*path, len(items))
            self.document.lines[place] = _line(event)
            items.append(self._value(event, place))
        return items

    def _map(self, path: Path) -> Content:
        found: dict[str, Content] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event, path)
            place = (*path, key)
            if key in found:
                first = self.document.lines[place]
                self._complain(event, place, f"the key stands there twice, first in line {first}")
                self._value(self._next(), place)
                continue
            self.document.lines[place] = _line(event)
            found[key] = self._value(self._next(), place)
        return found

    def _key(self, event: yaml.Event, path: Path) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            text = "a key must be a word, and no list, map or alias."
            line = _line(event)
            raise YamlError([Problem(line, dotted(path), text), *self.document.problems])
        self._check_plainness(event, path)
        return self._scalar(event, path) or ""

    def _scalar(self, event: yaml.ScalarEvent, path: Path) -> str | None:
        value = event.value
        if event.style is None and _NULL.fullmatch(value):
            return None
        if any(_is_unwritable(letter) for letter in value):
            self._complain(event, path, "a control character or half a letter stands in the text")
            return ""
        return str(value)

    def _check_plainness(self, event: yaml.NodeEvent, path: Path) -> None:
        if event.anchor is not None:
            text = f"anchors such as {shown(f'&{event.anchor}')} are not read"
            self._complain(event, path, text)
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._complain(event, path, f"tags such as {shown(tag)} are not read")

    def _complain(self, event: yaml.Event, path: Path, text: str) -> None:
        self.document.problems.append(Problem(_line(event), dotted(path), f"{text}."))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _is_unwritable(letter: str) -> bool:
    return letter not in "\n\t" and unicodedata.category(letter) in {"Cc", "Cs"}
