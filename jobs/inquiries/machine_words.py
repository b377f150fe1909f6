"""What code decides of an eval case, as `lint` tells it, and what is amiss with its commands."""

import shlex
from collections.abc import Iterator, Sequence

from jobs.checks.check import Check
from jobs.checks.plain import recognise
from jobs.content.check_files import GIVEN_FOLDERS
from jobs.inquiries.assertion_faults import Fault
from jobs.reporting import escape, numbers
from jobs.values import EvalCase

MOST_SHOWN = 10
COMMAND = 160
"""Characters of a command."""


def tell_machine(case: EvalCase) -> str:
    """Which assertions code verifies, and the commands that run; empty where there are none."""
    plain = [one.id for one in case.assertions if recognise(one.text)]
    parts = []
    if plain:
        names = ", ".join(escape.inline(name, 12) for name in plain)
        verb = "is" if len(plain) == 1 else "are"
        parts.append(
            f"⚙️ By machine: {names} {verb} verified by code; the judge decides only where code "
            "cannot read a file."
        )
    if case.checks:
        count = numbers.plural(len(case.checks), "check")
        parts.append(f"⚙️ {count} run on each output once its session is over:")
        parts.append("\n".join(_tell_check(one) for one in case.checks[:MOST_SHOWN]))
        if (left := len(case.checks) - MOST_SHOWN) > 0:
            parts.append(f"*{left} more.*")
    return "\n\n".join(parts)


def find_check_faults(checks: Sequence[Check]) -> Iterator[Fault]:
    """What makes a command decide nothing, as far as its words tell."""
    seen: dict[str, str] = {}
    for one in checks:
        if one.command in seen:
            yield Fault(one.id, f"is the same as {seen[one.command]}", "it counts twice; keep one")
        seen.setdefault(one.command, one.id)
        if not one.files and not any(name in one.command for name in GIVEN_FOLDERS):
            yield Fault(
                one.id,
                "names neither `output/` nor a file of the repository",
                "both outputs pass or fail it alike; have it look at a file below `output/`",
            )
        if "\n" not in one.command and not _is_closed(one.command):
            yield Fault(one.id, "a quotation mark in it is never closed", "the shell refuses it")


def _tell_check(check: Check) -> str:
    name = f"{escape.inline(check.name, 120)}: " if check.name else ""
    files = [escape.code(file.source, 100) for file in check.files[:3]]
    more = f" and {len(check.files) - 3} more" if len(check.files) > 3 else ""
    beside = f", beside {', '.join(files)}{more}" if files else ""
    return f"- {check.id} {name}{escape.code(check.command, COMMAND)}{beside}"


def _is_closed(command: str) -> bool:
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return True
