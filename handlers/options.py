"""The words behind a command's name: its options, each checked, its models and other words.

Which options there are stands in `handlers.command_table`. A word that is not understood is a
`Problem`, never guessed at; nothing that a person typed reaches a request unchecked.
"""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from config.repo_kinds import MOST_JUDGES
from handlers import replies
from handlers.command_table import OPTIONS, Option

MAX_MODELS = 5
LONGEST_NAME = 200
"""Caps on what one comment can ask for, whoever asks."""

ALIASES = frozenset({"sonnet", "opus", "haiku", "fable", "mythos"})
"""Plain words that are models all the same."""

MODEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:/@+-]{0,126}[A-Za-z0-9])?")
"""What a model's name can look like in any vendor's catalogue, Bedrock and Vertex included."""
_MODEL_LIKE = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9\-_/.:@])")
"""A letter and a digit or joint: what sets a model apart from a friendly word."""

RUN_ID = re.compile(r"[0-9a-f]{12}")
COMMIT = re.compile(r"@[0-9a-fA-F]{7,40}")
"""A commit as a command names it, by its beginning at least."""
_VERSIONS = frozenset({"none", "previous", "self", "main"})
_REF = re.compile(
    r"ref:(?![/.-])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[^\s~^:?*\[\\\x00-\x20\x7f]+"
)
"""A branch or tag, by the rules of `git check-ref-format`."""

_AROUND_A_WORD = "`*_'<>()[].,;:!?"
"""What sentences and Markdown put around a word; not taken off in silence, only offered."""
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Problem(Exception):  # noqa: N818 -- becomes a `Misunderstood`
    """Why a line is not understood, as a sentence safe to post."""


@dataclass(frozen=True, slots=True)
class Words:
    """What stands behind a command."""

    models: tuple[str, ...]
    values: Mapping[str, str]
    """Values of the options that were given, by name."""
    plain: tuple[str, ...] = ()
    """Words that are neither, of a command that takes no models."""
    commit: str = ""
    """The one that was named by `@SHA`, in small letters and without its sign."""
    asks_for_help: bool = False

    def is_on(self, flag: str) -> bool:
        return _TRUTH[self.values.get(flag, "no")]

    def count(self, option: str) -> int | None:
        """The number given for an option; None where it was not given."""
        return int(self.values[option]) if option in self.values else None


