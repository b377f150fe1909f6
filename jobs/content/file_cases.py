"""Reads eval cases out of JSON: the repository's eval files, and a skill's own `evals.json`.

What JSON says is taken as it stands: strings are not parsed as Markdown, since nothing in
them tells a heading from an assertion any more. It looks nothing up and refuses nothing
but a file that cannot be read.
"""

import json
from collections.abc import Iterator

from jobs.content.draft import CaseDraft
from jobs.content.issue_case import split_names
from jobs.content.rubric import Statement, clean_strings, remarks_on_strings
from jobs.content.snapshot import Snapshot
from jobs.content.text import clean_text, is_none, quoted, without_blank_edges
from jobs.errors import Refused

EVAL_GLOB = "_automation/evals/*.json"
"""Where the eval files of a repository lie."""


def drafts_from_file(snapshot: Snapshot, path: str) -> list[CaseDraft]:
    """The eval cases of a repository's eval file: one object, or a list of them.

    Raises `Refused` naming the file, and the line for broken JSON.
    """
    content = _load(snapshot, path)
    entries = content if isinstance(content, list) else [content]
    name = path.rpartition("/")[2].removesuffix(".json")
    drafts = []
    for number, entry in enumerate(entries, start=1):
        fallback = name if len(entries) == 1 else f"{name}#{number}"
        drafts.append(_draft(_object(entry, path), path, fallback=fallback))
    return drafts


def drafts_from_skill(snapshot: Snapshot, folder: str, path: str) -> list[CaseDraft]:
    """The eval cases of a skill's own file: `{"skill_name": …, "evals": [{…}]}`.

    Their ids are `<skill path>#<id>`, and their skill is the folder they lie in.
    Raises `Refused` as `drafts_from_file`.
    """
    content = _load(snapshot, path)
    entries = content if isinstance(content, list) else _object(content, path).get("evals")
    if not isinstance(entries, list):
        raise Refused(f"{quoted(path)} holds no list `evals`.")
    drafts = []
    for number, entry in enumerate(entries, start=1):
        fields = _object(entry, path)
        written = fields.get("id")
        own = number if written is None or written == "" else written
        drafts.append(
            _draft(
                {**fields, "id": f"{folder}#{own}", "target_skills": [folder]},
                path,
                fallback="",
                folder=folder,
            )
        )
    return drafts


def ids_in_file(snapshot: Snapshot, path: str) -> set[str]:
    """The ids a file holds; none where it cannot be read."""
    try:
        return {draft.id for draft in drafts_from_file(snapshot, path)}
    except Refused:
        return set()


def _draft(
    fields: dict[str, object], path: str, *, fallback: str, folder: str | None = None
) -> CaseDraft:
    written = list(_strings(fields.get("assertions") or fields.get("expectations")))
    assertions = [text for text in clean_strings(written) if text and not is_none(text)]
    return CaseDraft(
        id=clean_text(str(fields.get("id") or fallback)).strip() or fallback,
        source="skill" if folder else "file",
        place=quoted(path),
        prompt=_text(fields, "prompt", "query"),
        expected_output=_text(fields, "expected_output"),
        statements=tuple(Statement(text) for text in assertions),
        files=tuple(_strings(fields.get("files"))),
        language=_language(fields),
        skills=tuple(_skills(fields)),
        folders=(folder, ".") if folder else (".",),
        own_path=path,
        remarks=tuple(remarks_on_strings(assertions)),
    )


def _load(snapshot: Snapshot, path: str) -> object:
    text = snapshot.read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Refused(
            f"{quoted(path)} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from error
    except (RecursionError, ValueError) as error:  # nested too deep, or a number of 5,000 digits
        raise Refused(f"{quoted(path)} is no JSON that can be read.") from error


def _object(entry: object, path: str) -> dict[str, object]:
    if not isinstance(entry, dict):
        raise Refused(f"{quoted(path)} holds something that is no eval case: an object is needed.")
    return entry


def _text(fields: dict[str, object], *names: str) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip() and not is_none(value):
            return without_blank_edges(clean_text(value))
    return ""


def _strings(value: object) -> Iterator[str]:
    """Strings of a list, of a list of objects with a `text`, or a single one."""
    entries = value if isinstance(value, list) else [value]
    for entry in entries:
        shown = entry.get("text") if isinstance(entry, dict) else entry
        if isinstance(shown, str):
            yield clean_text(shown)


def _language(fields: dict[str, object]) -> str | None:
    return _text(fields, "language") or None


def _skills(fields: dict[str, object]) -> Iterator[tuple[str, ...]]:
    named = fields.get("target_skills") or fields.get("skill_name") or fields.get("skill")
    for text in _strings(named):
        for name in split_names(text):
            if not is_none(name):
                yield (name.strip(),)
