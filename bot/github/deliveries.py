"""The App's own log of deliveries, and the wish to have one delivered again.

GitHub keeps the log for three days and sends nothing again by itself. A delivery that is
asked for again comes under its first id, as a new entry of the log. What deserves to be asked
for is `bot.upkeep.redelivery`'s to decide.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx

from bot.github.calls import PAGE, Calls, json_of
from bot.github.failures import NotFound, Rejected

LOG = "/app/hook/deliveries"
MOST_PAGES = 300
"""30,000 deliveries; what lies behind them is left to the scan of repositories."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One entry of the log: an attempt to deliver."""

    id: int
    guid: str
    """The delivery's own id, which all its attempts share."""
    event: str
    at: datetime
    is_taken: bool
    """Whether it was answered with a status that GitHub counts as success."""


class DeliveryLog:
    """The log, read newest first."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def attempts(self) -> AsyncIterator[Attempt]:
        """Every attempt in the log, newest first, up to `MOST_PAGES` pages of them."""
        cursor = ""
        for _ in range(MOST_PAGES):
            params: dict[str, Any] = {"per_page": PAGE} | ({"cursor": cursor} if cursor else {})
            answer = await self._calls.read(LOG, params=params)
            for entry in json_of(answer):
                yield _attempt_of(entry)
            cursor = _next_cursor(answer)
            if not cursor:
                return

    async def redeliver(self, attempt: Attempt) -> bool:
        """Ask for the same delivery again; False where GitHub has it no more.

        Repeated on trouble: a delivery that comes twice is taken once.
        """
        try:
            path = f"{LOG}/{attempt.id}/attempts"
            await self._calls.repeat(lambda: self._calls.send("POST", path))
        except (NotFound, Rejected):
            return False
        return True


def _attempt_of(entry: dict[str, Any]) -> Attempt:
    return Attempt(
        id=int(entry["id"]),
        guid=str(entry["guid"]),
        event=str(entry["event"]),
        at=datetime.fromisoformat(entry["delivered_at"]),
        is_taken=200 <= int(entry["status_code"]) < 400,
    )


def _next_cursor(answer: httpx.Response) -> str:
    """Only the cursor of the next page's address is taken; the address may be a proxy's."""
    following = answer.links.get("next", {}).get("url", "")
    return httpx.URL(following).params.get("cursor", "") if following else ""