def read_words(words: Sequence[str], known: Collection[str], *, takes_models: bool = True) -> Words:
    """Read the words behind a command that has the options `known`. Raises `Problem`.

    Where it takes models, plain words are models; else they are left to the command.
    """
    options = (*known, *(("model",) if takes_models else ()), "help")
    models: list[str] = []
    plain: list[str] = []
    commits: list[str] = []
    values: dict[str, str] = {}
    remaining = iter(words)
    for word in remaining:
        option = _option_in(word, options)
        if option is None:
            if COMMIT.fullmatch(word) and takes_models:
                commits.append(word[1:].casefold())
            elif takes_models:
                models.append(_model(word, options))
            else:
                plain.append(_unquoted(word))
            continue
        name, value = option
        if name == "help":
            return Words((), {}, asks_for_help=True)
        value = _value(name, value, word, remaining)
        if name == "model" and takes_models:
            models.append(_named_model(value))
        elif name in values:
            raise Problem(replies.given_twice(f"--{name}"))
        else:
            values[name] = value
    if len(models) > MAX_MODELS:
        raise Problem(replies.over_cap("models in one command", MAX_MODELS))
    if len(commits) > 1:
        raise Problem(replies.over_cap("commit in one command", 1))
    return Words(tuple(dict.fromkeys(models)), values, tuple(plain), "".join(commits))


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The known word that is spelt most alike."""
    return next(iter(difflib.get_close_matches(word[:40], known, n=1, cutoff=0.6)), None)


def _value(option: str, value: str | None, word: str, rest: Iterator[str]) -> str:
    """The value of an option: what follows its `=`, else the next word; checked."""
    spec = OPTIONS[option]
    is_flag = not spec.value
    if value is None:
        value = "yes" if is_flag else next(rest, "")
        if not is_flag and value.startswith("-"):
            value = ""
    value = _unquoted(value)
    if not value:
        raise Problem(replies.missing_value(word))
    if is_flag:
        value = value.casefold()
        if value not in _TRUTH:
            raise Problem(replies.bad_value(f"--{option}", value, "`true` or `false`"))
        return value
    if spec.most is not None:
        _check_count(option, value, spec)
        return value
    if spec.choices:
        value = value.casefold()
        if value not in spec.choices:
            wanted = " or ".join(f"`{choice}`" for choice in spec.choices)
            raise Problem(replies.bad_value(f"--{option}", value, wanted))
        return value
    return _checked_name(option, value)


def _checked_name(option: str, value: str) -> str:
    if len(value) > LONGEST_NAME or not value.isprintable():
        wanted = f"a name of at most {LONGEST_NAME} characters"
        raise Problem(replies.bad_value(f"--{option}", value, wanted))
    if option == "vs":
        return _version(value)
    if option == "judge":
        return _judges(value)
    if option in {"model", "eval-model"}:
        return _named_model(value)
    return value


def _judges(value: str) -> str:
    """One model or several, with commas and no blanks between them."""
    names = value.split(",")
    if len(names) > MOST_JUDGES or not all(names):
        wanted = f"a model, or {MOST_JUDGES} at most with commas and no blanks between them"
        raise Problem(replies.bad_value("--judge", value, wanted))
    return ",".join(map(_named_model, names))


def _version(value: str) -> str:
    """The other arm as typed; words and commits in small letters, names of branches as they are."""
    small = value.casefold()
    if small in _VERSIONS or COMMIT.fullmatch(small):
        return small
    name = f"ref:{value[4:]}"
    if small.startswith("ref:") and _REF.fullmatch(name) and not name.endswith((".", "/")):
        return name
    wanted = "`none`, `previous`, `self`, `main`, `@SHA` or `ref:NAME`"
    raise Problem(replies.bad_value("--vs", value, wanted))


def _option_in(word: str, options: Sequence[str]) -> tuple[str, str | None] | None:
    """`--name`, `--name=value` or `name=value` in parts; None for a word without an option."""
    dashed = re.match(r"--|[\u2013\u2014]|-(?=[A-Za-z])", word)  # phones make -- a dash
    if not dashed and not re.match(r"[A-Za-z][A-Za-z-]*=", word):
        return None
    name, equals, value = word[dashed.end() if dashed else 0 :].partition("=")
    if name.casefold() not in options:
        near = nearest(name.casefold(), options)
        raise Problem(replies.unknown_option(word, f"--{near}" if near else None))
    return name.casefold(), value if equals else None


def _model(word: str, options: Sequence[str]) -> str:
    name = _unquoted(word)
    if _looks_like_model(name):
        return name
    if name.startswith("@"):
        raise Problem(replies.no_commit(name))
    bare = name.strip(_AROUND_A_WORD)
    if _looks_like_model(bare):
        raise Problem(replies.not_a_model(name, bare))
    option = nearest(name.casefold(), options)
    near = f"--{option}" if option else nearest(name.casefold(), sorted(ALIASES))
    raise Problem(replies.not_a_model(name, near))


def _looks_like_model(name: str) -> bool:
    shaped = MODEL.fullmatch(name) is not None
    return shaped and (_MODEL_LIKE.search(name) is not None or name.casefold() in ALIASES)


def _named_model(name: str) -> str:
    if not MODEL.fullmatch(name):
        raise Problem(replies.not_a_model(name, None))
    return name


def _check_count(option: str, value: str, spec: Option) -> None:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", value):
        wanted = f"a whole number from 1 to {spec.most}" if spec.most else "a whole number above 0"
        raise Problem(replies.bad_value(f"--{option}", value, wanted))
    if spec.most is not None and int(value) > spec.most:
        raise Problem(replies.over_cap(spec.counted, spec.most))


def _unquoted(value: str) -> str:
    return value.replace('"', "").strip()
