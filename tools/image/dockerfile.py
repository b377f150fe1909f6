"""Reads the part of Dockerfile's language that ours is written in, and refuses the rest.

Source of the rules: https://docs.docker.com/reference/dockerfile/. What is not known here is an
error, never passed over: a step that was left out would make the trial worthless.
"""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

STEPS = {"RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "CMD"}


class NotKnownError(Exception):
    """The file says something that cannot be carried out here."""


@dataclass(frozen=True)
class Step:
    """An instruction and what follows it, continuation lines joined."""

    word: str
    rest: str
    line: int

    def __str__(self) -> str:
        return f"{self.word} {' '.join(self.rest.split())}"


@dataclass
class Stage:
    """What stands between one FROM and the next."""

    base: str
    name: str
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True)
class Copy:
    """A COPY: what, from where (None is the build's context), and whereto."""

    sources: tuple[str, ...]
    target: str
    stage: str | None


def parse_dockerfile(text: str) -> list[Stage]:
    """The stages in their order. Raises `NotKnownError` with the line."""
    stages: list[Stage] = []
    for step in _steps(text):
        if step.word == "FROM":
            base, name = _parse_from(step)
            stages.append(Stage(base, name or str(len(stages))))
        elif step.word not in STEPS:
            raise NotKnownError(f"line {step.line}: {step.word} is not known here")
        elif not stages:
            raise NotKnownError(f"line {step.line}: {step.word} before the first FROM")
        else:
            stages[-1].steps.append(step)
    return stages


def parse_copy(step: Step) -> Copy:
    """Raises `NotKnownError` for options other than `--from`, and for patterns."""
    words = shlex.split(step.rest)
    stage = None
    while words and words[0].startswith("--"):
        option = words.pop(0)
        if not option.startswith("--from="):
            raise NotKnownError(f"line {step.line}: {option} is not known here")
        stage = option.removeprefix("--from=")
    if len(words) < 2 or any(set("*?[") & set(word) for word in words):
        raise NotKnownError(f"line {step.line}: {step} cannot be read here")
    return Copy(tuple(words[:-1]), words[-1], stage)


def parse_env(step: Step, known: dict[str, str]) -> dict[str, str]:
    """The variables of an ENV, `$NAME` and `${NAME}` replaced by what is `known`."""
    pairs = [word.partition("=") for word in shlex.split(step.rest)]
    if not all(separator for _, separator, _ in pairs):
        raise NotKnownError(f"line {step.line}: ENV without `=`")
    return {
        name: re.sub(r"\$\{?(\w+)\}?", lambda found: known.get(found[1], ""), value)
        for name, _, value in pairs
    }


def parse_command(step: Step) -> list[str]:
    """The words of a CMD, which must be written as a list: a shell would keep signals back."""
    try:
        words = json.loads(step.rest)
    except ValueError:
        raise NotKnownError(f"line {step.line}: CMD is no JSON list") from None
    return [str(word) for word in words]


class Ignored:
    """What `.dockerignore` keeps out of the context. Raises `NotKnownError` for `!` and `?`."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines()]
        self._patterns = [_pattern(line) for line in lines if line and not line.startswith("#")]

    def __call__(self, path: Path) -> bool:
        """Whether a path, relative to the context, or a folder above it is kept out."""
        ways = [path, *path.parents]
        return any(p.fullmatch(way.as_posix()) for p in self._patterns for way in ways)


def _steps(text: str) -> list[Step]:
    steps: list[Step] = []
    gathered, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        first = first or number
        gathered += line.rstrip().removesuffix("\\") + " "
        if not line.rstrip().endswith("\\"):
            word, _, rest = gathered.strip().partition(" ")
            steps.append(Step(word.upper(), rest.strip(), first))
            gathered, first = "", 0
    return steps


def _parse_from(step: Step) -> tuple[str, str | None]:
    found = re.fullmatch(r"([\w./:@-]+)(?:\s+[Aa][Ss]\s+([\w.-]+))?", step.rest)
    if not found:
        raise NotKnownError(f"line {step.line}: {step} cannot be read here")
    return found[1], found[2]


def _pattern(line: str) -> re.Pattern[str]:
    if set("!?[") & set(line):
        raise NotKnownError(f".dockerignore: {line} is not known here")
    parts = re.split(r"(\*\*/|\*)", line.strip("/"))
    return re.compile(
        "".join({"**/": "(?:.*/)?", "*": "[^/]*"}.get(p, re.escape(p)) for p in parts)
    )
