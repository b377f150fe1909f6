"""Reads eval cases out of JSON: the repository's eval files, and a skill's own `evals.json`.

What JSON says is taken as it stands: strings are not parsed as Markdown, since nothing in
them tells a heading from an assertion any more. A field of the wrong type breaks its own
case, an unreadable file all of its own; both are named, and no other case suffers.
"""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from config.repo_file import REPO_FILES
from jobs.content.draft import CaseDraft
from jobs.content.paths import is_utf8
from jobs.content.rubric import Statement, clean_strings, parse_rubric, remarks_on_strings
from jobs.content.skill_names import LINE_CHARACTERS, MAX_LINES
from jobs.content.skills import skill_path
from jobs.content.snapshot import Snapshot
from jobs.content.text import clean_text, is_no_response, is_none, quoted, without_blank_edges
from jobs.content.written_checks import read_json_checks
from jobs.errors import Refused

SKILL_EVALS = "evals/evals.json"
"""Where a skill brings its own eval cases, below its folder."""
ID_CHARACTERS = 200

MAX_UNREAD = 20
UNREAD_CHARACTERS = 40
"""How many keys that nothing reads, and of which length, are compared with those that are."""

_SKILL_KEYS = ("target_skills", "skill_name", "skill")
_KEYS = (
    *("id", "prompt", "expected_output", "files", "assertions", "expectations", "checks"),
    *("language", "environment", "should_load", *_SKILL_KEYS),
)
_STATEMENT_KEYS = ("text", "assertion", "statement", "criterion", "expectation", "description")
"""Under which of its keys an assertion that is written as an object says what it asserts."""


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """An eval case that cannot be run: where it stands, and why not, in words for a reply."""

    id: str
    path: str
    reason: str


def drafts_from_file(snapshot: Snapshot, path: str) -> list[CaseDraft | BrokenCase]:
    """The eval cases of a repository's eval file: one object, or a list of them."""
    folder, _, name = path.rpartition("/")
    name = name.removesuffix(".json")
    entries = _load_entries(snapshot, path)
    if isinstance(entries, str):
        return [BrokenCase(name, path, entries)]
    found: list[CaseDraft | BrokenCase] = []
    for number, entry in enumerate(entries, start=1):
        fallback = name if len(entries) == 1 else f"{name}#{number}"
        found.append(
            _Entry(entry, path, "file", fallback, prefix="", folders=(".", folder or ".")).draft()
        )
    return found


def drafts_from_skill(snapshot: Snapshot, folder: str) -> list[CaseDraft | BrokenCase]:
    """The eval cases that the skill in `folder` brings: `{"skill_name": …, "evals": [{…}]}`.

    Their ids are `<skill path>#<id>`, their skill is the folder they lie in, and paths in
    them start there. Empty where the skill brings none.
    """
    path = skill_path(folder, SKILL_EVALS)
    if snapshot.find_file(path) is None:
        return []
    entries = _load_entries(snapshot, path)
    if isinstance(entries, str):
        return [BrokenCase(folder, path, entries)]
    folders = (folder, skill_path(folder, "evals"), ".")
    return [
        _Entry(entry, path, "skill", str(number), prefix=f"{folder}#", folders=folders).draft()
        for number, entry in enumerate(entries, start=1)
    ]


