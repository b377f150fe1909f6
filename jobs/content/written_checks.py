"""Reads the commands of an eval case: the section `Checks` of an issue, `checks` in JSON.

In a list each item is one command, in a code span or plain, with or without a name before it;
an item that holds a code block is one command of several lines. In a code block of its own each
line is a command. What Markdown says in other ways is no command, and is told.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from markdown_it.tree import SyntaxTreeNode

from jobs.content.markdown import parse_tree, plain_text
from jobs.content.text import clean_text, quoted
from jobs.errors import Refused

MAX_CHECKS = 30
COMMAND_CHARACTERS = 4_000
"""What is longer is a program, and belongs into a file of the repository."""
NAME_CHARACTERS = 120
SHELLS = frozenset({"", "sh", "bash", "shell", "console", "shell-session", "zsh", "text"})
"""Languages of a code block whose lines are commands."""
CODE = frozenset({"fence", "code_block"})
"""Kinds of code blocks: between fences, or indented."""

_BOX = re.compile(r"^\[[ xX]\]\s+(?=\S)")
_SPAN = re.compile(r"^(?P<ticks>`+)(?P<command>.+?)(?<!`)(?P=ticks)$", re.DOTALL)
_NAMED_SPAN = re.compile(
    r"^(?P<name>[^`]{1,200}?)\s?(?:[:–—]|\s-)\s{0,3}(?P<ticks>`+)(?P<command>.+?)(?<!`)(?P=ticks)"
    r"[.;]?$",
    re.DOTALL,
)
_NAMED = re.compile(
    r"^(?P<name>[A-Za-z][^`\"'$|&;<>=/\\:\[\]-]{0,79}):\s+(?P<command>[\w.$\[({\"'`!-].*)$",
    re.DOTALL,
)
"""A name is words alone, and what follows begins like a program, so that the colon of a command
is none: `grep Total: *.md`."""
_PART = re.compile(
    r"^\s*(?:(?:if|for|while|until|case|function)\b(?![\s\S]*\b(?:fi|done|esac)\b)|\w+\s*\(\)"
    r"|(?:cd|set|export|source)\s[^;&|]*$)|(?<!<)<<(?!<)-?\s*[\"'\\]?[A-Za-z_]"
)
"""A line of a program of several: what it opens, or does for those below, ends with it."""
_COMMENT = re.compile(r"\s*<!--.*-->\s*", re.DOTALL)
_MIXED = re.compile(r"`[^`]+`[^`]*\s")
"""A code span at the beginning that is not all there is."""
_PROMPT = re.compile(r"^\s*\$\s+")


@dataclass(frozen=True, slots=True)
class WrittenCheck:
    """One command as it was written."""

    command: str
    name: str = ""


@dataclass(slots=True)
class WrittenChecks:
    """The commands of a case; what stands among them and is none."""

    checks: list[WrittenCheck] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why the case cannot be run, in words for a reply."""
    remarks: list[str] = field(default_factory=list)

    def add(self, command: str, name: str = "") -> None:
        """One more command; a blank one is none."""
        if command := command.strip():
            self.checks.append(WrittenCheck(command, " ".join(name.split())[:NAME_CHARACTERS]))


def parse_checks(text: str) -> WrittenChecks:
    """The commands in a section of Markdown. Raises nothing."""
    found = WrittenChecks()
    for node in parse_tree(text).children:
        _read_block(node, found)
    if text.strip() and not found.checks and not found.problems:
        found.problems.append(
            "its section `Checks` holds no command: write one a line, each beginning with a dash"
        )
    return found


def read_json_checks(fields: Mapping[str, Any], path: str) -> tuple[WrittenCheck, ...]:
    """The commands under `checks`: texts, or objects with `command` and `name`.

    Raises `Refused`, naming the entry, for anything else.
    """
    value = fields.get("checks")
    if value is None:
        return ()
    found = WrittenChecks()
    for place, item in enumerate(value if isinstance(value, list) else [value], start=1):
        entry = item if isinstance(item, Mapping) else {"command": item}
        command, name = entry.get("command"), entry.get("name") or ""
        if not isinstance(command, str) or not isinstance(name, str) or not command.strip():
            raise Refused(
                f"Entry {place} of `checks` in {quoted(path)} is no command: write a text, or an "
                "object with `command` and, if you like, `name`."
            )
        if unknown := sorted(set(map(str, entry)) - {"command", "name"}):
            raise Refused(
                f"Entry {place} of `checks` in {quoted(path)} has the key {quoted(unknown[0])}, "
                "which nothing reads: only `command` and `name` are read."
            )
        found.add(clean_text(command), clean_text(name))
    return tuple(found.checks)


