"""`command`: any program. It gets JSON on its standard input for each turn and prints its answer.

A dataset may bring a program along, below the `programs` folder of its suite; that runs in a
sandbox without a network, as every stranger's program does. Only a command line that the person
at this very machine has typed runs as that person's own program, with their variables and files.
"""

import asyncio
import json
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said, ToolUse
from jobs.errors import Refused, Transient
from jobs.faults import first_fault
from jobs.requests import Value
from jobs.sandbox import SandboxMaker
from jobs.sessions.box import Bind
from jobs.sessions.workspace import remove_tree
from jobs.targets.chat import past_messages, with_attachments
from jobs.targets.own_program import Ended, run_own
from jobs.targets.service import read_usage
from jobs.targets.target import TargetFailed, TargetFields, TargetWorld
from jobs.values import Usage

PROGRAMS = "programs"
"""Folder of a suite that the sandbox shows at `/programs`."""
MEMORY_MB = 1_024
LARGEST_OUTPUT = 1_000_000
_APART = 'exec "$@" 2>/box/errors.txt'


class CommandFields(TargetFields):
    """Which program, and how long it may take for one turn."""

    command: str = Field(min_length=1, max_length=4_000)
    timeout_seconds: float = Field(300.0, gt=0, le=3_600)

    @field_validator("command")
    @classmethod
    def _can_be_split(cls, value: str) -> str:
        if not shlex.split(value):
            raise ValueError("it holds no word")
        return value


class _Printed(Value):
    """An answer printed as JSON."""

    content: str
    usage: dict[str, Any] | None = None
    tool_calls: tuple[ToolUse, ...] = ()
    model: str = ""


class CommandTarget:
    """Runs the program."""

    fields = CommandFields

    async def open(
        self, fields: CommandFields, case: DatasetCase, world: TargetWorld
    ) -> "CommandConversation":
        if fields.command != world.own_command and world.sandboxes is None:
            raise Refused("the program of a dataset needs a sandbox, and there is none here")
        return CommandConversation(fields, case, world)


class CommandConversation:
    """A dialogue; the program is started anew for each turn and told all that was said."""

    def __init__(self, fields: CommandFields, case: DatasetCase, world: TargetWorld) -> None:
        self._fields = fields
        self._case = case
        self._world = world
        self._turns: list[dict[str, str]] = []

    async def reply(self, said: Said) -> Reply:
        message = with_attachments(said)
        asked = {
            # neither title nor tags nor goal: they tell what answer is expected
            "case": {"id": self._case.id},
            "history": past_messages(self._case.history),
            "turns": self._turns,
            "message": message,
        }
        words = shlex.split(self._fields.command)
        given = json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace")
        limit_s = min(self._fields.timeout_seconds, self._world.limits.wall_s)
        ended = await self._run(words, given, limit_s)
        reply = _read(ended, words[0], limit_s)
        self._turns.append({"message": message, "answer": reply.text})
        return reply

    async def close(self) -> None:
        """Nothing is held open."""

    async def _run(self, words: Sequence[str], given: bytes, limit_s: float) -> Ended:
        if self._fields.command == self._world.own_command:
            return await run_own(words, given, limit_s=limit_s, most=LARGEST_OUTPUT)
        sandboxes = self._world.sandboxes
        if sandboxes is None:
            raise TargetFailed("there is no sandbox for the program")
        boxed = _Boxed(sandboxes, self._world.suite, self._world.scratch)
        return await boxed.run(words, given, limit_s)


@dataclass(frozen=True, slots=True)
class _Boxed:
    """Runs a stranger's program."""

    sandboxes: SandboxMaker
    suite: Path | None
    scratch: Path

    async def run(self, words: Sequence[str], given: bytes, limit_s: float) -> Ended:
        await asyncio.to_thread(self.scratch.mkdir, parents=True, exist_ok=True)
        work = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self.scratch, prefix="command-"))
        try:
            async with self.sandboxes.open(
                work, memory_mb=MEMORY_MB, binds=self._binds()
            ) as sandbox:
                result = await sandbox.run(
                    ["/bin/sh", "-c", _APART, "sh", *words],
                    timeout_s=limit_s,
                    stdin=given,
                    max_output=LARGEST_OUTPUT,
                )
            errors = await asyncio.to_thread(_tail, work / "errors.txt")
        except Transient as trouble:
            raise TargetFailed(f"no sandbox can be had for the program: {trouble}") from None
        finally:
            await asyncio.to_thread(remove_tree, work)
        return Ended(
            output=result.output,
            errors=errors
            or (f"over its limit of {result.killed_for}" if result.killed_for else ""),
            exit_code=None if result.timed_out else result.exit_code,
            cut=result.truncated,
        )

    def _binds(self) -> list[Bind]:
        folder = self.suite / PROGRAMS if self.suite else None
        if folder is None or not folder.is_dir() or folder.is_symlink():
            return []
        return [Bind(folder.resolve(), f"/{PROGRAMS}")]


def _tail(path: Path) -> str:
    """The end of what the program complained of; it may have put anything in that place."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 2_000))
        return file.read().decode("utf-8", "replace")


def _read(ended: Ended, program: str, limit_s: float) -> Reply:
    """The answer. Raises `TargetFailed` for a program that did not end well."""
    if ended.exit_code is None:
        raise TargetFailed(f"the program was not done within {limit_s:g} s")
    if ended.exit_code != 0:
        last = (ended.errors.strip().splitlines() or ["it says nothing"])[-1]
        raise TargetFailed(
            f"the program {program[:100]} ended with exit code {ended.exit_code}: {last[:300]}"
        )
    if ended.cut:
        raise TargetFailed(f"the program printed more than {LARGEST_OUTPUT:,} bytes")
    text = ended.output.decode("utf-8", "replace").strip()
    printed = _structured(text)
    if printed is None:
        return Reply(text=text)
    usage: Usage | None = read_usage(printed.usage)
    return Reply(
        text=printed.content, usage=usage, tool_calls=printed.tool_calls, model=printed.model
    )


def _structured(text: str) -> _Printed | None:
    """What stands in an answer that is a JSON object with `content`; None for any other text.

    Raises `TargetFailed` where such an object holds what it cannot.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or "content" not in found:
        return None
    try:
        return _Printed.model_validate(found)
    except ValidationError as error:
        raise TargetFailed(f"the program's JSON cannot be used: {first_fault(error)}") from None
