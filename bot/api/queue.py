"""`/queue`: what waits, what runs and what failed."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from bot.api.asking import Asked, Ends
from bot.web.queue_figures import make_figures
from jobs.dashboard.queue import QueueFigures


def make_queue(ends: Ends) -> APIRouter:
    """The question about the queue."""
    router = APIRouter(tags=["queue"])

    @router.get("/queue", response_model=QueueFigures)
    async def get_queue(asked: Annotated[Asked, Depends(ends.ask)]) -> Response:
        """Requests that run, wait and failed, of the repositories that whoever asks may see."""
        found = make_figures(await ends.requests.read(), asked.visitor)

        async def make() -> Response:
            return ends.give(asked, found)

        return await ends.answer_now(asked, [found.model_dump_json(exclude={"at"})], make)

    return router
