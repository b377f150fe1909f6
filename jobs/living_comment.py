"""The one comment of a request, posted once and edited while its runs move.

Edits go out one at a time in a task of their own, so that a slow GitHub never holds up a
session; whatever changed meanwhile goes into the next edit. The comment is found again by
its tag, so that a request carried out a second time edits the comment it has, and one that
waited goes on in the comment that said so (`bot/waiting.py`).
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime

import structlog

from jobs.alongside import alongside
from jobs.errors import Gone, Transient
from jobs.ports import Comment, IssueWriter
from jobs.reporting.progress_comment import ProgressComment, RunRow, render_progress
from jobs.reporting.waiting_comment import BEGUN, WAITING
from jobs.requests import Request

log = structlog.get_logger()


class LivingText:
    """A comment of ours whose text is replaced whenever there is another one to show."""

    def __init__(self, writer: IssueWriter, comment: Comment, *, tag: str, text: str) -> None:
        self._writer = writer
        self._comment = comment
        self._tag = tag
        self._shown = self._text = text
        self._changed = asyncio.Event()

    def show(self, text: str) -> None:
        """Let the comment say this; the edit follows by itself."""
        self._text = text
        self._changed.set()

    async def keep_up(self, *, rest_s: float = 0.0) -> None:
        """Edit the comment whenever something has changed, until there is none to edit.

        Between two edits it rests for `rest_s` seconds.
        """
        with suppress(Gone):  # the last edit says so
            while True:
                await self._changed.wait()
                self._changed.clear()
                with suppress(Transient):  # the next edit, or the last one, says it all
                    await self.flush(droppable=True)
                if rest_s:
                    await asyncio.sleep(rest_s)

    async def flush(self, *, droppable: bool = False) -> None:
        """Bring the comment up to date now. Raises `Transient` and `Gone` as GitHub does."""
        text = self._text
        if text != self._shown:
            await self._writer.edit_comment(
                self._comment.id, text, tag=self._tag, droppable=droppable
            )
            self._shown = text

    async def fold(self) -> None:
        """Fold the comment away: what it says is told elsewhere now."""
        await self._writer.minimise(self._comment.id)


class LivingComment(LivingText):
    """The progress comment of one request's runs. Make it with `living_comment`."""

    def __init__(
        self, writer: IssueWriter, request: Request, state: ProgressComment, comment: Comment
    ) -> None:
        super().__init__(writer, comment, tag=comment_tag(request), text=render_progress(state))
        self._state = state

    @property
    def state(self) -> ProgressComment:
        """What the comment says, or will say after the next edit."""
        return self._state

    def change(self, row: int, **changes: object) -> None:
        """Change the fields of a row (a `RunRow`); the edit follows by itself."""
        rows = list(self._state.rows)
        rows[row] = RunRow.model_validate({**rows[row].model_dump(), **changes})
        self._move(rows=tuple(rows))

    def explain(self, refusal: str) -> None:
        """Say below the rows why none of them could be carried out."""
        self._move(refusal=refusal)

    def conclude(self, sets: tuple[str, ...]) -> None:
        """Say below the rows what the sets of eval cases say now, as lines of Markdown."""
        self._move(sets=sets)

    def tell_stop(self, told: str) -> None:
        """Say below the rows how a set came out that was measured until it was sure."""
        self._move(stops=(*self._state.stops, told))

    def _move(self, **changes: object) -> None:
        self._state = self._state.model_copy(update=changes)
        self.show(render_progress(self._state))


UNDER_WAY = ("### 👀 Benchmarking:", "### 👀 Measuring", WAITING, BEGUN)
"""How living comments begin until everything in them has ended."""
ASKED = re.compile(r"request:(?P<key>.+):(?P<at>\d{8}T\d{6})(?P<fraction>\.\d{6})?")


def comment_tag(request: Request) -> str:
    """The hidden tag of the request's comment; a label asked for later has a new comment.

    Key and time stand in it whole, so that the asking can be read back from the comment.
    """
    fraction = f".{request.asked_at:%f}" if request.asked_at.microsecond else ""
    return f"request:{request.key}:{request.asked_at:%Y%m%dT%H%M%S}{fraction}"


def is_under_way(body: str) -> bool:
    """Whether a living comment, tag and all, says that something in it goes on."""
    return body.partition("\n")[2].startswith(UNDER_WAY)


def find_asked(tag: str) -> tuple[str, datetime] | None:
    """Key and time of the asking that a comment's tag names; None for other tags."""
    found = ASKED.fullmatch(tag)
    if found is None:
        return None
    fraction = found["fraction"] or ".000000"
    try:
        at = datetime.strptime(f"{found['at']}{fraction}+0000", "%Y%m%dT%H%M%S.%f%z")
    except ValueError:
        return None
    return found["key"], at


@asynccontextmanager
async def living_comment(
    writer: IssueWriter, request: Request, state: ProgressComment
) -> AsyncIterator[LivingComment]:
    """Post the comment, keep it up to date inside the block, bring it up to date at the end.

    Where the reports say all that it says, it is folded away then.
    """
    comment = await writer.comment(request.issue, render_progress(state), tag=comment_tag(request))
    living = LivingComment(writer, request, state, comment)
    async with alongside(living.keep_up()):
        yield living
    await living.flush()
    if living.state.ended and living.state.is_told_elsewhere:
        await living.fold()


@asynccontextmanager
async def living_text(
    writer: IssueWriter, request: Request, text: str, *, rest_s: float
) -> AsyncIterator[LivingText]:
    """The same for a request whose comment is no table of runs."""
    tag = comment_tag(request)
    comment = await writer.comment(request.issue, text, tag=tag)
    living = LivingText(writer, comment, tag=tag, text=text)
    async with alongside(living.keep_up(rest_s=rest_s)):
        yield living
    await living.flush()
