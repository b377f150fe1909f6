"""Reads a SKILL.md: its name, its description and the text that a session reads.

The front matter is YAML, read by a parser that builds nothing but strings, lists and maps.
Where strict YAML fails on what people commonly write (a colon in an unquoted description), a
lenient second reading finds name and description and says so; a skill is lost only if its
file is not text. Nothing is cut and nothing is corrected in the file itself.
"""

import codecs
import re
from dataclasses import dataclass

import yaml

from jobs.content.snapshot import decode
from jobs.content.text import clean_text, quoted

FRONT_MATTER_CHARACTERS = 32_000
"""A front matter beyond this is no description any more and is not given to the parser."""
DESCRIPTION_CHARACTERS = 1_024
"""The limit of the agentskills.io specification; longer ones exist and are only warned about."""
NAMELESS = "skill"
"""The name of a skill at the root of a snapshot without a name, whose file gives none."""
MAX_ALIASES = 50
"""YAML aliases, since a few of them nested can stand for gigabytes."""

_FENCE = re.compile(r"^---[ \t]*$")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$")
_KEY = re.compile(r"^(name|description)[ \t]*:(?:[ \t]+(.*))?$")
_ANY_KEY = re.compile(r"^[A-Za-z][\w.-]*[ \t]*:(?:[ \t]|$)")
_FIELD_LINE = re.compile(r"^(?:[A-Za-z][\w.-]*[ \t]*:(?:[ \t]|$)|[ \t]+\S|- )")
_BLOCK_SCALAR = re.compile(r"^[>|][+-]?\d?[+-]?[ \t]*(?:#.*)?$")
_FOR_PEOPLE_ONLY = re.compile(
    r"^disable-model-invocation[ \t]*:[ \t]*[\"']?true\b", re.MULTILINE | re.IGNORECASE
)
"""A field of Claude Code's."""
_SANE_NAME = re.compile(r"^\w[\w .+-]{0,99}$")
"""What may become a folder name and stand in a prompt: no slash, no line break, no markup."""


@dataclass(frozen=True, slots=True)
class SkillText:
    """What a SKILL.md says. `text` is what a session reads: all below the front matter."""

    name: str
    description: str
    text: str
    warnings: tuple[str, ...]
    for_people_only: bool = False
    """Whether it keeps agents from loading it by themselves."""


def parse_skill_file(content: bytes, path: str, folder: str) -> SkillText:
    """Read the bytes of the SKILL.md at `path`; `folder` is its folder's name, empty if unknown.

    Raises `Refused`, naming the file and the byte, where it is not UTF-8.
    """
    warnings: list[str] = []
    front, body = _split(decode(content, path), path, warnings)
    if front is not None and content.startswith(codecs.BOM_UTF8):
        warnings.append(
            f"{quoted(path)} begins with a byte order mark, behind which Claude Code sees no front "
            "matter; sessions were given it without. Save it as UTF-8 without that mark."
        )
    fields = {} if front is None else _front_matter(front, path, warnings)
    name = _name(fields.get("name", ""), path, folder, warnings)
    description = " ".join(clean_text(fields.get("description", "")).split())
    if not description:
        warnings.append(f"{quoted(path)} has no description; no agent would choose this skill.")
    if len(description) > DESCRIPTION_CHARACTERS:
        warnings.append(
            f"The description in {quoted(path)} has {len(description):,} characters, "
            f"over the limit of {DESCRIPTION_CHARACTERS:,}."
        )
    for_people_only = bool(front and _FOR_PEOPLE_ONLY.search(front))
    return SkillText(name, description, body, tuple(warnings), for_people_only)


