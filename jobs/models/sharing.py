"""Clients for conversations that go on together: making one for each costs milliseconds.

They live as long as somebody uses one of them, so nobody has to close them at the end.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """What has to be closed when nobody uses it any more."""

    async def close(self) -> None: ...


Client = TypeVar("Client", bound=Closable)


USERS = 32
"""Conversations that share a client: a pool looks through all of its connections at every
request, so that one of hundreds costs more than it spares."""


@dataclass(slots=True)
class _Open(Generic[Client]):
    client: Client
    users: int = 0


class Shared(Generic[Client]):
    """Clients that are made as they are needed, and closed once nobody uses any of them."""

    def __init__(self, make: Callable[[], Client]) -> None:
        self._make = make
        self._open: list[_Open[Client]] = []

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Client]:
        """A client, open while the block runs."""
        shared = next((one for one in self._open if one.users < USERS), None)
        if shared is None:
            shared = _Open(self._make())
            self._open.append(shared)
        shared.users += 1
        try:
            yield shared.client
        finally:
            shared.users -= 1
            if not any(one.users for one in self._open):
                unused, self._open = self._open, []
                for one in unused:
                    await one.client.close()
