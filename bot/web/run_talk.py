"""`…/transcript`: what a session said and did, as a conversation."""

import asyncio
from contextlib import AbstractContextManager

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.web.access import Visitor
from bot.web.figures import Figures
from bot.web.fresh import not_there
from bot.web.guard import Guard
from bot.web.run_bundles import Damaged, SessionFiles
from bot.web.run_downloads import SWEPT, find_session
from bot.web.run_page import HERE, find_asked, read_number
from bot.web.run_reader import RunReader
from bot.web.run_transcript import Conversation, read_conversation
from bot.web.shell import problem, render
from jobs.reporting.arm_words import WORDS


class RunTalk:
    """The transcripts of runs."""

    def __init__(self, reader: RunReader, figures: Figures) -> None:
        self._reader = reader
        self._figures = figures

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [Route(f"{HERE}/transcript", guard.open_page(self.show), methods=["GET"])]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """A page of one session's transcript."""
        asked = await find_asked(request, visitor, self._figures, self._reader)
        session = find_session(request, asked)
        if asked is None or asked.found is None or asked.found.result is None or session is None:
            return not_there(visitor)
        try:
            opening = await self._reader.open_files(asked.found, session)
            if opening is None:
                return problem(visitor, 404, "Not kept", SWEPT)
            talk = await asyncio.to_thread(_read, opening, read_number(request, "page"))
        except Damaged as damage:
            return problem(visitor, 410, "Damaged", f"This cannot be shown: {damage}.")
        others = [one for one in asked.found.result.sessions if one.trial == session.trial]
        return render(
            "run_transcript.html",
            visitor,
            here="",
            repo=asked.repo,
            run_id=asked.run_id,
            session=session,
            sessions=others,
            has_trials=bool(asked.found.result.trials),
            titles={arm: words.title for arm, words in WORDS.items()},
            talk=talk,
        )


def _read(opening: AbstractContextManager[SessionFiles], page: int) -> Conversation:
    with opening as files, files.transcript() as lines:
        return read_conversation(lines, page)
