"""Faults to switch on: how GitHub fails, on demand, for chosen requests.

A fault is named by the requests it meets (`"POST */comments"`: method and a shell pattern of
the path without the API's prefix) and by how often. Faults never change state themselves;
one with `after_effect` lets the request take effect first and spoils only its answer.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from demo.github.answers import Answer, Problem

EVERYTHING = "* *"


@dataclass(eq=False, kw_only=True)
class Fault:
    """One switched-on fault."""

    on: str
    times: int | None
    """How many requests it still meets; None: all until cleared or over."""
    until: datetime | None = None
    """The fault is over at this time of the local GitHub's clock."""
    answer: Answer | None = None
    """Given instead of the real answer; None with neither drop nor hold: only slow."""
    drops: bool = False
    after_effect: bool = False
    latency_s: float = 0.0
    gate: "Gate | None" = None
    met: int = 0
    """Requests it has met."""

    def matches(self, method: str, path: str) -> bool:
        wanted_method, _, pattern = self.on.partition(" ")
        return fnmatchcase(method, wanted_method) and fnmatchcase(path, pattern)


@dataclass(eq=False)
class Gate:
    """A place where a request waits, so that a test can act at that very moment."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def pass_through(self) -> None:
        self.reached.set()
        await self.release.wait()


class Faults:
    """The faults that are on. Where several match, the one switched on first is met."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._active: list[Fault] = []

    def clear(self) -> None:
        """Switch everything off."""
        for fault in self._active:
            if fault.gate:
                fault.gate.release.set()
        self._active.clear()

    def answer(  # noqa: PLR0913 -- keyword-only, each with a default
        self,
        status: int,
        *,
        on: str = EVERYTHING,
        times: int | None = 1,
        after_effect: bool = False,
        message: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fault:
        """Answer with a status (5xx, 401, 404, 422 …) and GitHub's words for it."""
        problem = Problem(status, message, headers=headers)
        return self._add(
            Fault(on=on, times=times, answer=problem.answer(), after_effect=after_effect)
        )

    def reply(self, answer: Answer, *, on: str = EVERYTHING, times: int | None = 1) -> Fault:
        """Answer with whatever this is, as something between us and GitHub might."""
        return self._add(Fault(on=on, times=times, answer=answer))

    def drop_connection(
        self, *, on: str = EVERYTHING, times: int | None = 1, after_effect: bool = True
    ) -> Fault:
        """Break the connection without an answer; by default after the effect."""
        return self._add(Fault(on=on, times=times, drops=True, after_effect=after_effect))

    def latency(self, seconds: float, *, on: str = EVERYTHING, times: int | None = None) -> Fault:
        """Answer as usual, but late."""
        return self._add(Fault(on=on, times=times, latency_s=seconds))

    def hold(self, *, on: str = EVERYTHING, times: int | None = 1) -> Gate:
        """Stop matching requests before their effect until the gate is released."""
        gate = Gate()
        self._add(Fault(on=on, times=times, gate=gate))
        return gate

    def secondary_limit(
        self,
        *,
        on: str = "POST *",
        times: int | None = 1,
        retry_after_s: int | None = None,
        lasting: timedelta | None = None,
    ) -> Fault:
        """403 for too much at once, with quota left; often without `Retry-After`."""
        message = (
            "You have exceeded a secondary rate limit. Please wait a few minutes before you "
            "try again."
        )
        headers = {} if retry_after_s is None else {"retry-after": str(retry_after_s)}
        answer = Problem(403, message, headers=headers).answer()
        return self._add(
            Fault(on=on, times=None if lasting else times, answer=answer, until=self._end(lasting))
        )

    def primary_limit(
        self,
        *,
        on: str = EVERYTHING,
        times: int | None = 1,
        resets_in: timedelta = timedelta(minutes=20),
        lasting: timedelta | None = None,
        status: int = 403,
    ) -> Fault:
        """403 (or 429) for a used-up hour: no quota left until the reset."""
        headers = {
            "x-ratelimit-remaining": "0",
            "x-ratelimit-used": "5000",
            "x-ratelimit-reset": str(int((self._clock() + resets_in).timestamp())),
        }
        answer = Problem(status, "API rate limit exceeded", headers=headers).answer()
        return self._add(
            Fault(on=on, times=None if lasting else times, answer=answer, until=self._end(lasting))
        )

    def meet(self, method: str, path: str) -> Fault | None:
        """The fault this request runs into, counted; None if it goes through."""
        now = self._clock()
        self._active = [f for f in self._active if f.times != 0 and not _is_over(f, now)]
        for fault in self._active:
            if fault.matches(method, path):
                fault.met += 1
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None

    def _add(self, fault: Fault) -> Fault:
        self._active.append(fault)
        return fault

    def _end(self, lasting: timedelta | None) -> datetime | None:
        return self._clock() + lasting if lasting else None


def _is_over(fault: Fault, now: datetime) -> bool:
    return fault.until is not None and now >= fault.until
