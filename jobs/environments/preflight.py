"""Looks whether an environment holds what it promises, before anything is spent.

All packages are looked at before anybody is told, so that a maintainer mends the list in
one go. What is looked at runs in the sandbox; what it says is only ever shown.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from jobs.environments import probes
from jobs.environments.pinned import Packages
from jobs.errors import Refused
from jobs.sandbox import CommandResult, Sandbox

PROBE_S = 300.0
"""For all packages of one language together; loading thirty R packages takes some seconds."""
_MOST_LISTED = 60
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class _Probe:
    """How the packages of one language are looked for."""

    language: str
    program: str
    argv: tuple[str, ...]


_R = _Probe("R", "Rscript", ("Rscript", "-e", probes.R))
_PYTHON = _Probe("Python", "python3", ("python3", "-c", probes.PYTHON))
_COMMANDS = ("/bin/sh", "-c", probes.COMMANDS, "sh")


@dataclass(frozen=True, slots=True)
class _Answers:
    """What a probe said: versions of what is there, reasons for what is not."""

    there: dict[str, str]
    missing: dict[str, str]
    broke: str
    """How the probe ended where it did not come to its end; else empty."""

    def why_missing(self, name: str) -> str | None:
        """Why something is not there; None if it is."""
        if name in self.there:
            return None
        ended = f"it could not be looked at: the check {self.broke}"
        return self.missing.get(name, ended if self.broke else "it was not found")


async def check_packages(
    sandbox: Sandbox, packages: Packages, *, name: str, timeout_s: float = PROBE_S
) -> tuple[str, ...]:
    """What was found of the packages of the environment `name`: `R 4.2.2`, `jsonlite 1.8.4`.

    Raises `Refused` listing each one that is missing, and why.
    """
    facts: list[str] = []
    missing: list[str] = []
    wanted = [(probe, names) for probe, names in _languages(packages) if names]
    asked = [*packages.commands, *(probe.program for probe, _ in wanted)]
    commands = await _ask(sandbox, _COMMANDS, asked, timeout_s) if asked else _Answers({}, {}, "")
    for probe, names in wanted:
        if probe.program not in commands.there:
            why = commands.why_missing(probe.program)
            missing.append(f"{probe.language} itself (`{probe.program}`): {why}")
            missing += [f"`{one}` ({probe.language} package): {probe.language} is missing"
                        for one in names]  # fmt: skip
            continue
        answers = await _ask(sandbox, probe.argv, names, timeout_s)
        facts.append(f"{probe.language} {answers.there.get('', 'of unknown version')}")
        for one in names:
            if (why := answers.why_missing(one)) is None:
                facts.append(f"{one} {answers.there[one]}".strip())
            else:
                missing.append(f"`{one}` ({probe.language} package): {why}")
    for one in packages.commands:
        if (why := commands.why_missing(one)) is None:
            facts.append(f"{one} (command)")
        else:
            missing.append(f"`{one}` (command): {why}")
    if missing:
        raise Refused(render_missing(name, missing))
    return tuple(facts)


def render_missing(name: str, missing: Sequence[str]) -> str:
    """What an environment lacks, one line each, and what to do."""
    more = len(missing) - _MOST_LISTED
    lines = [f"- {one}" for one in missing[:_MOST_LISTED]]
    if more > 0:
        lines.append(f"- and {more} more")
    remedy = (
        "Add what is missing to its setup script or image, or take it off its list in "
        "`.github/skillbench.yml`; what a plain environment lacks, the operator of this bot can "
        "install. Then ask again. Nothing was spent."
    )
    head = f"the environment `{name}` lacks what it is said to hold:"
    return "\n".join([head, "", *lines, "", remedy])


def _languages(packages: Packages) -> tuple[tuple[_Probe, tuple[str, ...]], ...]:
    return ((_R, packages.r), (_PYTHON, packages.python))


async def _ask(
    sandbox: Sandbox, argv: Sequence[str], names: Sequence[str], timeout_s: float
) -> _Answers:
    word = f"answer-{secrets.token_hex(8)}"
    asked = "".join(f"{line}\n" for line in (word, *names))
    result = await sandbox.run(
        argv, timeout_s=timeout_s, stdin=asked.encode("utf-8", "replace"), max_output=5_000_000
    )
    there: dict[str, str] = {}
    missing: dict[str, str] = {}
    for line in result.output.decode("utf-8", "replace").split("\n"):
        said, known, name, more = (*line.split("\t", 3), "", "", "", "")[:4]
        if said == word:
            (there if known == "ok" else missing)[name] = _plain(more)
    return _Answers(there, missing, _how_it_broke(result, timeout_s))


def _how_it_broke(result: CommandResult, timeout_s: float) -> str:
    if result.timed_out:
        return f"did not end within {timeout_s:g} seconds"
    if result.killed_for:
        return f"was stopped for its {result.killed_for}"
    return f"ended with exit code {result.exit_code}" if result.exit_code else ""


def _plain(text: str) -> str:
    """One line without what would begin or end a code span."""
    return " ".join(text.replace("`", "'").split())[:_LONGEST_REASON]
