"""Pictures that are drawn, for as long as there is room, and those that are being drawn.

A picture is asked for by strangers, through caches that all come at once: equal ones are drawn
once, one after another, and no more wait than can be drawn while somebody waits.
"""

import asyncio
from collections import OrderedDict
from functools import cache
from hashlib import sha256
from pathlib import Path

from bot.charts.subject import Subject
from bot.web.aside import Aside
from jobs.dashboard.addresses import Picture, Theme
from jobs.errors import Transient

ROOM_BYTES = 8 * 1024 * 1024
"""Of drawn pictures: about a hundred and fifty."""
MOST_WAITING = 16
"""A picture takes a fifth of a second, and GitHub's image proxy gives up after some."""


class TooMany(Transient):
    """More pictures wait than can be drawn soon."""


class Gallery:
    """The pictures of one web process."""

    def __init__(self, aside: Aside, *, room_bytes: int = ROOM_BYTES) -> None:
        self._aside = aside
        self._room = room_bytes
        self._drawn: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._drawing: dict[str, asyncio.Task[bytes]] = {}
        self._turn = asyncio.Semaphore(1)

    async def picture(self, name: str, subject: Subject, theme: Theme, picture: Picture) -> bytes:
        """A picture by its name (`name_of`), drawn if it has to be.

        Raises `TooMany`, and `Transient` where the process that draws is lost.
        """
        if name in self._drawn:
            self._drawn.move_to_end(name)
            return self._drawn[name]
        if name not in self._drawing:
            if len(self._drawing) >= MOST_WAITING:
                raise TooMany("many pictures are being drawn; try again soon")
            task = asyncio.create_task(self._draw(name, subject, theme, picture))
            self._drawing[name] = task
            task.add_done_callback(lambda done: self._forget(name, done))
        # whoever goes away meanwhile takes the picture from nobody else
        return await asyncio.shield(self._drawing[name])

    async def _draw(self, name: str, subject: Subject, theme: Theme, picture: Picture) -> bytes:
        async with self._turn:
            content = await self._aside.run(draw_aside, subject, theme, picture)
        self._keep(name, content)
        return content

    def _forget(self, name: str, done: asyncio.Task[bytes]) -> None:
        self._drawing.pop(name, None)
        if not done.cancelled():
            done.exception()  # told to whoever still waits, and to nobody else

    def _keep(self, name: str, content: bytes) -> None:
        self._drawn[name] = content
        self._size += len(content)
        while self._size > self._room and self._drawn:
            _, oldest = self._drawn.popitem(last=False)
            self._size -= len(oldest)


def draw_aside(subject: Subject, theme: Theme, picture: Picture) -> bytes:
    """`draw_chart`, whose code is loaded where it is carried out."""
    from bot.charts.drawing import draw_chart  # noqa: PLC0415

    return draw_chart(subject, theme, picture)


def name_of(subject: Subject, theme: Theme, picture: Picture) -> str:
    """Equal for equal bytes, and no other."""
    said = f"{_program()} {subject.digest} {theme} {picture}"
    return sha256(said.encode()).hexdigest()[:32]


@cache
def _program() -> str:
    """Tells pictures of this version of the bot from those of another."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
