"""A session's proxy in front of a scripted model API, and a client on its socket."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from demo.model_api import CLAUDE_LIKE, ScriptedModelApi
from jobs.models.tally import Tally
from jobs.proxy.connect import HostGate
from jobs.proxy.model_proxy import ModelProxy, Upstream
from jobs.proxy.session_proxy import SessionProxy
from tests.builders import a_model, some_limits

KEY = "sk-the-real-key"
TOKEN = "the-token-of-this-session"
MODEL = "claude-sonnet-4-6"


def an_api() -> ScriptedModelApi:
    return ScriptedModelApi(models=CLAUDE_LIKE, key=KEY)


def a_body(**changes: Any) -> dict[str, Any]:
    """A request to the Messages API, as a session sends it."""
    defaults = {
        "model": MODEL,
        "max_tokens": 1_000,
        "stream": True,
        "messages": [{"role": "user", "content": "Count the words."}],
    }
    return defaults | changes


@dataclass
class Opened:
    """An open proxy, and what came of what was asked of it."""

    proxy: ModelProxy
    gate: HostGate
    client: httpx.AsyncClient
    socket: Path
    spent: list[dict[str, object]] = field(default_factory=list)

    async def ask(self, body: Any = None, *, token: str = TOKEN, **changes: Any) -> httpx.Response:
        content = json.dumps(body or a_body(**changes)).encode()
        return await self.client.post("/v1/messages", content=content, headers={"x-api-key": token})

    @property
    def usage(self):
        return self.proxy.tally.end("completed", "", "").usage

    @property
    def served_models(self) -> tuple[str, ...]:
        return self.proxy.tally.end("completed", "", "").served_models


@asynccontextmanager
async def opened_proxy(
    folder: Path,
    base_url: str,
    *,
    limits: dict[str, Any] | None = None,
    gate: HostGate | None = None,
    sent: str = MODEL,
    transport: httpx.AsyncBaseTransport | None = None,
) -> AsyncIterator[Opened]:
    """A proxy that listens in `folder`, and a client that speaks to it as a session would."""
    socket = folder / "model.sock"
    spent: list[dict[str, object]] = []
    model = a_model(sent=sent)
    async with (
        httpx.AsyncClient(timeout=20, trust_env=False, transport=transport) as upstream,
        httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=str(socket)), base_url="http://proxy", timeout=20
        ) as client,
    ):
        proxy = ModelProxy(
            model=model,
            token=TOKEN,
            upstream=Upstream(client=upstream, base_url=base_url, key=SecretStr(KEY)),
            tally=Tally(model, some_limits(**(limits or {}))),
            spent=spent.append,
        )
        gate = gate or HostGate(())
        async with SessionProxy(proxy, gate).listen(socket):
            yield Opened(proxy, gate, client, socket, spent)
