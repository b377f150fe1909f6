"""The comment grammar: which lines of a comment are commands, and what they say.

A command is a line that begins with the mention, in plain text: the Markdown is parsed,
so nothing quoted, shown as code, hidden or formatted is one. What follows the mention is
then read word by word; a word that is not understood is answered, never guessed at and
never passed on.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from config.tiers import TierName
from handlers import replies
from handlers.command_lines import find_command_lines
from handlers.command_table import COMMANDS
from handlers.command_values import (
    Again,
    AgainName,
    Cancel,
    Command,
    Dataset,
    Gather,
    GatherKind,
    Help,
    Launcher,
    Misunderstood,
    Mode,
    Read,
    Run,
    Trigger,
)
from handlers.options import RUN_ID, Problem, Words, nearest, read_words
from handlers.verdict_line import read_verdict
from jobs.requests import DatasetOptions, Reading

MAX_COMMANDS = 5
"""Of one comment, whoever writes it."""

_WORD = re.compile(r'(?:[^\s"]|"[^"]*")+|"')
_REMARK = re.compile(r"(?:^|\s)\([^()]*\)\s*$")
_STRAIGHT = str.maketrans("\u201c\u201d\u201e", '"""')
"""Phones write curly quotation marks."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def parse_commands(body: str, *mentions: str) -> list[Command]:
    """The commands of a comment, in the order they stand in."""
    return [parse_command(line) for line in find_command_lines(body, *mentions)]


def new_commands(body: str, body_before: str | None, *mentions: str) -> list[Command]:
    """The commands that an edit added; for a new comment, all of them."""
    commands = parse_commands(body, *mentions)
    if body_before is None:
        return commands
    # by what they say: not every command can be hashed
    there = Counter(map(repr, parse_commands(body_before, *mentions)))
    added: list[Command] = []
    for command in commands:
        if there[repr(command)] > 0:
            there[repr(command)] -= 1
        else:
            added.append(command)
    return added


def parse_command(line: str) -> Command:
    """What follows the mention on its line. A remark in brackets at its end is for people."""
    words = _WORD.findall(_REMARK.sub("", line.translate(_STRAIGHT)))
    name = _bare(words[0]) if words else "help"
    try:
        if name == "verdict":  # its reason is everybody's own words, brackets and all
            return read_verdict(line)
        return _parse_words(name, words)
    except Problem as problem:
        about = name if name in COMMANDS else None
        return Misunderstood(" ".join(words), str(problem), about)


def _parse_words(name: str, words: Sequence[str]) -> Command:
    if name == "help":
        about = _bare(words[1]) if len(words) > 1 else None
        return Help(about if about in COMMANDS else None)
    if name not in COMMANDS:
        raise Problem(replies.unknown_command(words[0], nearest(name, tuple(COMMANDS))))
    spec = COMMANDS[name]
    read = read_words(words[1:], spec.options, takes_models=spec.takes_models)
    if read.asks_for_help:
        return Help(name)
    make = _MAKERS.get(name, _make_read)
    return make(name, read)


def _make_run(name: str, read: Words) -> Command:
    run = Run(
        models=read.models,
        skill=read.values.get("skill"),
        eval_id=read.values.get("eval"),
        launcher=_launcher(read),
        environment=read.values.get("environment"),
        force=read.is_on("force"),
        mode=cast("Mode | None", read.values.get("mode")),
        vs=read.values.get("vs"),
        trials=read.count("trials"),
        judge=read.values.get("judge"),
        fresh=read.is_on("fresh"),
        override_budget=read.is_on("override-budget"),
        until_sure=read.is_on("until-sure") if "until-sure" in read.values else None,
        tier=cast("TierName | None", read.values.get("tier")),
        head=read.commit,
    )
    if name == "run":
        return run
    _no_commit(name, read)
    return Read("estimate", run=run)


def _make_trigger(name: str, read: Words) -> Command:
    _no_commit(name, read)
    return Trigger(
        kind="optimize" if name == "optimize" else "trigger",
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


def _make_rerun(name: str, read: Words) -> Command:
    if len(read.plain) != 1 or _bare(read.plain[0]) != "failed":
        raise Problem(replies.only_failed(name, " ".join(read.plain)))
    return Again("rerun", override_budget=read.is_on("override-budget"))


def _make_again(name: str, read: Words) -> Command:
    return Again(
        cast("AgainName", name),
        run=_run_id(name, read),
        judge=read.values.get("judge"),
        override_budget=read.is_on("override-budget"),
    )


def _make_gather(name: str, read: Words) -> Command:
    _nothing_behind(name, read)
    return Gather(cast("GatherKind", name), skill=read.values.get("skill"))


def _make_dataset(name: str, read: Words) -> Command:
    if len(read.plain) != 2 or not all(_NAME.fullmatch(word) for word in read.plain):
        raise Problem(replies.needs_two_names(name, " ".join(read.plain)))
    ids = tuple(filter(None, (one.strip() for one in read.values.get("ids", "").split(","))))
    options = DatasetOptions(
        benchmark=read.plain[0],
        dataset=read.plain[1],
        limit=read.count("limit"),
        ids=tuple(dict.fromkeys(ids)),
        target_type=read.values.get("target-type"),
        eval_model=read.values.get("eval-model"),
    )
    return Dataset(options, read.values.get("model"))


def _make_cancel(name: str, read: Words) -> Command:
    return Cancel(_run_id(name, read))


def _make_read(name: str, read: Words) -> Command:
    _nothing_behind(name, read)
    return Read(cast("Reading", name), skill=read.values.get("skill"))


_MAKERS: dict[str, Callable[[str, Words], Command]] = {
    "run": _make_run,
    "estimate": _make_run,
    "trigger": _make_trigger,
    "optimize": _make_trigger,
    "rerun": _make_rerun,
    "retry": _make_again,
    "rejudge": _make_again,
    "report": _make_again,
    "summary": _make_gather,
    "sync": _make_gather,
    "dataset": _make_dataset,
    "cancel": _make_cancel,
}


def _bare(word: str) -> str:
    """A word in small letters, without the sign of a sentence behind it."""
    return word.casefold().rstrip(",.;:!?")


def _run_id(name: str, read: Words) -> str | None:
    """The one word behind a command that may name a run; a sign of sentences may end it."""
    if not read.plain:
        return None
    run = _bare(read.plain[0]).strip("`")
    if len(read.plain) > 1 or not RUN_ID.fullmatch(run):
        wrong = next(
            (word for word in read.plain if not RUN_ID.fullmatch(word.casefold())), read.plain[-1]
        )
        raise Problem(replies.no_run_id(name, wrong))
    return run


def _nothing_behind(name: str, read: Words) -> None:
    if read.plain:
        raise Problem(replies.nothing_behind(name, read.plain[0]))


def _no_commit(name: str, read: Words) -> None:
    if read.commit:
        raise Problem(replies.nothing_behind(name, f"@{read.commit}"))


def _launcher(read: Words) -> Launcher | None:
    return cast("Launcher | None", read.values.get("launcher"))
