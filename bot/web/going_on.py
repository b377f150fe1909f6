"""What goes on at a moment: requests that run and wait, and runs turn by turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.queue_view import RedisQueueView
from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.doing import Doing, find_doing
from bot.web.run_live import RunLive, Running


@dataclass(frozen=True, slots=True)
class GoingOn:
    """All of it that a page shows."""

    doing: Doing
    running: Running
    at: datetime

    @property
    def version(self) -> list[object]:
        """Changes whenever what is shown of it changes, but for turns, which are told besides."""
        return [*self.doing.version, *self.running.version]


@dataclass(frozen=True, slots=True)
class Happenings:
    """Looks at it. Raises `Transient` where Redis stays away."""

    queue: RedisQueueView
    live: RunLive
    clock: Callable[[], datetime]

    async def find(self, visitor: Visitor, repos: Sequence[SeenRepo], repo: str = "") -> GoingOn:
        """What goes on in these repositories; runs of all that the visitor sees, or of one alone
        (`owner/name`).
        """
        doing = await find_doing(self.queue, repos)
        return GoingOn(doing, await self.live.find_running(visitor, repo), self.clock())
