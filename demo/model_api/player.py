"""Carries a step out on a connection: whole answers, streams, and every way to break off.

Written against ASGI itself, because a response has to stop in the middle, fall silent and
drop its connection, which no response class offers.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from demo.model_api import anthropic_wire, openai_wire
from demo.model_api.asked import Asked
from demo.model_api.steps import Drop, ErrorInStream, HttpError, Reply, Reported, Stall, Step
from demo.model_api.wire import Errors

ABORT = "local_github.abort"
"""The power to abort a connection, which `demo.github.serving` gives its apps."""
ERRORS: dict[str, Errors] = {
    "anthropic": anthropic_wire.ERRORS,
    "openai": openai_wire.ERRORS,
}


def make_error(vendor: str, error: HttpError) -> JSONResponse:
    """An error answer in a vendor's words."""
    body = ERRORS[vendor].body(error.type, error.message)
    return JSONResponse(body, error.status, headers=dict(error.headers))


@dataclass(frozen=True, slots=True)
class Player:
    """A response (an ASGI app) that plays one step."""

    asked: Asked
    step: Step
    reply: Reply
    """What is answered, as far as the step lets it."""
    tokens: Reported

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        step = self.step
        if isinstance(step, HttpError):
            await make_error(self.asked.vendor, step)(scope, receive, send)
            return
        if isinstance(step, Drop) and not (step.after_events and self.asked.stream):
            scope["extensions"][ABORT]()
            return
        if isinstance(step, Stall) and not (step.after_events and self.asked.stream):
            step.gate.reached.set()
            if await _left_before(step.gate.released.wait(), receive):
                return
        if self.reply.latency_s and await _left_before(
            asyncio.sleep(self.reply.latency_s), receive
        ):
            return
        if self.asked.stream:
            await self._stream(scope, receive, send)
        else:
            answer = JSONResponse(self._whole(), headers=dict(self.reply.headers))
            await answer(scope, receive, send)

    def _whole(self) -> dict[str, Any]:
        if self.asked.vendor == "anthropic":
            return anthropic_wire.render_message(self.asked, self.reply, self.tokens)
        return openai_wire.render_completion(self.asked, self.reply, self.tokens)

    def _events(self) -> Iterator[bytes]:
        if self.asked.vendor == "anthropic":
            return anthropic_wire.render_events(self.asked, self.reply, self.tokens)
        return openai_wire.render_chunks(self.asked, self.reply, self.tokens)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        for name, value in self.reply.headers.items():
            headers.append((name.lower().encode(), value.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for count, event in enumerate(self._events()):
            if await self._ends_before(count, scope, receive, send):
                return
            await send(_body(event, more=True))
        await send(_body(b"", more=False))

    async def _ends_before(self, event: int, scope: Scope, receive: Receive, send: Send) -> bool:
        """Do what the step does before an event of the stream; gives whether it ends there."""
        step = self.step
        if isinstance(step, HttpError):
            return False
        if isinstance(step, Reply):
            return step.pause_s > 0 and await _left_before(asyncio.sleep(step.pause_s), receive)
        if event != step.after_events:
            return False
        match step:
            case Drop():
                scope["extensions"][ABORT]()
                return True
            case ErrorInStream():
                error = ERRORS[self.asked.vendor].event(step.type, step.message)
                await send(_body(error, more=False))
                return True
            case Stall():
                step.gate.reached.set()
                return await _left_before(step.gate.released.wait(), receive)


def _body(content: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": content, "more_body": more}


async def _left_before(awaited: Coroutine[Any, Any, Any], receive: Receive) -> bool:
    """Wait for something, or until the client leaves; gives whether that came first."""
    waiting = asyncio.create_task(awaited)
    leaving = asyncio.create_task(_wait_for_end(receive))
    try:
        await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return not waiting.done()
    finally:
        waiting.cancel()
        leaving.cancel()


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
