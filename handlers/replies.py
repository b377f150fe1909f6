"""Every sentence a handler says, as pure functions.

Whatever a person typed goes through `as_code` before it is repeated. No text here may
hold a command where the bot would read one, so that no answer can start another.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from config.repo_sections import Right

QUOTE_LIMIT = 60
"""Characters of somebody's word that are repeated in an answer."""
MOST_NAMED = 10
"""Runs that an answer names."""

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


def no_permission(login: str, right: Right = "run", role: str = "write") -> str:
    """One line; `role` is the least that may, as the repository's file or our defaults have it."""
    return f"Thank you for asking, {as_code(login)}: {_REFUSALS[right].format(role=role)}"


_REFUSALS: Mapping[Right, str] = {
    "run": (
        "this spends money, so only people with {role} permission on this repository can start it."
    ),
    "override_budget": (
        "only people with {role} permission on this repository can let a request pass its budgets."
    ),
    "read": "commands are for people with {role} permission on this repository.",
    "verdict": (
        "only people with {role} permission on this repository can put a verdict beside the "
        "judge's."
    ),
    "cancel": (
        "only people with {role} permission on this repository can cancel what others have asked "
        "for."
    ),
}


def owner_not_allowed(login: str, owner: str) -> str:
    return (
        f"Thank you for asking, {as_code(login)}: this bot does not serve repositories of "
        f"{as_code(owner)}. Its operator can allow them with the setting "
        "`SKILLBENCH_ALLOWED_OWNERS`."
    )


_INSTEAD = {
    "estimate": "What `run` is expected to take stands in its comment as soon as it begins.",
    "lint": "Ask on the issue that holds the eval case.",
}


def not_on_pull_requests(command: str) -> str:
    instead = _INSTEAD.get(command, "Ask on an issue.")
    return f"{as_code(command)} is for issues, and does nothing in a pull request. {instead}"


def only_on_pull_requests(command: str) -> str:
    return (
        f"{as_code(command)} names a commit of a pull request, and this is none. To compare with "
        "another version, write `--vs @SHA`."
    )


def asked_before(mention: str, at: datetime) -> str:
    """The same was asked for at `at`, and nothing is started a second time."""
    return (
        f"This was asked for on {at:%Y-%m-%d} at {at:%H:%M} UTC, and I did not start it a second "
        "time: its comment on this issue shows how far it is, or how it ended. To measure "
        f"again, write `{mention} run --force` in a new comment."
    )


def nothing_to_cancel(
    mention: str, *, may_cancel_all: bool, runs: Sequence[str] = (), role: str = "write"
) -> str:
    """Nothing that this person may cancel is waiting or under way; or not for each of the runs.

    `role` is the least that may cancel everything.
    """
    if runs:
        commands = as_code(f"{mention} status")
        theirs = "." if may_cancel_all else ", or it is not yours."
        if len(runs) > 1:
            named = ", ".join(as_code(run) for run in runs[:MOST_NAMED])
            more = f" and {len(runs) - MOST_NAMED} more" if len(runs) > MOST_NAMED else ""
            return (
                f"Not all of the runs {named}{more} could be cancelled: no request that is waiting "
                f"or under way holds the rest{theirs} What there is: {commands}."
            )
        what = f"no request that is waiting or under way holds the run {as_code(runs[0])}{theirs}"
        return f"There is nothing to cancel: {what} What there is: {commands}."
    what = (
        "no request is waiting or under way."
        if may_cancel_all
        else f"no request of yours is waiting or under way. People with {role} permission can "
        "cancel the requests of others, too."
    )
    commands = as_code(f"{mention} help")
    return f"There is nothing to cancel on this issue: {what} All commands: {commands}."


def no_room(command: str, mention: str) -> str:
    """The answer to a reading command has no room beside those before it."""
    alone = as_code(f"{mention} {command}")
    return (
        f"The answer to {as_code(command)} has no room in this comment; ask for it in a comment "
        f"of its own: {alone}."
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


def only_failed(command: str, words: str) -> str:
    """`rerun` takes one word, so that nobody runs more again than they wanted."""
    what = f"and not {as_code(words)}" if words else "and nothing was named"
    return f"{as_code(command)} takes the word `failed`, {what}."


def no_run_id(command: str, word: str) -> str:
    return (
        f"{as_code(word)} is no id of a run, which has 12 hexadecimal digits and stands in each "
        f"report. {as_code(command)} takes one, or stands alone."
    )


def verdict_shape(words: str) -> str:
    """`words` is what stood in place of assertion, arm and verdict."""
    got = f"not {as_code(words)}" if words else "and none of them stands there"
    return (
        "A verdict names an assertion, an arm and the verdict, such as "
        f"`A3 with_skill pass because …`, {got}."
    )


def verdict_without_reason() -> str:
    return "A verdict needs its reason: end the line with `because …`."


def no_verdict_word(what: str, word: str, known: Sequence[str], nearest: str | None) -> str:
    """`what` is the part of a verdict that `word` stands for and is not."""
    listed = ", ".join(f"`{one}`" for one in known)
    return f"{as_code(word)} is no {what}, which is one of {listed}.{_did_you_mean(nearest)}"


def needs_two_names(command: str, words: str) -> str:
    got = f", and not {as_code(words)}" if words else ""
    return f"{as_code(command)} takes the name of a benchmark and that of its dataset{got}."


def no_commit(word: str) -> str:
    return f"{as_code(word)} is no commit, which is written `@` and 7 to 40 hexadecimal digits."


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
