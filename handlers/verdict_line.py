"""The line of a `verdict`: what is said of which assertion and which arm, and why.

All behind the first `because` is the reason, in whatever words; options stand before it, or at
the very end of the line.
"""

import re
from collections.abc import Sequence
from typing import get_args

from handlers import replies
from handlers.command_table import COMMANDS
from handlers.command_values import Help, Verdict
from handlers.options import RUN_ID, Problem, nearest, read_words
from jobs.requests import VerdictOptions

LONGEST_REASON = 500
"""Characters; the rest of a longer one stands in the comment that it was written in."""
PARTS = 3

_BECAUSE = re.compile(r"(?<!\S)because\b[:,]?", re.IGNORECASE)
_AT_END = re.compile(
    r"\s+(?:--(?P<name>run|trial)(?:=|\s+)|(?P<bare>run|trial)=)(?P<value>\S+)\s*$"
)
_WORDS = get_args(VerdictOptions.model_fields["verdict"].annotation)
_ARMS = get_args(VerdictOptions.model_fields["arm"].annotation)
_ASSERTION = re.compile(r"[A-Za-z]{1,3}[0-9]{1,4}")
_AROUND = "`*_,.;:!?\"'"


def read_verdict(line: str) -> Verdict | Help:
    """What a line that begins with `verdict` says. Raises `Problem`."""
    head, because, reason = _divide(line)
    options = COMMANDS["verdict"].options
    ending: list[str] = []
    while because and (found := _AT_END.search(reason)):
        ending.append(f"--{found['name'] or found['bare']}={found['value']}")
        reason = reason[: found.start()]
    read = read_words([*head.split()[1:], *ending], options, takes_models=False)
    if read.asks_for_help:
        return Help("verdict")
    assertion, arm, verdict = _parts(read.plain, has_reason=bool(because))
    reason = " ".join(reason.split())
    if not any(map(str.isalnum, reason)):
        raise Problem(replies.verdict_without_reason())
    said = VerdictOptions.model_validate(
        {
            "assertion": assertion,
            "arm": arm,
            "verdict": verdict,
            "reason": _clipped(reason),
            "trial": read.count("trial"),
        }
    )
    return Verdict(said, _run(read.values.get("run")))


def _divide(line: str) -> tuple[str, str, str]:
    """What stands before the first `because`, that word if there is one, what stands behind."""
    found = _BECAUSE.search(line)
    if found is None:
        return line, "", ""
    return line[: found.start()], found.group(), line[found.end() :]


def _parts(plain: Sequence[str], *, has_reason: bool) -> tuple[str, str, str]:
    """Assertion, arm and verdict, as they are called."""
    if len(plain) > PARTS and not has_reason:
        raise Problem(replies.verdict_without_reason())
    if len(plain) != PARTS:
        raise Problem(replies.verdict_shape(" ".join(plain)))
    assertion, arm, verdict = (one.strip(_AROUND) for one in plain)
    if not _ASSERTION.fullmatch(assertion):
        raise Problem(replies.verdict_shape(" ".join(plain)))
    return assertion.upper(), _one_of("arm", arm, _ARMS), _one_of("verdict", verdict, _WORDS)


def _one_of(what: str, word: str, known: Sequence[str]) -> str:
    name = word.casefold().replace("-", "_")
    if name not in known:
        raise Problem(replies.no_verdict_word(what, word, known, nearest(name, known)))
    return name


def _run(named: str | None) -> str | None:
    if named is None:
        return None
    run = named.casefold().strip(_AROUND)
    if not RUN_ID.fullmatch(run):
        wanted = "the id of a run: 12 hexadecimal digits, as each report has them at its end"
        raise Problem(replies.bad_value("--run", named, wanted))
    return run


def _clipped(reason: str) -> str:
    if len(reason) <= LONGEST_REASON:
        return reason
    return reason[: LONGEST_REASON - 1].rstrip() + "…"
