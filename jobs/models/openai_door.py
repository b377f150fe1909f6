"""The door to OpenAI's chat completions and every endpoint that speaks them.

Gemini, OpenRouter, vLLM and Ollama differ in small ways that are evened out here: which
name the token limit has, whether usage is reported, what may be looked up by id. Always
streams; the SDK's own retries are off and it is imported on first use.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jobs.conversation import ToolOutcome
from jobs.models.door import Answer, SeenModel, Talk, TalkSpec, ToolCall, Trouble
from jobs.models.openai_answer import ChunkCollector
from jobs.models.pace import Pace
from jobs.models.sharing import Shared
from jobs.models.tls import tls_context
from jobs.models.troubles import (
    broken_stream,
    find_answer_cap,
    find_headers,
    in_time,
    trouble_from,
    watched,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CONNECT_TIMEOUT_S = 15.0
LOOK_UP_TIMEOUT_S = 20.0
_OPENAI_HOST = "://api.openai.com"


class OpenAIDoor:
    """An OpenAI-compatible API at `base_url`, with one key (which local servers ignore)."""

    def __init__(self, *, api_key: str, base_url: str, pace: Pace | None = None) -> None:
        self._pace = pace or Pace()
        self._api_key = api_key or "none"
        self._base_url = base_url

        self._shared = Shared(lambda: self._client(LOOK_UP_TIMEOUT_S))

    def load(self) -> None:
        client = self._client(LOOK_UP_TIMEOUT_S)
        _ = client.models, client.chat.completions  # loaded only when first touched

    @asynccontextmanager
    async def open(self, spec: TalkSpec) -> AsyncIterator[Talk]:
        """One conversation; those that go on together share their connections."""
        # OpenAI's newer models refuse `max_tokens`; most other servers know only that.
        limit = "max_completion_tokens" if _OPENAI_HOST in self._base_url else "max_tokens"
        async with self._shared.use() as client:
            yield _OpenAITalk(client, spec, limit, self._pace)

    async def find(self, model: str) -> SeenModel | None:
        from openai import APIStatusError  # noqa: PLC0415 -- heavy

        async with self._client(LOOK_UP_TIMEOUT_S) as client:
            try:
                return _seen(await client.models.retrieve(model))
            except APIStatusError as error:
                if error.status_code not in {400, 404, 405}:
                    raise _trouble(error) from error
            except Exception as error:
                raise _trouble(error) from error
        # Some servers list models but cannot be asked for one; Gemini lists `models/NAME`.
        listed = await self.list() or ()
        names = {model, f"models/{model}"}
        return next((seen for seen in listed if seen.id in names), None)

    async def list(self) -> Sequence[SeenModel] | None:
        from openai import NotFoundError  # noqa: PLC0415

        async with self._client(LOOK_UP_TIMEOUT_S) as client:
            try:
                return [_seen(model) async for model in client.models.list()]
            except NotFoundError:
                return None
            except Exception as error:
                raise _trouble(error) from error

    def _client(self, read_timeout_s: float) -> "AsyncOpenAI":
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout  # noqa: PLC0415

        return AsyncOpenAI(
            api_key=self._api_key,
            base_url=self._base_url,
            max_retries=0,
            timeout=Timeout(read_timeout_s, connect=CONNECT_TIMEOUT_S),
            http_client=DefaultAsyncHttpxClient(verify=tls_context()),
        )


class _OpenAITalk:
    def __init__(self, client: "AsyncOpenAI", spec: TalkSpec, limit_name: str, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self._spec = spec
        self._limit_name = limit_name
        self._cap: int | None = None
        """The longest answer this model gives, once it has said so."""
        self._temperature = spec.temperature
        self._messages: list[dict[str, Any]] = []
        if spec.system:
            self._say("system", spec.system)
        for prompt, answer in spec.earlier:
            self._say("user", prompt)
            self._say("assistant", answer)
        self._say("user", spec.prompt)

    async def answer(self, *, max_tokens: int) -> Answer:
        collector = ChunkCollector()
        try:
            opening = self._open_stream(max_tokens)
            async with await in_time(opening, self._spec.idle_s) as stream:
                self._pace.learn(stream.response.headers)
                async for chunk in watched(aiter(stream), self._spec.idle_s):
                    self._spec.heard()
                    collector.take(chunk)
            answer = collector.build(self._messages)
        except Trouble as trouble:
            trouble.spent = collector.spent
            raise
        # Whatever the SDK makes of a malformed answer is the platform's failure too.
        except Exception as error:
            self._pace.learn(find_headers(error))
            raise _trouble(error, collector) from error
        self._messages.append(collector.message)
        return answer

    def give_results(self, results: Sequence[tuple[ToolCall, ToolOutcome]]) -> None:
        for call, outcome in results:
            # No flag for failure exists here, so the text has to say it.
            text = f"Error: {outcome.text}" if outcome.failed else outcome.text
            self._messages.append(
                {"role": "tool", "tool_call_id": call.id, "content": text or "(no output)"}
            )

    def _say(self, role: str, text: str) -> None:
        self._messages.append({"role": role, "content": text})

    async def _open_stream(self, max_tokens: int) -> Any:
        """Ask; where the temperature, or the limit's name or size, is refused, ask once more."""
        from openai import BadRequestError  # noqa: PLC0415

        renamed = False
        while True:
            cap = min(max_tokens, self._cap or max_tokens)
            try:
                return await self._create(cap)
            except BadRequestError as error:
                room = find_answer_cap(error.message)
                if self._temperature is not None and "temperature" in error.message:
                    self._temperature = None
                elif self._cap is None and room is not None and 0 < room < cap:
                    self._cap = room
                elif not renamed and room is None and self._limit_name in error.message:
                    names = ("max_tokens", "max_completion_tokens")
                    self._limit_name = names[1 - names.index(self._limit_name)]
                    renamed = True
                else:
                    raise

    async def _create(self, max_tokens: int) -> Any:
        from openai import Timeout  # noqa: PLC0415

        request: dict[str, Any] = {
            "model": self._spec.model,
            "messages": self._messages,
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": Timeout(self._spec.idle_s + CONNECT_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            self._limit_name: max_tokens,
        }
        if self._temperature is not None:
            request["temperature"] = self._temperature
        if self._spec.tools:
            request["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in self._spec.tools
            ]
        return await self._client.chat.completions.create(**request)


def _seen(model: Any) -> SeenModel:
    created = getattr(model, "created", None)  # Gemini's list has no date
    return SeenModel(id=model.id, created_at=datetime.fromtimestamp(created or 0, UTC))


def _trouble(error: Exception, collector: ChunkCollector | None = None) -> Trouble:
    from openai import APIConnectionError, APIError, APIStatusError  # noqa: PLC0415

    spent = collector.spent if collector else None
    if isinstance(error, APIConnectionError) and not spent:
        return Trouble("error", "the model API could not be reached", retry=True)
    if isinstance(error, APIStatusError):
        kind = error.code or error.type or ""
        return trouble_from(
            error.status_code, str(kind), error.message, error.response.headers, spent
        )
    if isinstance(error, APIError) and not isinstance(error, APIConnectionError):
        # An error object inside a stream; some servers put the status into its code.
        code = str(error.code or error.type or "")
        status = int(code) if code.isdecimal() and len(code) == 3 else 200
        return trouble_from(status, code, error.message, {}, spent)
    return broken_stream(spent)