def find_check_problems(checks: tuple[WrittenCheck, ...]) -> Iterator[str]:
    """What keeps commands from being run, in words for a reply."""
    if len(checks) > MAX_CHECKS:
        yield f"it has {len(checks)} checks, and {MAX_CHECKS} are the most"
    for number, check in enumerate(checks, start=1):
        if len(check.command) > COMMAND_CHARACTERS:
            yield (
                f"its check C{number} has {len(check.command):,} characters, and "
                f"{COMMAND_CHARACTERS:,} are the most: put the program into a file of the "
                "repository and name it"
            )


def _read_block(node: SyntaxTreeNode, found: WrittenChecks) -> None:
    if node.type in {"bullet_list", "ordered_list"}:
        for item in node.children:
            _read_item(item, found)
    elif node.type in CODE:
        if _is_shell(node, found):
            _read_lines(node.content, found)
    elif node.type == "paragraph":
        for line in _source(node).split("\n"):
            _read_loose_line(line.strip(), found)
    elif node.type != "heading":
        _tell_other(node, found)


def _tell_other(node: SyntaxTreeNode, found: WrittenChecks) -> None:
    """A quotation, a table, HTML: no command, so that none is passed over unseen."""
    inside = (one.content for one in node.walk() if one.type in {"inline", "html_block", *CODE})
    words = " ".join(" ".join(inside).split())
    if words and not _COMMENT.fullmatch(words) and not words.startswith("</"):
        _tell_no_command(words, found)


def _read_lines(block: str, found: WrittenChecks) -> None:
    """The commands of a code block; a program of several lines is none of them."""
    for command, name in _lines_of(block):
        if _PART.search(command):
            found.problems.append(
                f"{quoted(command)} in its section `Checks` is a part of a program, and each line "
                "of such a code block runs alone: put the block into an item of a list"
            )
        found.add(command, name)


def _read_item(item: SyntaxTreeNode, found: WrittenChecks) -> None:
    texts = [_source(child) for child in item.children if child.type == "paragraph"]
    blocks = [child for child in item.children if child.type in CODE]
    if blocks:
        name = plain_text(" ".join(texts)).strip().rstrip(":.")
        for block in blocks:
            if _is_shell(block, found):
                found.add(block.content, name)
    else:
        for text in texts:
            _read_line(text, found)
    for child in item.children:
        if child.type not in {"paragraph", *CODE}:
            _read_block(child, found)


def _read_line(text: str, found: WrittenChecks) -> None:
    """An item's text, which stands as its author typed it: marks of Markdown are the shell's."""
    text = _BOX.sub("", text.strip())
    fits = len(text) <= COMMAND_CHARACTERS + NAME_CHARACTERS  # a longer one is refused as it is
    for form in (_SPAN, _NAMED_SPAN, _NAMED) if fits else ():
        if (match := form.match(text)) and _is_one_span(parts := match.groupdict()):
            found.add(_without_prompt(parts["command"] or ""), plain_text(parts.get("name") or ""))
            return
    if fits and _MIXED.match(text):
        found.problems.append(
            f"{quoted(text)} in its section `Checks` is code with words beside it: write the "
            "command alone in its code span, with a name and a colon before it if you like"
        )
    found.add(_without_prompt(text))


def _is_one_span(parts: dict[str, str | None]) -> bool:
    """Whether what stands between two marks of code holds no such mark itself."""
    ticks = parts.get("ticks")
    return not ticks or not re.search(rf"(?<!`){ticks}(?!`)", parts["command"] or "")


def _read_loose_line(line: str, found: WrittenChecks) -> None:
    """A line outside any list: a command only where it stands in a code span."""
    fits = len(line) <= COMMAND_CHARACTERS + NAME_CHARACTERS
    if fits and (_SPAN.match(line) or _NAMED_SPAN.match(line)):
        _read_line(line, found)
    elif line:
        _tell_no_command(line, found)


def _tell_no_command(words: str, found: WrittenChecks) -> None:
    found.remarks.append(
        f"{quoted(words)} in the section `Checks` is no command, since it is neither an item of a "
        "list nor code."
    )


def _lines_of(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a code block; a comment above one is its name, a backslash goes on."""
    name = command = ""
    for line in block.split("\n"):
        bare = line.strip()
        if not command and bare.startswith("#"):
            name = bare.lstrip("#! ")
            continue
        if bare.endswith("\\"):
            command += f"{line}\n"
        elif command or bare:
            yield _without_prompt(command + line), name
            name = command = ""
    if command:
        yield command.rstrip("\\\n"), name


def _is_shell(block: SyntaxTreeNode, found: WrittenChecks) -> bool:
    language = block.info.strip().split(" ")[0].casefold() if block.type == "fence" else ""
    if language in SHELLS:
        return True
    found.problems.append(
        f"its section `Checks` has a code block of {quoted(language)}: only a shell's lines are "
        "commands, so put the program into a file of the repository and name it in a command"
    )
    return False


def _source(node: SyntaxTreeNode) -> str:
    return "\n".join(child.content for child in node.children if child.type == "inline")


def _without_prompt(command: str) -> str:
    return _PROMPT.sub("", command)
