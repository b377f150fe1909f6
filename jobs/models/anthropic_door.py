"""The door to Anthropic's Messages API and whatever speaks it.

Always streams, so that silence can be told from thinking; the SDK's own retries are off,
since the agent loop counts and bounds them. The SDK is imported on first use: it weighs
more than the rest of the bot.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from jobs.conversation import ToolOutcome
from jobs.models.anthropic_answer import AnswerBuilder
from jobs.models.door import Answer, SeenModel, Talk, TalkSpec, ToolCall, Trouble
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
    from anthropic import AsyncAnthropic
    from anthropic.types import ModelInfo

CONNECT_TIMEOUT_S = 15.0
LOOK_UP_TIMEOUT_S = 20.0
_CACHED = {"cache_control": {"type": "ephemeral"}}


class AnthropicDoor:
    """Anthropic's API at `base_url`, with one key."""

    def __init__(self, *, api_key: str, base_url: str, pace: Pace | None = None) -> None:
        self._pace = pace or Pace()
        self._api_key = api_key
        self._base_url = base_url.rstrip("/").removesuffix("/v1")

        self._shared = Shared(lambda: self._client(LOOK_UP_TIMEOUT_S))

    def load(self) -> None:
        client = self._client(LOOK_UP_TIMEOUT_S)
        _ = client.models, client.messages  # parts that load themselves when first touched

    @asynccontextmanager
    async def open(self, spec: TalkSpec) -> AsyncIterator[Talk]:
        """One conversation; those that go on together share their connections."""
        async with self._shared.use() as client:
            yield _AnthropicTalk(client, spec, self._pace)

    async def find(self, model: str) -> SeenModel | None:
        from anthropic import NotFoundError  # noqa: PLC0415 -- heavy

        async with self._client(LOOK_UP_TIMEOUT_S) as client:
            try:
                return _seen(await client.models.retrieve(model))
            except NotFoundError:
                return None
            except Exception as error:
                raise _trouble(error) from error

    async def list(self) -> Sequence[SeenModel] | None:
        from anthropic import NotFoundError  # noqa: PLC0415

        async with self._client(LOOK_UP_TIMEOUT_S) as client:
            try:
                return [_seen(model) async for model in client.models.list(limit=1000)]
            except NotFoundError:
                return None
            except Exception as error:
                raise _trouble(error) from error

    def _client(self, read_timeout_s: float) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic, DefaultAioHttpClient, Timeout  # noqa: PLC0415

        return AsyncAnthropic(
            api_key=self._api_key,
            base_url=self._base_url,
            max_retries=0,
            timeout=Timeout(read_timeout_s, connect=CONNECT_TIMEOUT_S),
            # parses answers in C: half the work of the usual client where hundreds are open
            http_client=DefaultAioHttpClient(verify=tls_context()),
        )


class _AnthropicTalk:
    def __init__(self, client: "AsyncAnthropic", spec: TalkSpec, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self._spec = spec
        self._cap: int | None = None
        """The longest answer this model gives, once it has said so."""
        self._temperature = spec.temperature
        self._messages: list[dict[str, Any]] = []
        for prompt, answer in spec.earlier:
            self._messages += [_user(_text(prompt)), {"role": "assistant", "content": answer}]
        self._messages.append(_user(_text(spec.prompt)))

    async def answer(self, *, max_tokens: int) -> Answer:
        builder = AnswerBuilder()
        try:
            opening = self._open_stream(max_tokens)
            async with await in_time(opening, self._spec.idle_s) as stream:
                self._pace.learn(stream.response.headers)
                async for event in watched(aiter(stream), self._spec.idle_s):
                    self._spec.heard()
                    builder.take(event)
            answer = builder.build()
        except Trouble as trouble:
            trouble.spent = builder.spent
            raise
        # Whatever the SDK makes of a malformed answer is the platform's failure too.
        except Exception as error:
            self._pace.learn(find_headers(error))
            raise _trouble(error, builder) from error
        if builder.content:  # the API refuses an empty turn when it is sent back
            self._messages.append({"role": "assistant", "content": builder.content})
        return answer

    def give_results(self, results: Sequence[tuple[ToolCall, ToolOutcome]]) -> None:
        blocks = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": outcome.text or "(no output)",
                "is_error": outcome.failed,
            }
            for call, outcome in results
        ]
        self._messages.append(_user(*blocks))

    async def _open_stream(self, max_tokens: int) -> Any:
        """Ask; where the model refuses the length or the temperature, ask for what will do."""
        from anthropic import BadRequestError  # noqa: PLC0415

        while True:
            cap = min(max_tokens, self._cap or max_tokens)
            try:
                return await self._client.messages.create(**self._request(cap))
            except BadRequestError as error:
                if not self._adapt(error.message, cap):
                    raise

    def _adapt(self, message: str, cap: int) -> bool:
        """Take back what was refused, each thing once; False where it was something else."""
        if self._temperature is not None and "temperature" in message:
            self._temperature = None
            return True
        room = find_answer_cap(message)
        if self._cap is not None or room is None or not 0 < room < cap:
            return False
        self._cap = room
        return True

    def _request(self, max_tokens: int) -> dict[str, Any]:
        """The request with its cache marks: tools, system, and the last two user turns.

        Four marks are the API's limit. A mark reaches 20 blocks back, so that the second
        one keeps a turn with many parallel tool results within reach of the turn before.
        """
        from anthropic import Timeout  # noqa: PLC0415

        tools: list[dict[str, Any]] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in self._spec.tools
        ]
        request: dict[str, Any] = {
            "model": self._spec.model,
            "max_tokens": max_tokens,
            "messages": _marked(self._messages),
            "stream": True,
            "timeout": Timeout(self._spec.idle_s + CONNECT_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
        }
        if self._temperature is not None:
            # older models take one; the SDK, which is the newest models', has no word for it
            request["extra_body"] = {"temperature": self._temperature}
        if self._spec.system:
            request["system"] = [_text(self._spec.system) | _CACHED]
        if tools:
            tools[-1] |= _CACHED
            request["tools"] = tools
        return request


def _marked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    marked = list(messages)
    users = [index for index, message in enumerate(messages) if message["role"] == "user"]
    for index in users[-2:]:
        *before, last = messages[index]["content"]
        marked[index] = _user(*before, last | _CACHED)
    return marked


def _user(*content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text or "(empty)"}  # the API refuses empty text


def _seen(model: "ModelInfo") -> SeenModel:
    # Gateways leave out what the SDK calls required, and the SDK does not check.
    return SeenModel(
        id=model.id,
        created_at=model.created_at,
        line=getattr(model, "line", None),
        retired=getattr(model, "lifecycle", None) == "retired",
    )


def _trouble(error: Exception, builder: AnswerBuilder | None = None) -> Trouble:
    from anthropic import APIConnectionError, APIStatusError  # noqa: PLC0415

    spent = builder.spent if builder else None
    if isinstance(error, APIStatusError):
        body = error.body if isinstance(error.body, dict) else {}
        inner = body.get("error")
        kind = inner.get("type") if isinstance(inner, dict) else None
        return trouble_from(
            error.status_code, str(kind or ""), error.message, error.response.headers, spent
        )
    if isinstance(error, APIConnectionError) and not spent:
        return Trouble("error", "the model API could not be reached", retry=True)
    return broken_stream(spent)
