"""Runs Claude Code in a sandbox and decides when to stop waiting for it.

It may fall silent, work longer than it may, or stay alive after it has said its last word.
The first two differ in whose fault they are, so silence is measured against what a session
is waiting for: the model, a command of its own, or a pause before another attempt.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from jobs.claude_code.endings import Stopped
from jobs.claude_code.events import EventReader, Started
from jobs.claude_code.heard import Heard
from jobs.sessions.program import Program, ProgramEnd, ProgramSandbox
from jobs.sessions.tool_arguments import MAX_COMMAND_S
from jobs.values import Limits

log = structlog.get_logger()

START_S = 30.0
"""For a program to start, in which no model can say anything."""
GRACE_S = 5.0
"""For a program to end by itself after its result."""


@dataclass(slots=True, kw_only=True)
class Watch:
    """Watches one session."""

    heard: Heard
    limits: Limits
    find_difference: Callable[[Started], str]
    """How a session that has started differs from the one that was meant; empty: not at all."""
    grace_s: float = GRACE_S
    unlike: str = ""
    _reader: EventReader = field(default_factory=EventReader)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _silent_since: float = 0.0

    def sign_of_life(self) -> None:
        """Something came from the model, even if Claude Code has not told of it yet."""
        self._silent_since = max(self._silent_since, asyncio.get_running_loop().time())

    async def run(
        self, sandbox: ProgramSandbox, argv: list[str], prompt: str
    ) -> tuple[ProgramEnd | None, Stopped]:
        """Run it to its end, or end it; how it exited, and why it was stopped.

        Raises `Transient` if no sandbox can start.
        """
        loop = asyncio.get_running_loop()
        program = Program(
            argv=argv,
            stdin=prompt.encode("utf-8", "replace"),
            on_output=self._take,
            # the watch below ends it first, and for a reason
            timeout_s=self.limits.wall_s + MAX_COMMAND_S,
        )
        self.sign_of_life()
        running = asyncio.create_task(sandbox.run_program(program))
        try:
            stopped = await self._wait(running, loop.time() + self.limits.wall_s)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        for event in self._reader.end():
            self.heard.take(event)
        return (None, stopped) if stopped else (running.result(), "")

    async def _wait(self, running: "asyncio.Task[ProgramEnd]", wall: float) -> Stopped:
        loop = asyncio.get_running_loop()
        grace: float | None = None
        while True:
            if self.unlike:
                return "unlike"
            if self.heard.result is not None and grace is None:
                grace = loop.time() + self.grace_s
            deadline = grace or min(wall, self._silent_since + self._patience_s())
            self._news.clear()
            news = asyncio.create_task(self._news.wait())
            try:
                await asyncio.wait(
                    {running, news},
                    timeout=max(0.0, deadline - loop.time()),
                    return_when=asyncio.FIRST_COMPLETED,
                )
            finally:
                news.cancel()
            if running.done():
                return ""
            now = loop.time()
            if grace is not None and now >= grace:
                return "finished"
            if grace is None and now >= wall:
                return "timeout"
            if grace is None and now >= self._silent_since + self._patience_s():
                return "stalled"

    def _patience_s(self) -> float:
        """How long the session may be silent in what it is doing now."""
        patience = self.limits.idle_s
        if self.heard.started is None:
            patience += START_S
        if self.heard.open_calls:
            patience += MAX_COMMAND_S
        if self.heard.retrying is not None:
            patience += self.heard.retrying.wait_s
        return patience

    def _take(self, chunk: bytes) -> None:
        self.sign_of_life()
        try:
            for event in self._reader.take(chunk):
                self.heard.take(event)
                if isinstance(event, Started):
                    self.unlike = self.unlike or self.find_difference(event)
        except Exception:  # in a callback nobody would see it, and the session would hang
            log.exception("event_not_taken")
            self.unlike = "the session's events could not be followed; the log says why"
        self._news.set()  # what is waited for may have become another thing
