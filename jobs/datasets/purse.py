"""What a run may cost: no case is begun once its cost could pass the limit.

A case's cost is known when it ends. Until then it counts as much as the dearest case seen so
far, or as is expected where none has ended. Where a case would pass the limit, those in flight
are awaited: they may have been cheaper. Where several processes share a run's money, more of it
is taken as cases need it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal

from jobs.datasets.results import CaseResult

More = Callable[[Decimal, Decimal], Awaitable[Decimal]]
"""Gives more money: at least the first amount, at best the second; 0 where there is not so much."""
CASES_AHEAD = 10
"""Cases for which more is asked at once: few, so that little lies idle in one process while
another runs out."""
_LEAST = Decimal("0.000001")


class Purse:
    """The money of one run in one process. Without a limit every case may begin."""

    def __init__(
        self, limit: Decimal | None, *, expected: Decimal, more: More | None = None
    ) -> None:
        """`expected` is what one case may cost, as long as none has ended.

        With `more`, the limit is what this process has taken so far.
        """
        self._limit = limit
        self._more = more
        self._expected = expected
        self._dearest: Decimal | None = None
        self._spent = Decimal(0)
        self._in_flight = 0
        self._is_empty = False
        self._changed = asyncio.Condition()

    @property
    def is_empty(self) -> bool:
        """Whether a case was not begun for want of money."""
        return self._is_empty

    async def take(self) -> bool:
        """Set aside what a case may cost; False where there is not so much any more."""
        async with self._changed:
            while not await self._fits_with_more() and self._in_flight:
                await self._changed.wait()
            if not self._fits():
                self._is_empty = True
                return False
            self._in_flight += 1
            return True

    async def settle(self, result: CaseResult | None) -> None:
        """A case that was begun has ended; None: it was stopped, and nobody knows its cost."""
        async with self._changed:
            self._in_flight -= 1
            if result is None:
                self._spent += self._each
            else:
                self._count(result)
            self._changed.notify_all()

    def count_earlier(self, result: CaseResult) -> None:
        """A case of this run that had ended before."""
        self._count(result)

    def _count(self, result: CaseResult) -> None:
        cost = result.known_cost_usd
        self._spent += cost
        self._dearest = max(self._dearest or Decimal(0), cost)

    @property
    def _each(self) -> Decimal:
        return self._expected if self._dearest is None else self._dearest

    async def _fits_with_more(self) -> bool:
        """Whether a case may begin, if need be with more than this process has taken so far."""
        if self._fits():
            return True
        if self._more is None or self._limit is None or self._is_empty:
            return False
        least = self._spent + self._each * (self._in_flight + 1) - self._limit
        least = max(least, self._spent - self._limit + _LEAST, _LEAST)
        self._limit += await self._more(least, least + (CASES_AHEAD - 1) * self._each)
        return self._fits()

    def _fits(self) -> bool:
        if self._limit is None:
            return True
        if self._is_empty:
            return False
        coming = self._each * (self._in_flight + 1)
        return self._spent + coming <= self._limit and self._spent < self._limit
