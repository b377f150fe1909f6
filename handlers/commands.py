"""The comment grammar: which lines of a comment are commands, and what they say.

A command is a line that begins with the mention, in plain text: the Markdown is parsed,
so nothing quoted, shown as code, hidden or formatted is one. What follows the mention is
then read word by word; a word that is not understood is answered, never guessed at and
never passed on.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from handlers import replies
from handlers.command_lines import find_command_lines
from handlers.options import Problem, Words, nearest, read_words

MAX_COMMANDS = 5
"""Of one comment, whoever writes it."""

Launcher = Literal["api", "claude-code"]
Mode = Literal["forced", "installed"]

COMMANDS = ("run", "trigger", "optimize", "cancel", "help")
RUN_OPTIONS = ("skill", "eval", "launcher", "mode", "environment", "trials", "force")
TRIGGER_OPTIONS = ("skill", "eval-set", "alone", "launcher", "runs-per-query", "yes", "force")
OPTIMIZE_OPTIONS = (*TRIGGER_OPTIONS, "max-iterations")

_WORD = re.compile(r'(?:[^\s"]|"[^"]*")+|"')
_REMARK = re.compile(r"(?:^|\s)\([^()]*\)\s*$")
_STRAIGHT = str.maketrans("\u201c\u201d\u201e", '"""')
"""Phones write curly quotation marks."""


@dataclass(frozen=True, slots=True)
class Run:
    """Compare; empty fields mean what the repository and the settings say."""

    models: tuple[str, ...] = ()
    skill: str | None = None
    eval_id: str | None = None
    launcher: Launcher | None = None
    environment: str | None = None
    force: bool = False
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class Trigger:
    """Measure a description, or look for a better one; empty fields mean what is usual."""

    kind: Literal["trigger", "optimize"]
    models: tuple[str, ...] = ()
    skill: str | None = None
    eval_set: str | None = None
    alone: bool = False
    launcher: Launcher | None = None
    runs_per_query: int | None = None
    max_iterations: int | None = None
    confirmed: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Cancel what is waiting or under way for this issue."""


@dataclass(frozen=True, slots=True)
class Help:
    """Show the commands."""


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A line addressed to us that is no command; `problem` is a sentence safe to post."""

    line: str
    problem: str


Command = Run | Trigger | Cancel | Help | Misunderstood


def parse_commands(body: str, mention: str) -> list[Command]:
    """The commands of a comment, in the order they stand in."""
    return [parse_command(line) for line in find_command_lines(body, mention)]


def new_commands(body: str, body_before: str | None, mention: str) -> list[Command]:
    """The commands that an edit added; for a new comment, all of them."""
    commands = parse_commands(body, mention)
    if body_before is None:
        return commands
    there = Counter(parse_commands(body_before, mention))
    added: list[Command] = []
    for command in commands:
        if there[command] > 0:
            there[command] -= 1
        else:
            added.append(command)
    return added


def parse_command(line: str) -> Command:
    """What follows the mention on its line. A remark in brackets at its end is for people."""
    words = _WORD.findall(_REMARK.sub("", line.translate(_STRAIGHT)))
    try:
        return _parse_words(words)
    except Problem as problem:
        return Misunderstood(" ".join(words), str(problem))


def _parse_words(words: Sequence[str]) -> Command:
    name = words[0].casefold().rstrip(",.;:!?") if words else "help"
    if name == "help":
        return Help()
    if name == "cancel":
        if len(words) > 1:
            raise Problem(replies.nothing_behind(name, words[1]))
        return Cancel()
    if name == "run":
        read = read_words(words[1:], RUN_OPTIONS)
        return Help() if read.asks_for_help else _make_run(read)
    if name in {"trigger", "optimize"}:
        is_search = name == "optimize"
        read = read_words(words[1:], OPTIMIZE_OPTIONS if is_search else TRIGGER_OPTIONS)
        if read.asks_for_help:
            return Help()
        return _make_trigger(read, "optimize" if is_search else "trigger")
    raise Problem(replies.unknown_command(words[0], nearest(name, COMMANDS)))


def _make_run(read: Words) -> Run:
    return Run(
        models=read.models,
        skill=read.values.get("skill"),
        eval_id=read.values.get("eval"),
        launcher=_launcher(read),
        environment=read.values.get("environment"),
        force=read.is_on("force"),
        mode=cast("Mode | None", read.values.get("mode")),
    )


def _make_trigger(read: Words, kind: Literal["trigger", "optimize"]) -> Trigger:
    return Trigger(
        kind=kind,
        models=read.models,
        skill=read.values.get("skill"),
        eval_set=read.values.get("eval-set"),
        alone=read.is_on("alone"),
        launcher=_launcher(read),
        runs_per_query=read.count("runs-per-query"),
        max_iterations=read.count("max-iterations"),
        confirmed=read.is_on("yes"),
        force=read.is_on("force"),
    )


def _launcher(read: Words) -> Launcher | None:
    return cast("Launcher | None", read.values.get("launcher"))
