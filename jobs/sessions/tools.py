"""The five tools of a session, each carried out inside its sandbox.

Nothing here touches a path of the host: a tool is a small shell script, run in the
sandbox with the agent's words as arguments, never as script text. Whatever goes wrong is
told to the agent as text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from jobs.conversation import Tool, ToolOutcome
from jobs.errors import Transient
from jobs.sandbox import CommandResult, Sandbox
from jobs.sessions.glob_pattern import matches, split_pattern
from jobs.sessions.tool_arguments import (
    ARGUMENTS,
    MAX_COMMAND_S,
    Arguments,
    BashArguments,
    EditArguments,
    GlobArguments,
    ReadArguments,
    WriteArguments,
    find_problem,
    render_tools,
)
from jobs.sessions.tool_scripts import BASH, BASH_FROM_INPUT, GLOB, LOAD, READ, WRITE
from jobs.sessions.tool_text import cut_middle, decode_text, explain_end, show_path

MAX_TEXT = 30_000
"""Characters of one answer, as agents are used to; the rest is for them to page through."""
MAX_EDIT_BYTES = 10_000_000
MAX_FOUND = 500
_FILE_TIMEOUT_S = 60.0
_LONGEST_ARGUMENT = 100_000
"""Linux takes no single argument of more than 128 KiB."""


@dataclass(slots=True)
class SessionTools:
    """The tools `Bash Read Write Edit Glob` in one sandbox (a `jobs.conversation.ToolBox`)."""

    sandbox: Sandbox
    command_timeout_s: float = 120.0
    """For a command that names no time of its own."""
    remaining_s: Callable[[], float] = lambda: float(MAX_COMMAND_S)
    """How long the session may still take: no command gets more."""
    tools: Sequence[Tool] = field(default_factory=render_tools)
    broken: str = ""
    """Why no sandbox could be started, if that happened: the platform's fault, not the agent's."""

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        """Carry out one call; whatever goes wrong is told in the answer."""
        if name not in ARGUMENTS:
            return _failure(f"There is no tool {name!r}. There are {', '.join(ARGUMENTS)}.")
        try:
            checked = ARGUMENTS[name].model_validate(arguments)
        except ValidationError as error:
            return _failure(find_problem(name, error))
        try:
            return await self._carry_out(checked)
        except Transient as error:
            self.broken = str(error)
            return _failure("The sandbox could not be started; this is no fault of the command.")

    async def _carry_out(self, arguments: Arguments) -> ToolOutcome:
        match arguments:
            case BashArguments():
                return await self._bash(arguments)
            case ReadArguments():
                return await self._read(arguments)
            case WriteArguments():
                return await self._write(arguments)
            case EditArguments():
                return await self._edit(arguments)
            case GlobArguments():
                return await self._glob(arguments)
        raise TypeError(type(arguments))

    async def _bash(self, arguments: BashArguments) -> ToolOutcome:
        command = arguments.command
        if "\0" in command:
            return _failure("A command cannot hold a NUL character.")
        encoded = command.encode("utf-8", "surrogatepass")
        timeout_s = self._timeout(arguments.timeout_s or self.command_timeout_s)
        if len(encoded) <= _LONGEST_ARGUMENT:
            script, stdin = [*BASH, encoded.decode("utf-8", "surrogateescape")], b""
        else:
            script, stdin = list(BASH_FROM_INPUT), encoded
        result = await self.sandbox.run(script, timeout_s=timeout_s, stdin=stdin)
        text, remark = decode_text(result.output), explain_end(result, timeout_s)
        if result.truncated:
            text += "\n[the output went on; only its beginning was kept]"
        shown = cut_middle(text, MAX_TEXT)
        parts = [part for part in (shown.rstrip("\n"), remark) if part]
        return ToolOutcome("\n".join(parts) or "(no output)", failed=bool(remark))

    async def _read(self, arguments: ReadArguments) -> ToolOutcome:
        path = _inside(arguments.file_path)
        first, last = arguments.offset, arguments.offset + arguments.limit - 1
        result = await self._script(READ, path, str(first), str(last), str(MAX_TEXT * 4))
        if result.exit_code != 0:
            return _failed(result, path)
        head, _, body = result.output.partition(b"\n")
        size, lines = (int(number) for number in head.split())
        if b"\0" in body:
            return ToolOutcome(
                f"{show_path(path)} is a binary file ({size} bytes); look at it with a command."
            )
        return ToolOutcome(_render_part(body, first, lines, size))

    async def _write(self, arguments: WriteArguments) -> ToolOutcome:
        path = _inside(arguments.file_path)
        content = arguments.content.encode("utf-8", "replace")
        result = await self._script(WRITE, path, stdin=content)
        if result.exit_code != 0:
            return _failed(result, path)
        return ToolOutcome(f"Wrote {len(content)} bytes to {show_path(path)}.")

    async def _edit(self, arguments: EditArguments) -> ToolOutcome:
        path = _inside(arguments.file_path)
        loaded = await self._script(LOAD, path, max_output=MAX_EDIT_BYTES)
        if loaded.exit_code != 0:
            return _failed(loaded, path)
        shown = show_path(path)
        if loaded.truncated:
            return _failure(f"{shown} is larger than {MAX_EDIT_BYTES} bytes; use a command.")
        old = arguments.old_string.encode("utf-8", "replace")
        new = arguments.new_string.encode("utf-8", "replace")
        places = loaded.output.count(old)
        if problem := _edit_problem(loaded.output, old, new, everywhere=arguments.replace_all):
            return _failure(f"{shown}: {problem}")
        written = await self._script(WRITE, path, stdin=loaded.output.replace(old, new))
        if written.exit_code != 0:
            return _failed(written, path)
        return ToolOutcome(f"Replaced {places} place{'s' * (places > 1)} in {shown}.")

    async def _glob(self, arguments: GlobArguments) -> ToolOutcome:
        pattern = arguments.pattern
        if not pattern.startswith("/"):
            pattern = f"{arguments.path.rstrip('/')}/{pattern}"
        folder, rest = split_pattern(_inside(pattern).removeprefix("./"))
        result = await self._script(GLOB, _inside(folder), max_output=5_000_000)
        if result.exit_code != 0:
            return _failed(result, folder)
        names = [name.decode("utf-8", "replace") for name in result.output.split(b"\0")[:-1]]
        below = [name.removeprefix("./") for name in names]
        prefix = "" if folder == "." else f"{folder.rstrip('/')}/"
        found = sorted(prefix + name for name in below if matches(name, rest))
        if not found:
            return ToolOutcome(f"No file matches {arguments.pattern}.")
        lines = [show_path(name) for name in found[:MAX_FOUND]]
        if len(found) > MAX_FOUND:
            lines.append(f"[{len(found) - MAX_FOUND} more; use a narrower pattern]")
        if result.truncated:
            lines.append("[there are too many files to look at them all]")
        return ToolOutcome("\n".join(lines))

    async def _script(
        self, script: Sequence[str], *words: str, stdin: bytes = b"", max_output: int = 1_000_000
    ) -> CommandResult:
        if any("\0" in word for word in words):
            return CommandResult(2, b"a path cannot hold a NUL character", False, False)
        return await self.sandbox.run(
            [*script, *(word.encode("utf-8", "replace").decode() for word in words)],
            timeout_s=self._timeout(_FILE_TIMEOUT_S),
            stdin=stdin,
            max_output=max_output,
        )

    def _timeout(self, asked_s: float) -> float:
        return max(0.1, min(asked_s, MAX_COMMAND_S, self.remaining_s()))


def _inside(path: str) -> str:
    """A path as the scripts take it: relative to the working folder where it lies there.

    It never begins with a dash, so no program can take it for an option.
    """
    if path == "/box" or path.startswith("/box/"):
        path = path.removeprefix("/box").lstrip("/") or "."
    return path if path.startswith(("/", "./", "../")) or path == "." else f"./{path}"


def _failure(text: str) -> ToolOutcome:
    return ToolOutcome(text, failed=True)


def _failed(result: CommandResult, path: str) -> ToolOutcome:
    said = cut_middle(decode_text(result.output).strip(), 1_000)
    return _failure(f"{show_path(path)}: {said or explain_end(result, _FILE_TIMEOUT_S)}")


def _render_part(body: bytes, first: int, lines: int, size: int) -> str:
    if size == 0 and not body:
        return "(the file is empty)"
    text = decode_text(body)
    if not text:
        return f"[the file has {lines} lines; there is no line {first}]"
    shown = text[:MAX_TEXT]
    count = shown.count("\n") + (not shown.endswith("\n"))
    last = first + count - 1
    if len(text) > MAX_TEXT:
        shown += f"\n[cut inside line {last} of {lines}; a long line is best read by a command]"
    elif last < lines:
        shown += f"\n[lines {first} to {last} of {lines}; go on with offset {last + 1}]"
    if "\N{REPLACEMENT CHARACTER}" in shown and b"\xef\xbf\xbd" not in body:
        shown += "\n[what is not UTF-8 in this file is shown as \N{REPLACEMENT CHARACTER}]"
    return shown


def _edit_problem(content: bytes, old: bytes, new: bytes, *, everywhere: bool) -> str | None:
    if old == new:
        return "old_string and new_string are the same, there is nothing to edit."
    places = content.count(old)
    if places > 1 and not everywhere:
        return (
            f"old_string stands in it {places} times. Add lines around it until it is the only "
            "one, or set replace_all."
        )
    if places:
        return None
    plain = content.replace(b"\r\n", b"\n")
    if old.replace(b"\r\n", b"\n") in plain:
        return "old_string does not stand in it: the file's lines end in CR LF."
    if b" ".join(old.split()) in b" ".join(plain.split()):
        return "old_string does not stand in it: blanks or line breaks differ. Copy it exactly."
    return "old_string does not stand in it. Read the file and copy the text exactly."
