"""Every sentence a handler says, as pure functions.

Whatever a person typed goes through `as_code` before it is repeated. No text here may
hold a command where the bot would read one, so that no answer can start another.
"""

import re
from collections.abc import Sequence
from datetime import datetime

QUOTE_LIMIT = 60
"""Characters of somebody's word that are repeated in an answer."""

_UNQUOTABLE = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")

_NO_TAGS = str.maketrans("<>", "\u2039\u203a")
"""Angle brackets to their look-alikes: no marker can be made of a quoted word."""


def as_code(word: str) -> str:
    """A word as a Markdown code span that cannot be left, hold a marker or mention anybody."""
    plain = _UNQUOTABLE.sub(" ", word).strip().translate(_NO_TAGS)
    if len(plain) > QUOTE_LIMIT:
        plain = plain[: QUOTE_LIMIT - 1] + "…"
    fence = "`" * (max((len(run) for run in re.findall(r"`+", plain)), default=0) + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain or '…'}{pad}{fence}"


def no_permission(login: str) -> str:
    return (
        f"Thank you for asking, {as_code(login)}: this spends money, so only people with "
        "write permission on this repository can start it."
    )


def owner_not_allowed(login: str, owner: str) -> str:
    return (
        f"Thank you for asking, {as_code(login)}: this bot does not serve repositories of "
        f"{as_code(owner)}. Its operator can allow them with the setting "
        "`SKILLBENCH_ALLOWED_OWNERS`."
    )


def pull_requests_not_offered() -> str:
    return "On pull requests nothing is measured yet; please ask on an issue."


def asked_before(mention: str, at: datetime) -> str:
    """The same was asked for at `at`, and nothing is started a second time."""
    return (
        f"This was asked for on {at:%Y-%m-%d} at {at:%H:%M} UTC, and I did not start it a second "
        "time: its comment on this issue shows how far it is, or how it ended. To measure "
        f"again, write `{mention} run --force` in a new comment."
    )


def nothing_to_cancel(mention: str, *, may_cancel_all: bool) -> str:
    """Nothing that this person may cancel is waiting or under way."""
    what = (
        "no request is waiting or under way."
        if may_cancel_all
        else "no request of yours is waiting or under way. People with write permission can "
        "cancel the requests of others, too."
    )
    commands = as_code(f"{mention} help")
    return f"There is nothing to cancel on this issue: {what} All commands: {commands}."


def help_text(mention: str) -> str:
    """The commands as a table; in cells and code, where nothing is read as a command."""
    purpose = (
        "I measure whether an agent skill makes the work better: the task of this issue is "
        "done with the skill and without it, and an impartial judge scores both blind."
    )
    rules = (
        "A command stands at the start of a line of its own. Only people with write "
        "permission can start a run. The label `needs-benchmark` does the same as `run` "
        "without options; to take it off again cancels. Whoever asked may cancel as well."
    )
    return f"{purpose}\n\n{_usage_table(mention)}\n\n{rules}"


def not_understood(mention: str, problems: Sequence[str]) -> str:
    """What was wrong with the commands of one comment, each in a line, and how to write them."""
    lines = [f"- {problem}" for problem in problems]
    return "\n".join(
        ["I did not start this, because:", "", *lines, "", _usage_table(mention)],
    )


def unknown_command(word: str, nearest: str | None) -> str:
    return f"I do not know the command {as_code(word)}.{_did_you_mean(nearest)}"


def unknown_option(word: str, nearest: str | None) -> str:
    return f"I do not know the option {as_code(word)}.{_did_you_mean(nearest)}"


def not_a_model(word: str, nearest: str | None) -> str:
    return (
        f"{as_code(word)} does not look like a model.{_did_you_mean(nearest)} (A model whose "
        "name is one plain word is written `model=NAME`.)"
    )


def nothing_behind(command: str, word: str) -> str:
    return f"I do not know what {as_code(word)} means for {as_code(command)}, which stands alone."


def missing_value(option: str) -> str:
    return f"The option {as_code(option)} needs a value."


def bad_value(option: str, value: str, wanted: str) -> str:
    return f"{as_code(value)} is no value for {as_code(option)}, which takes {wanted}."


def given_twice(option: str) -> str:
    return f"The option {as_code(option)} is given twice."


def over_cap(what: str, cap: int) -> str:
    return f"That is more than this bot does at once: at most {cap} {what}."


def commands_left_out(cap: int) -> str:
    return f"At most {cap} commands of one comment are carried out; I left out the rest."


def _did_you_mean(nearest: str | None) -> str:
    return f" Did you mean {as_code(nearest)}?" if nearest else ""


def _usage_table(mention: str) -> str:
    rows = [
        (f"{mention} run", "compare on the configured model"),
        (f"{mention} run claude-sonnet gpt-4.1", "compare on each of these models"),
        (f"{mention} run --skill NAME", "this skill, instead of those that the eval case names"),
        (f"{mention} run --eval ID", "another eval case than this issue's own"),
        (f"{mention} run --launcher claude-code", "sessions in Claude Code, or in our `api` loop"),
        (
            f"{mention} run --mode installed",
            "skill installed; `forced`: in the prompt",
        ),
        (f"{mention} run --environment NAME", "sessions in this environment of the repository"),
        (f"{mention} run --force", "measure again although a finished run exists"),
        (f"{mention} trigger", "how often the skill's description makes an agent use the skill"),
        (f"{mention} trigger --eval-set PATH --alone", "queries of this file; no other skills"),
        (f"{mention} optimize", "look for a better description, and propose it if it is one"),
        (f"{mention} optimize --max-iterations 3 --yes", "fewer tries; over the usual limit"),
        (f"{mention} cancel", "stop what is waiting or under way for this issue"),
        (f"{mention} help", "show this table"),
    ]
    lines = [f"| `{command}` | {meaning} |" for command, meaning in rows]
    return "\n".join(["| command | what it does |", "|---|---|", *lines])
