"""Puts another description into a SKILL.md and leaves every other byte as it is.

The change is offered to people as a pull request, so comments, order, quotes and line ends
of the front matter are theirs to keep: the value alone is cut out and replaced. Refuses to
touch what it cannot read back.
"""

import re

import yaml

from jobs.content.skill_file import DESCRIPTION_CHARACTERS, parse_skill_file
from jobs.content.text import quoted
from jobs.errors import Refused

_OPENING = re.compile(r"\ufeff?\s*---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_KEY_LINE = re.compile(r"^description[ \t]*:[^\n]*\n?", re.MULTILINE)
_CONTINUED = re.compile(r"(?:[ \t]+\S[^\n]*\n?|[ \t]*\r?\n(?=[ \t]+\S))+")
_JOINERS = dict.fromkeys((0x200C, 0x200D))
"""Join or part letters in many scripts, and emoji; Python calls them not printable."""


def find_description_problem(description: str) -> str | None:
    """Why a text cannot be a skill's description, by the agentskills.io specification."""
    if not description.strip():
        return "it is empty"
    if len(description) > DESCRIPTION_CHARACTERS:
        return f"it has {len(description):,} characters, and {DESCRIPTION_CHARACTERS:,} is the most"
    if "<" in description or ">" in description:
        return "it holds angle brackets"
    if not description.translate(_JOINERS).isprintable():
        return "it holds line breaks or control characters"
    return None


def replace_description(content: bytes, description: str, path: str) -> bytes:
    """The SKILL.md at `path` with `description` in the place of its own.

    Raises `Refused` where the description cannot be one, the file has no front matter, or the
    result would not be read back as it was meant.
    """
    if problem := find_description_problem(description):
        raise Refused(f"this description cannot be used: {problem}.")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{quoted(path)} is not UTF-8 (byte {error.start:,}).") from None
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        raise Refused(f"{quoted(path)} has no front matter that could hold a description.")
    front = text[opening.end() : closing.start()]
    line_end = "\r\n" if "\r\n" in opening.group() else "\n"
    changed = _replace(front, _as_yaml(description), line_end)
    result = (text[: opening.end()] + changed + text[closing.start() :]).encode("utf-8")
    read_back = parse_skill_file(result, path, "").description
    if not _is_yaml(changed) or read_back != " ".join(description.split()):
        raise Refused(
            f"the description in {quoted(path)} cannot be replaced: its front matter is no "
            "valid YAML, or needs the one it has. Mend it first."
        )
    return result


def _replace(front: str, value: str, line_end: str) -> str:
    found = _find_value(front)
    if found is None:
        return f"description: {value}{line_end}{front}"
    head, tail = front[: found[0]], front[found[1] :]
    if head.endswith(":"):  # the key stood there without a value
        value = f" {value}"
    if not tail.startswith(("\n", "\r", " ", "\t")):
        value += line_end  # a block ends behind its last line
    return head + value + tail


def _find_value(front: str) -> tuple[int, int] | None:
    """Where the description's value stands, from its first character to behind its last.

    By YAML's own marks, or by the lines as a person reads them where the front matter is no
    valid YAML. None where there is no such key.
    """
    try:
        node = yaml.compose(front, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        node = None
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "description":
                return value.start_mark.index, value.end_mark.index
        return None
    line = _KEY_LINE.search(front)
    if line is None:
        return None
    more = _CONTINUED.match(front, line.end())
    start = line.start() + line.group().index(":") + 1
    start += len(front[start:]) - len(front[start:].lstrip(" \t"))
    return start, len(front[: more.end() if more else line.end()].rstrip("\r\n"))


def _is_yaml(front: str) -> bool:
    try:
        return isinstance(yaml.compose(front, Loader=yaml.SafeLoader), yaml.MappingNode)
    except (yaml.YAMLError, RecursionError):
        return False


def _as_yaml(description: str) -> str:
    """The text as a YAML scalar on one line, quoted only where YAML asks for it."""
    written: str = yaml.safe_dump(description, width=float("inf"), allow_unicode=True)
    return written.removesuffix("\n").removesuffix("...").rstrip("\n")