def _load_entries(snapshot: Snapshot, path: str) -> list[object] | str:
    """What a file holds, case by case, or why it cannot be read."""
    if not is_utf8(path):
        return f"The name of {quoted(path)} is not UTF-8."
    try:
        content = json.loads(snapshot.read_text(path))
    except Refused as refusal:
        return str(refusal)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return f"{quoted(path)} is no JSON: {error.msg} in {where}."
    except (RecursionError, ValueError):  # nested too deep, or a number of 5,000 digits
        return f"{quoted(path)} is no JSON that can be read."
    if isinstance(content, dict) and "evals" in content:
        content = content["evals"]
        if not isinstance(content, list):
            return f"`evals` in {quoted(path)} is no list."
    return content if isinstance(content, list) else [content]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One eval case in JSON; each field is checked for its type as it is read."""

    content: object
    path: str
    source: Literal["file", "skill"]
    fallback: str
    prefix: str
    folders: tuple[str, ...]

    def draft(self) -> CaseDraft | BrokenCase:
        fallback = f"{self.prefix}{self.fallback}"
        if not isinstance(self.content, dict):
            reason = (
                f"{quoted(self.path)} holds something that is no eval case: an object is needed."
            )
            return BrokenCase(fallback, self.path, reason)
        try:
            case_id = self.prefix + (self._id(self.content) or self.fallback)
        except Refused as refusal:
            return BrokenCase(fallback, self.path, str(refusal))
        try:
            return self._read(self.content, case_id)
        except Refused as refusal:
            return BrokenCase(case_id, self.path, str(refusal))

    def _read(self, fields: Mapping[str, Any], case_id: str) -> CaseDraft:
        key = "assertions" if fields.get("assertions") else "expectations"
        statements, remarks = _statements(self._strings(fields, key), fields.get(key))
        prompt = self._text(fields, "prompt")
        language = self._text(fields, "language")
        environment = self._environment(fields)
        return CaseDraft(
            id=case_id,
            source=self.source,
            place=quoted(self.path),
            prompt="" if is_none(prompt) else prompt,
            expected_output=self._text(fields, "expected_output"),
            statements=statements,
            checks=read_json_checks(fields, self.path),
            files=tuple(self._strings(fields, "files")),
            language=None if is_none(language) else language.strip(),
            environment="" if is_none(environment) else environment,
            should_load=self._should_load(fields),
            skills=self._skills(fields),
            folders=self.folders,
            own_path=self.path,
            remarks=remarks,
            near_keys=tuple(_near_keys(fields)),
        )

    def _id(self, fields: Mapping[str, Any]) -> str:
        value = fields.get("id")
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Refused(f"`id` in {quoted(self.path)} is neither text nor a whole number.")
        text = " ".join(clean_text(str(value)).split())
        if len(text) > ID_CHARACTERS:
            raise Refused(f"`id` in {quoted(self.path)} has over {ID_CHARACTERS} characters.")
        return text

    def _text(self, fields: Mapping[str, Any], key: str) -> str:
        """A text, a number, or lines of text; empty where nothing or "No response" stands."""
        value = fields.get(key)
        if value is None:
            return ""
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            value = "\n".join(value)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise Refused(f"`{key}` in {quoted(self.path)} is no text.")
        text = without_blank_edges(clean_text(str(value)))
        return "" if is_no_response(text) else text

    def _environment(self, fields: Mapping[str, Any]) -> str:
        value = fields.get("environment")
        if value is None or isinstance(value, str):
            return clean_text(value or "").strip()
        raise Refused(
            f"`environment` in {quoted(self.path)} must be the name of an environment; what it "
            f"holds is written in `{REPO_FILES[0]}`."
        )

    def _should_load(self, fields: Mapping[str, Any]) -> str:
        value = fields.get("should_load")
        if value is None or isinstance(value, bool):
            return "no" if value is False else ""
        if isinstance(value, str):
            return clean_text(value).strip()
        raise Refused(f"`should_load` in {quoted(self.path)} must be `true` or `false`.")

    def _strings(self, fields: Mapping[str, Any], key: str) -> list[str]:
        """The texts of a list, each one a string or an object that holds one."""
        value = fields.get(key)
        if value is None:
            return []
        texts = []
        for place, item in enumerate(value if isinstance(value, list) else [value], start=1):
            text = _text_in(item) if isinstance(item, dict) else item
            if not isinstance(text, str):
                raise Refused(f"Entry {place} of `{key}` in {quoted(self.path)} is no text.")
            texts.append(clean_text(text))
        return texts

    def _skills(self, fields: Mapping[str, Any]) -> tuple[str, ...]:
        if self.source == "skill":
            return (self.prefix.removesuffix("#"),)
        key = next((key for key in _SKILL_KEYS if fields.get(key)), _SKILL_KEYS[0])
        lines = [line.strip() for text in self._strings(fields, key) for line in text.split("\n")]
        names = [line[:LINE_CHARACTERS] for line in lines if not is_none(line)]
        return tuple(names[:MAX_LINES])


def _near_keys(fields: Mapping[str, Any]) -> Iterator[str]:
    """The first few keys that are a slip away from one that is read and not there."""
    absent = [key for key in _KEYS if not fields.get(key)]
    unread = [key for key in fields if key not in _KEYS and len(key) <= UNREAD_CHARACTERS]
    for key in unread[:MAX_UNREAD]:
        if near := difflib.get_close_matches(key.casefold(), absent, 1, 0.75):
            yield f"{quoted(key)} (is `{near[0]}` meant?)"


def _statements(texts: list[str], written: object) -> tuple[tuple[Statement, ...], tuple[str, ...]]:
    """The assertions and what to remark about them; one text for all is Markdown after all."""
    if isinstance(written, str) and (items := parse_rubric(texts[0])):
        return tuple(items), ()
    kept = [text for text in clean_strings(texts) if not is_none(text)]
    return tuple(Statement(text) for text in kept), tuple(remarks_on_strings(kept))


def _text_in(item: Mapping[str, Any]) -> object:
    """What an object in a list says: an assertion, or the path of a file."""
    keys = (*_STATEMENT_KEYS, "path", "file", "name")
    return next((item[key] for key in keys if isinstance(item.get(key), str)), None)