def _split(text: str, path: str, warnings: list[str]) -> tuple[str | None, str]:
    """Front matter and body; (None, text) where there is no front matter.

    One that is never closed ends where the lines are no fields any more, and stays in the
    body, since that is how the file reads to whoever opens it.
    """
    if not text.strip():
        warnings.append(f"{quoted(path)} is empty; a session is told nothing by it.")
        return None, text
    lines = text.split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip())
    if not _FENCE.match(lines[first]):
        warnings.append(f"{quoted(path)} has no front matter; its name is that of its folder.")
        return None, text
    if first:
        warnings.append(f"The front matter of {quoted(path)} does not stand in the first line.")
    for number in range(first + 1, len(lines)):
        if _END.match(lines[number]):
            return "\n".join(lines[first + 1 : number]), "\n".join(lines[number + 1 :]).lstrip("\n")
    warnings.append(f"The front matter of {quoted(path)} is never closed: a line `---` is missing.")
    end = next(
        (n for n in range(first + 1, len(lines)) if not _FIELD_LINE.match(lines[n])), len(lines)
    )
    return "\n".join(lines[first + 1 : end]), text


def _name(written: str, path: str, folder: str, warnings: list[str]) -> str:
    name = " ".join(clean_text(written).split())
    instead = folder or NAMELESS
    if not name:
        return instead
    if not _SANE_NAME.match(name):
        warnings.append(
            f"The name {quoted(name)} in {quoted(path)} cannot be a skill's name; "
            f"{quoted(instead)} is used."
        )
        return instead
    if folder and name != folder:
        warnings.append(
            f"{quoted(path)} is named {quoted(name)} but lies in a folder called {quoted(folder)}."
        )
    return name


class _StringLoader(yaml.BaseLoader):
    """Builds strings, lists and maps only, and refuses a flood of aliases."""

    aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > MAX_ALIASES:
                raise yaml.YAMLError(f"more than {MAX_ALIASES} aliases")
        return super().compose_node(parent, index)


def _front_matter(front: str, path: str, warnings: list[str]) -> dict[str, str]:
    """Name and description as strings, by YAML or by the lenient second reading."""
    try:
        if len(front) > FRONT_MATTER_CHARACTERS:
            raise yaml.YAMLError(f"more than {FRONT_MATTER_CHARACTERS:,} characters")  # noqa: TRY301
        fields = yaml.load(front, Loader=_StringLoader)  # noqa: S506 -- builds strings only
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 2}" if mark is not None else ""
        what = getattr(error, "problem", None) or str(error) or type(error).__name__
        warnings.append(
            f"The front matter of {quoted(path)}{line} is no valid YAML ({quoted(what)}); name "
            "and description were read line by line. Put values that hold a colon in quotes."
        )
        return _lenient(front[:FRONT_MATTER_CHARACTERS])
    if not isinstance(fields, dict):
        warnings.append(f"The front matter of {quoted(path)} holds no fields.")
        return {}
    found: dict[str, str] = {}
    for key in ("name", "description"):
        value = fields.get(key, "")
        if isinstance(value, str):
            found[key] = "" if value in {"~", "null"} else value
        else:
            warnings.append(f"{quoted(key)} in {quoted(path)} is no text and was not used.")
    return found


def _lenient(front: str) -> dict[str, str]:
    """The fields `name` and `description` as a person reads them, line by line.

    A value goes on in the lines below it, across blank ones only if it is a block.
    """
    found: dict[str, str] = {}
    current: str | None = None
    is_block = False
    for line in front.split("\n"):
        if match := _KEY.match(line):
            key, value = match[1], (match[2] or "").strip()
            current = key if key not in found else None
            is_block = bool(_BLOCK_SCALAR.match(value))
            if current:
                found[key] = "" if is_block else value
        elif _ANY_KEY.match(line) or not (line.strip() or is_block):
            current = None
        elif current:
            found[current] = f"{found[current]} {line.strip()}".strip()
    return {key: _unquoted(value) for key, value in found.items()}


def _unquoted(value: str) -> str:
    for mark in ('"', "'"):
        if len(value) > 1 and value.startswith(mark) and value.endswith(mark):
            return value[1:-1]
    return value
