"""The comment grammar: which lines of a comment are commands, and what they say.

A command is a line that begins with the mention, in plain text: the Markdown is parsed,
so nothing quoted, shown as code, hidden or formatted is one. What follows the mention is
then read word by word; a word that is not understood is answered, never guessed at and
never passed on.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from handlers import replies
from handlers.command_lines import find_command_lines

MAX_MODELS = 5
MAX_COMMANDS = 5
MAX_TRIALS = 1
LONGEST_NAME = 200
"""Caps on what one comment can ask for, whoever asks."""

COMMANDS = ("run", "cancel", "help")
VALUE_OPTIONS = ("skill", "eval", "model", "launcher", "environment", "trials")
LAUNCHERS = ("api", "claude-code")
OPTIONS = (*VALUE_OPTIONS, "force", "help")

ALIASES = frozenset({"sonnet", "opus", "haiku", "fable", "mythos"})
"""Plain words that are models all the same."""

MODEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:/@+-]{0,126}[A-Za-z0-9])?")
"""What a model's name can look like in any vendor's catalogue, Bedrock and Vertex included."""
_MODEL_LIKE = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9\-_/.:@])")
"""A letter and a digit or joint: what sets a model apart from a friendly word."""

_AROUND_A_WORD = "`*_'<>()[].,;:!?"
"""What sentences and Markdown put around a word; not taken off in silence, only offered."""

_WORD = re.compile(r'(?:[^\s"]|"[^"]*")+|"')
_REMARK = re.compile(r"(?:^|\s)\([^()]*\)\s*$")
_STRAIGHT = str.maketrans("\u201c\u201d\u201e", '"""')
"""Phones write curly quotation marks."""
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Run:
    """Compare; empty fields mean what the repository and the settings say."""

    models: tuple[str, ...] = ()
    skill: str | None = None
    eval_id: str | None = None
    launcher: Literal["api", "claude-code"] | None = None
    environment: str | None = None
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


Command = Run | Cancel | Help | Misunderstood


class _Problem(Exception):  # noqa: N818 -- becomes a `Misunderstood`
    """Why a line is not understood, as a sentence safe to post."""


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
    except _Problem as problem:
        return Misunderstood(" ".join(words), str(problem))


def _parse_words(words: list[str]) -> Run | Cancel | Help:
    name = words[0].casefold().rstrip(",.;:!?") if words else "help"
    if name == "help":
        return Help()
    if name == "cancel":
        if len(words) > 1:
            raise _Problem(replies.nothing_behind(name, words[1]))
        return Cancel()
    if name == "run":
        return _parse_run(words[1:])
    raise _Problem(replies.unknown_command(words[0], _nearest(name, COMMANDS)))


def _parse_run(words: list[str]) -> Run | Help:
    models: list[str] = []
    values: dict[str, str] = {}
    remaining = iter(words)
    for word in remaining:
        option = _option_in(word)
        if option is None:
            models.append(_model(word))
            continue
        name, value = option
        if name == "help":
            return Help()
        value = _value(name, value, word, remaining)
        if name == "model":
            models.append(_named_model(value))
        elif name in values:
            raise _Problem(replies.given_twice(f"--{name}"))
        else:
            values[name] = value
    if len(models) > MAX_MODELS:
        raise _Problem(replies.over_cap("models in one command", MAX_MODELS))
    return Run(
        models=tuple(dict.fromkeys(models)),
        skill=values.get("skill"),
        eval_id=values.get("eval"),
        launcher=cast('Literal["api", "claude-code"] | None', values.get("launcher")),
        environment=values.get("environment"),
        force=_TRUTH[values.get("force", "no")],
    )


def _value(option: str, value: str | None, word: str, rest: Iterator[str]) -> str:
    """The value of an option: what follows its `=`, else the next word; checked."""
    if value is None:
        value = "yes" if option == "force" else next(rest, "")
        if option != "force" and value.startswith("-"):
            value = ""
    value = _unquoted(value)
    if not value:
        raise _Problem(replies.missing_value(word))
    if option == "force":
        value = value.casefold()
        if value not in _TRUTH:
            raise _Problem(replies.bad_value("--force", value, "`true` or `false`"))
    elif option == "trials":
        _check_trials(value)
    elif option == "launcher":
        value = value.casefold()
        if value not in LAUNCHERS:
            raise _Problem(replies.bad_value("--launcher", value, "`api` or `claude-code`"))
    elif len(value) > LONGEST_NAME or not value.isprintable():
        wanted = f"a name of at most {LONGEST_NAME} characters"
        raise _Problem(replies.bad_value(f"--{option}", value, wanted))
    return value


def _option_in(word: str) -> tuple[str, str | None] | None:
    """`--name`, `--name=value` or `name=value` in parts; None for a word without an option."""
    dashed = re.match(r"--|[\u2013\u2014]|-(?=[A-Za-z])", word)  # phones make -- a dash
    if not dashed and not re.match(r"[A-Za-z]+=", word):
        return None
    name, equals, value = word[dashed.end() if dashed else 0 :].partition("=")
    if name.casefold() not in OPTIONS:
        nearest = _nearest(name.casefold(), OPTIONS)
        raise _Problem(replies.unknown_option(word, f"--{nearest}" if nearest else None))
    return name.casefold(), value if equals else None


def _model(word: str) -> str:
    name = _unquoted(word)
    if _looks_like_model(name):
        return name
    bare = name.strip(_AROUND_A_WORD)
    if _looks_like_model(bare):
        raise _Problem(replies.not_a_model(name, bare))
    option = _nearest(name.casefold(), OPTIONS)
    nearest = f"--{option}" if option else _nearest(name.casefold(), sorted(ALIASES))
    raise _Problem(replies.not_a_model(name, nearest))


def _looks_like_model(name: str) -> bool:
    shaped = MODEL.fullmatch(name) is not None
    return shaped and (_MODEL_LIKE.search(name) is not None or name.casefold() in ALIASES)


def _named_model(name: str) -> str:
    if not MODEL.fullmatch(name):
        raise _Problem(replies.not_a_model(name, None))
    return name


def _check_trials(value: str) -> None:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", value):
        raise _Problem(replies.bad_value("--trials", value, "a whole number"))
    if int(value) > MAX_TRIALS:
        raise _Problem(replies.over_cap("trial per run", MAX_TRIALS))


def _unquoted(value: str) -> str:
    return value.replace('"', "").strip()


def _nearest(word: str, known: tuple[str, ...] | list[str]) -> str | None:
    return next(iter(difflib.get_close_matches(word[:40], known, n=1, cutoff=0.6)), None)
