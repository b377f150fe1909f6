"""`/queue`: what waits, what runs and what failed."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from bot.api.asking import Asked, Backend
from bot.web.queue_figures import make_figures
from jobs.dashboard.queue import QueueFigures


def make_queue(backend: Backend) -> APIRouter:
    """The question about the queue."""
    router = APIRouter(tags=["queue"])

    @router.get("/queue", response_model=QueueFigures)
    async def get_queue(asked: Annotated[Asked, Depends(backend.ask)]) -> Response:
        """Requests that run, wait and failed, of the repositories that whoever asks may see."""
        found = make_figures(await backend.requests.read(), asked.visitor)

        async def make() -> Response:
            return backend.give(asked, found)

        return await backend.answer_now(asked, [found.model_dump_json(exclude={"at"})], make)

    return router
