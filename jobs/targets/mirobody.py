"""`mirobody`: a deployed health assistant, which streams its answer as server-sent events.

Its users sign in by tokens. Those of the users that cases name are given beforehand, in
`MIROBODY_TOKENS`: to make them takes the deployment's database and signing key, and neither is
any business of a benchmark.
"""

import json
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Chunk, Reply, Said, ToolUse
from jobs.errors import Refused
from jobs.targets.chat import with_attachments
from jobs.targets.service import Service, bearer
from jobs.targets.target import TargetFailed, TargetFields, TargetWorld

DEFAULT_URL = "http://localhost:18080"
MOST_CHUNKS = 1_000
ANYBODY = "*"
"""The key of a token that stands for every user."""


class MirobodyFields(TargetFields):
    """Which of its agents is asked, and for whom."""

    agent: Literal["Deep", "Mix", "Base"] = "Deep"
    user_email: str | None = None
    provider: str = ""
    language: str = "en"
    timezone: str = "UTC"


class MirobodyTarget:
    """Asks the assistant."""

    fields = MirobodyFields

    async def open(
        self, fields: MirobodyFields, case: DatasetCase, world: TargetWorld
    ) -> "MirobodyConversation":
        if not fields.user_email:
            raise Refused("`mirobody` needs a `user_email`: the case names none")
        if case.history:
            raise Refused("`mirobody` cannot be told what was said before, and this case has that")
        token = _token(world.environment.get("MIROBODY_TOKENS", ""), fields.user_email)
        service = Service.find(
            world, "mirobody", "MIROBODY_BASE_URL", DEFAULT_URL, Authorization=bearer(token)
        )
        return MirobodyConversation(service, fields)


def _token(tokens: str, email: str) -> str:
    """The token of a user. Raises `Refused`."""
    try:
        known = json.loads(tokens or "{}")
    except ValueError:
        known = None
    if not isinstance(known, dict):
        raise Refused('`MIROBODY_TOKENS` must be JSON such as {"user1@demo": "token"}')
    token = known.get(email) or known.get(ANYBODY)
    if not isinstance(token, str) or not token:
        raise Refused(f"`MIROBODY_TOKENS` holds no token for {email[:100]}")
    return token


class MirobodyConversation:
    """One session of the assistant; it remembers by itself what was said in it."""

    def __init__(self, service: Service, fields: MirobodyFields) -> None:
        self._service = service
        self._fields = fields
        self._session = str(uuid.uuid4())

    async def reply(self, said: Said) -> Reply:
        body = {
            "question": with_attachments(said),
            "agent": self._fields.agent,
            "session_id": self._session,
            "trace_id": str(uuid.uuid4()),
            "language": self._fields.language,
            "timezone": self._fields.timezone,
            "file_list": [],
        }
        if self._fields.provider:
            body["provider"] = self._fields.provider
        heard = _Heard(time.monotonic())
        opened = self._service.opened("POST", "/api/chat", body, accept="text/event-stream")
        async with opened as answer:
            if "text/event-stream" not in answer.headers.get("content-type", ""):
                raise TargetFailed("mirobody answered with something that is no event stream")
            async for event in _events(self._service, answer):
                heard.take(event)
                if heard.ended:
                    break
        return heard.reply()

    async def close(self) -> None:
        """Nothing is held open."""


async def _events(service: Service, answer: httpx.Response) -> AsyncIterator[Mapping[str, Any]]:
    """The JSON objects behind `data:`, line by line."""
    left = b""
    async for part in service.parts(answer):
        *lines, left = (left + part).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                found = service.read(line.removeprefix(b"data:"))
                if isinstance(found, dict):
                    yield found


@dataclass(slots=True)
class _Heard:
    """What a stream has brought so far."""

    began: float
    texts: list[str] = field(default_factory=list)
    tools: list[ToolUse] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    error: str = ""
    ended: bool = False
    first_token_s: float | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        kind, content = str(event.get("type", ""))[:100], event.get("content")
        match kind:
            case "reply":
                if self.first_token_s is None:
                    self.first_token_s = time.monotonic() - self.began
                self.texts.append(content if isinstance(content, str) else "")
            case "queryTitle":
                self.tools.append(ToolUse(name=str(content)[:200]))
            case "error":
                self.error = str(content)[:200] or "no reason"
            case "end":
                self.ended = True
            case _ if len(self.chunks) < MOST_CHUNKS:
                at = event.get("timestamp")
                known = isinstance(at, int | float) and not isinstance(at, bool)
                self.chunks.append(
                    Chunk(type=kind, content=content, timestamp=at if known else None)
                )

    def reply(self) -> Reply:
        """The whole answer. Raises `TargetFailed` for half of one, which nobody should grade."""
        if self.error:
            raise TargetFailed(f"mirobody reports an error: {self.error}")
        if not self.ended:
            raise TargetFailed("the stream of mirobody broke off before its end")
        return Reply(
            text="".join(self.texts),
            chunks=tuple(self.chunks),
            tool_calls=tuple(self.tools),
            first_token_s=self.first_token_s,
        )
