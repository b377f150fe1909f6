"""Builds the stages of a Dockerfile as folders, one after the other.

A Debian root stands in for the base image, so the same Dockerfile on a real engine may still
differ in what the base brings. Layers, caches and the image's own configuration are not made.
"""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tools.image.dockerfile import (
    Ignored,
    NotKnownError,
    Stage,
    Step,
    parse_command,
    parse_copy,
    parse_env,
)
from tools.image.machine import Lent
from tools.image.root import Way, enter

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SHOWN_LINES = 25


class FailedError(Exception):
    """A step ended with an error; the text holds the end of what it said."""


@dataclass
class Built:
    """A stage that was carried out: its folder, and what the image would say of itself."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    cwd: str = "/"
    user: str = ""
    volumes: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)


class Builder:
    """Carries out stages. `base` is the folder every stage begins with."""

    def __init__(self, base: Path, context: Path, lent: Lent, tell: Callable[[str], None]) -> None:
        self._base = base
        self._context = context
        self._lent = lent
        self._tell = tell
        self._ignored = Ignored((context / ".dockerignore").read_text(encoding="utf-8"))
        self._built: dict[str, Built] = {}

    def build(self, stage: Stage) -> Built:
        """Raises `FailedError` and `NotKnownError`, both naming the step."""
        self._tell(f"FROM {stage.base} AS {stage.name}")
        built = Built(self._base.with_name(f"stage-{len(self._built)}"))
        if stage.base in self._built:
            raise NotKnownError(f"FROM {stage.base}: a stage on a stage is not known here")
        subprocess.run(["cp", "-a", "--reflink=auto", self._base, built.root], check=True)
        for step in stage.steps:
            self._tell(f"  {step}")
            self._carry_out(step, built)
        self._built[stage.name] = built
        return built

    def _carry_out(self, step: Step, built: Built) -> None:
        match step.word:
            case "RUN":
                self._run(step, built)
            case "COPY":
                self._copy(step, built)
            case "ENV":
                built.env |= parse_env(step, built.env)
            case "USER":
                built.user = step.rest
            case "WORKDIR":
                built.cwd = str(Path(built.cwd) / step.rest)
                _inside(built.root, built.cwd).mkdir(parents=True, exist_ok=True)
            case "VOLUME":
                built.volumes.append(step.rest)
            case "CMD":
                built.command = parse_command(step)
            case _:
                pass  # EXPOSE says something to people and does nothing

    def _run(self, step: Step, built: Built) -> None:
        env = {"HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"} | self._lent.env | built.env
        way = Way(env=env, cwd=built.cwd, user=built.user, binds=self._lent.binds)
        ended = enter(built.root, ["/bin/sh", "-c", step.rest], way)
        if ended.returncode:
            said = "\n".join(ended.stdout.splitlines()[-SHOWN_LINES:])
            raise FailedError(f"line {step.line}: {step}\nended with {ended.returncode}:\n{said}")

    def _copy(self, step: Step, built: Built) -> None:
        copy = parse_copy(step)
        if copy.stage is not None and copy.stage not in self._built:
            raise NotKnownError(f"line {step.line}: there is no stage {copy.stage}")
        origin = self._built[copy.stage].root if copy.stage else self._context
        target = _inside(built.root, str(Path(built.cwd) / copy.target))
        for name in copy.sources:
            source = origin / name.lstrip("/")
            if not source.exists() or (copy.stage is None and self._ignored(Path(name))):
                raise FailedError(f"line {step.line}: {step}\n{name} is not in the build's context")
            if source.is_dir():
                self._copy_folder(source, target, from_context=copy.stage is None)
            else:
                into = target / source.name if copy.target.endswith("/") else target
                into.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, into)

    def _copy_folder(self, source: Path, target: Path, *, from_context: bool) -> None:
        def left_out(folder: str, names: list[str]) -> list[str]:
            place = Path(folder).relative_to(self._context)
            return [name for name in names if self._ignored(place / name)]

        shutil.copytree(
            source,
            target,
            symlinks=True,
            dirs_exist_ok=True,
            ignore=left_out if from_context else None,
        )


def _inside(root: Path, path: str) -> Path:
    return root / path.lstrip("/")
