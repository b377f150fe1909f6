"""What an answer to a reading command is made from."""

from dataclasses import dataclass
from typing import Protocol

from config.repo_file import RepoFile
from jobs.requests import Request, Value
from jobs.world import World


class Queued(Value):
    """A request on the queue."""

    request: Request
    position: int
    """How many requests of all repositories begin before it, and one; 0: it is in progress."""

    @property
    def is_running(self) -> bool:
        return self.position == 0


class Queues(Value):
    """The bot's queues at one moment."""

    requests: tuple[Queued, ...] = ()
    """Of all repositories, those in progress and then the next in turn first."""
    events: int = 0
    """Deliveries that nobody has looked at yet, and those being looked at."""
    workers: int = 0
    """Workers that gave a sign of life within the last half minute."""

    @property
    def askings(self) -> tuple[Queued, ...]:
        """The requests as whoever asked knows them: the parts of one run of a dataset are one."""
        runs: set[str | None] = set()
        askings = []
        for one in self.requests:
            is_part = one.request.kind == "dataset_chunk"
            if is_part and one.request.run in runs:
                continue
            if is_part:
                runs.add(one.request.run)
            askings.append(one)
        return tuple(askings)


class QueueView(Protocol):
    """Looks at the queues without touching them."""

    async def look(self) -> Queues:
        """Raises `Transient` where Redis stays away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryWorld:
    """The world of a request, and what else there is to be read."""

    place: World
    queue: QueueView
    repo_file: RepoFile
    """The repository's own file."""
    version: str
    """Of this program."""

    @property
    def mention(self) -> str:
        """How a command to the bot begins in this repository."""
        return self.repo_file.mention or self.place.runs.settings.mention
