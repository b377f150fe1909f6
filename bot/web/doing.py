"""What runs and waits now, of the repositories that a visitor sees."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.queue_view import RedisQueueView
from bot.store.seen_repos import SeenRepo
from jobs.inquiries.world import Queued

MOST_LOOKED_AT = 500
"""Requests of all repositories; a page that is often loaded reads no longer queue."""
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Doing:
    """Requests at one moment."""

    running: tuple[Queued, ...]
    waiting: tuple[Queued, ...]
    is_cut: bool
    """Whether more requests wait than were looked at."""

    @property
    def first(self) -> tuple[Queued, ...]:
        """Those that are shown."""
        return (*self.running, *self.waiting)[:SHOWN]

    @property
    def version(self) -> list[tuple[str, bool]]:
        """Changes whenever what is shown of it changes."""
        return [(one.request.key, one.is_running) for one in (*self.running, *self.waiting)]

    def of(self, repo: str) -> "Doing":
        """Those of one repository."""
        running = tuple(one for one in self.running if _name(one) == repo.casefold())
        waiting = tuple(one for one in self.waiting if _name(one) == repo.casefold())
        return Doing(running, waiting, self.is_cut)


async def find_doing(queue: RedisQueueView, repos: Iterable[SeenRepo]) -> Doing:
    """What goes on in these repositories. Raises `Transient` where Redis stays away."""
    seen = {repo.full_name.casefold() for repo in repos}
    found = await queue.look(most=MOST_LOOKED_AT)
    own = [one for one in found.askings if _name(one) in seen]
    return Doing(
        running=tuple(one for one in own if one.is_running),
        waiting=tuple(one for one in own if not one.is_running),
        is_cut=len(found.requests) >= MOST_LOOKED_AT,
    )


def _name(one: Queued) -> str:
    return one.request.repo.full_name.casefold()
