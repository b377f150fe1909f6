"""What is said about the commands themselves: all of them, one, or what was wrong with some.

Everything stands in tables and code, where nothing is read as a command, and is made from
`handlers.command_table`.
"""

from collections.abc import Collection, Sequence

from handlers.command_table import (
    COMMANDS,
    option_meaning,
    option_usage,
    short_usage,
    usage,
)

PURPOSE = (
    "I measure whether an agent skill makes the work better: the task of this issue is "
    "done with the skill and without it, and an impartial judge scores both blind."
)


def help_text(mention: str, about: str | None = None, label: str = "needs-benchmark") -> str:
    """All commands, or one of them with its options."""
    if about is not None:
        return _command_help(mention, about)
    rules = (
        "A command stands at the start of a line of its own. The label "
        f"`{label}` does the same as `run` without options; to take it off again cancels. "
        f"What a command takes is told by `{mention} help COMMAND`, such as `{mention} help run`."
    )
    return f"{PURPOSE}\n\n{commands_table(mention)}\n\n{rules}"


def not_understood(mention: str, problems: Sequence[str], about: Collection[str | None]) -> str:
    """What was wrong with the commands of one comment, each in a line, and where help is.

    `about` are the commands that were meant, None among them where a name was not understood.
    Where it is one command, its options are shown at once.
    """
    lines = [f"- {problem}" for problem in problems]
    meant = {name for name in about if name is not None}
    how = f"All commands: `{mention} help`."
    if len(meant) == len(set(about)) == 1:
        how = f"{_command_help(mention, meant.pop())}\n\n{how}"
    return "\n".join(["I did not start this, because:", "", *lines, "", how])


def commands_table(mention: str) -> str:
    """Every command and what it is for."""
    rows = [(f"{mention} {short_usage(name)}", spec.purpose) for name, spec in COMMANDS.items()]
    return _table("command", rows)


def reference(mention: str) -> str:
    """All of the table as Markdown, for `docs/commands.md`."""
    return "\n\n".join(_section(mention, name) for name in COMMANDS) + "\n"


def _section(mention: str, name: str) -> str:
    spec = COMMANDS[name]
    right = f"Permission `{spec.right}`." if spec.right else "For everybody."
    where = "" if spec.on_pull_requests else " On issues only."
    head = [f"### {name}", f"`{mention} {usage(name)}`"]
    return "\n\n".join(
        [*head, f"{_sentence(spec.purpose)} {right}{where}", *_tables(mention, name)]
    )


def _command_help(mention: str, name: str) -> str:
    head = f"`{mention} {short_usage(name)}`: {COMMANDS[name].purpose}"
    return "\n\n".join([_sentence(head), *_tables(mention, name)])


def _tables(mention: str, name: str) -> list[str]:
    spec, tables = COMMANDS[name], []
    if spec.options:
        rows = [(option_usage(option), option_meaning(option)) for option in spec.options]
        tables.append(_table("option", rows))
    if spec.examples:
        rows = [(f"{mention} {words}", meaning) for words, meaning in spec.examples]
        tables.append(_table("example", rows))
    return tables


def _sentence(text: str) -> str:
    whole = text[0].upper() + text[1:]
    return whole if whole.endswith((".", "?")) else f"{whole}."


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    lines = [f"| `{left}` | {right} |" for left, right in rows]
    return "\n".join([f"| {title} | what it does |", "|---|---|", *lines])
