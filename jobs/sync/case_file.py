"""An eval case of an issue as a JSON file, in the shape that other tools of the field read.

Fields in the order `id prompt expected_output files assertions language target_skills`, two
blanks of indentation, letters as they are, a line end at the end. A file that is there keeps
what the issue says nothing about: keys of its own, and how it spells letters and its end.
Titles of groups have no place in that shape and are left out, as they are never scored.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jobs.content.draft import CaseDraft
from jobs.content.make_case import read_should_load
from jobs.content.marks import is_marked, strip_marks
from jobs.content.paths import looks_like_path
from jobs.content.text import is_none
from jobs.errors import Refused

_OURS = frozenset(
    (
        *("id", "prompt", "expected_output", "files", "assertions", "language", "environment"),
        *("checks", "should_load"),
        *("target_skills", "expectations", "skill_name", "skill"),
    )
)
"""What the issue decides, other names for it included; all else in a file is kept."""


def case_fields(draft: CaseDraft, skills: Sequence[str]) -> dict[str, Any]:
    """The fields of the file for a draft from an issue, in their order."""
    fields: dict[str, Any] = {
        "id": draft.id,
        "prompt": draft.prompt,
        "expected_output": draft.expected_output,
        "files": [line for entry in draft.files for line in _file_entries(entry)],
        "assertions": [statement.text for statement in draft.statements],
    }
    if draft.language is not None:
        fields["language"] = draft.language
    if draft.environment:
        fields["environment"] = draft.environment
    if draft.checks:
        fields["checks"] = [
            {"name": one.name, "command": one.command} if one.name else one.command
            for one in draft.checks
        ]
    if read_should_load(draft.should_load) is False:
        fields["should_load"] = False
    fields["target_skills"] = list(skills)
    return fields


def render_case_file(fields: Mapping[str, Any], there: bytes | None) -> str | None:
    """The text of the file; None where the one that is `there` says the same already.

    Raises `Refused` where what is there is no file of one eval case.
    """
    if there is None:
        return _dump(fields, ascii_only=False) + "\n"
    known = _load(there)
    kept = {key: value for key, value in known.items() if key not in _OURS}
    wanted = {**fields, **kept}
    if wanted == known:
        return None
    return _dump(wanted, ascii_only=_is_ascii(there)) + ("\n" if there.endswith(b"\n") else "")


def _load(there: bytes) -> dict[str, Any]:
    try:
        content = json.loads(there)
    except (ValueError, RecursionError):
        raise Refused("the file that is there is no JSON; mend or remove it") from None
    if not isinstance(content, dict) or "evals" in content:
        raise Refused("the file that is there holds something else than one eval case")
    return content


def _file_entries(markdown: str) -> list[str]:
    """The entries under `files`: of a list each item, of anything else the text as it stands."""
    if is_none(markdown):
        return []
    lines = [line for line in markdown.split("\n") if line.strip()]
    if not all(_is_entry(line) for line in lines):
        return [markdown]
    return [item for line in lines if (item := strip_marks(line)) and not is_none(item)]


def _is_entry(line: str) -> bool:
    """Whether a line is an item of a list, or a path and nothing else."""
    bare = line.strip()
    is_item = line == line.lstrip() and (strip_marks(bare) != bare or is_marked(bare))
    return is_item or looks_like_path(bare.strip("`*"))


def _dump(fields: Mapping[str, Any], *, ascii_only: bool) -> str:
    return json.dumps(fields, indent=2, ensure_ascii=ascii_only)


def _is_ascii(there: bytes) -> bool:
    """Whether a file spells other letters than ASCII's as escapes."""
    return there.isascii() and b"\\u" in there
