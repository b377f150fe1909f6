"""Kinds of text that models, their providers and Claude Code send.

Answers of providers come over a real socket into the real SDKs and the real agent loop.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from config.settings import Settings
from jobs.claude_code.endings import Outcome, find_end, find_last_text
from jobs.claude_code.events import EventReader
from jobs.claude_code.heard import Heard
from jobs.conversation import ConversationSpec, TranscriptEvent
from jobs.judging.answers import parse_answer
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.models.retries import RetryPolicy
from jobs.models.tally import Tally
from jobs.proxy.answer_reader import AnswerReader
from jobs.proxy.asked import read_asked
from jobs.proxy.refusal import Refusal
from jobs.sandbox import CommandResult
from jobs.sessions.glob_pattern import matches, split_pattern
from jobs.sessions.tools import SessionTools
from jobs.sessions.transcript import JsonlTranscript
from jobs.values import Assertion, Limits, Model
from tools.fuzz import model_samples
from tools.fuzz.kinds import Kind

MODEL = Model(
    asked="claude-sonnet-4-6",
    sent="claude-sonnet-4-6",
    identity="claudesonnet46",
    provider="anthropic",
)
LIMITS = Limits(
    wall_s=8.0, idle_s=2.0, turns=3, output_tokens=10_000, total_tokens=100_000, cost_usd=Decimal(1)
)
AT_ONCE = RetryPolicy(first_s=0.0, most_s=0.0)
ASSERTIONS = (
    Assertion(id="A1", text="The total is 42"),
    Assertion(id="A2", text="Lists the three longest words"),
)
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
EVENT_STREAM = "text/event-stream"
Take = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def model_kinds(scratch: Path) -> list[Kind]:
    """The kinds that come from models."""
    return [
        Kind(
            name="judge answers",
            seeds=model_samples.ANSWERS,
            pieces=model_samples.ANSWER_PIECES,
            read=lambda content: f"{len(parse_answer(_text(content), ASSERTIONS).verdicts)} read",
            share=0.25,
        ),
        Kind(
            name="streams through the proxy",
            seeds=(model_samples.CLAUDE_STREAM,),
            pieces=model_samples.STREAM_PIECES,
            read=read_through,
            largest=1_000_000,
        ),
        Kind(name="requests of a session", seeds=model_samples.ASKED, read=read_request),
        Kind(
            name="Claude Code streams",
            seeds=(model_samples.CLAUDE_CODE,),
            pieces=model_samples.CLAUDE_CODE_PIECES,
            read=read_claude_code,
            largest=1_000_000,
        ),
        Kind(
            name="Claude answers",
            prepare=load_models,
            seeds=(model_samples.CLAUDE_STREAM,),
            pieces=model_samples.STREAM_PIECES,
            read=Talks("anthropic", scratch).read,
            share=0.015,
            grows=False,
        ),
        Kind(
            name="OpenAI answers",
            prepare=load_models,
            seeds=(model_samples.OPENAI_STREAM,),
            pieces=model_samples.STREAM_PIECES,
            read=Talks("openai", scratch).read,
            share=0.015,
            grows=False,
        ),
        Kind(name="tool calls", seeds=model_samples.CALLS, read=call_tool, share=0.05),
        Kind(
            name="glob patterns",
            seeds=(b"output/**/*.md", b"{a,b{c,d}}/[!a-z]*/?x**/y"),
            pieces=(b"*", b"**", b"/", b"{", b"}", b",", b"[", b"]", b"!", b"-", b"?", b"a", b"\\"),
            read=match_paths,
            largest=1_000,
        ),
    ]


def read_through(content: bytes) -> str:
    """The proxy passes a stream on and learns from it what it can."""
    rng = random.Random(content)  # noqa: S311 -- where it is cut follows from what it is
    reader = AnswerReader(streamed=rng.random() < 0.8)
    while content:
        cut = rng.choice((1, 7, 400, 60_000)) if len(content) < 5_000 else 60_000
        reader.take(content[:cut])
        content = content[cut:]
    reader.end()
    tokens = reader.tokens(1_000)
    return "whole" if reader.is_whole else "unbilled" if tokens is None else "broken"


def read_request(content: bytes) -> str:
    """A session's request is passed on or refused."""
    try:
        asked = read_asked(content, MODEL.sent, output_tokens_left=500)
    except Refusal as refusal:
        return f"refused {refusal.status}"
    assert asked.body, "what is passed on is a request"
    return "passed on"


class Nowhere:
    """A transcript that nobody keeps, but that could be written."""

    def write(self, event: TranscriptEvent) -> None:
        JsonlTranscript._render(event, event.content)  # noqa: SLF001 -- what a kept one does


def read_claude_code(content: bytes) -> str:
    """Whatever Claude Code prints, the session has an end."""
    heard = Heard(
        tally=Tally(MODEL, LIMITS),
        sink=Nowhere(),
        clock=lambda: NOON,
        reads_skill=lambda *_: False,
    )
    reader = EventReader()
    for start in range(0, len(content), 8_000):
        for event in reader.take(content[start : start + 8_000]):
            heard.take(event)
    for event in reader.end():
        heard.take(event)
    outcome = Outcome(
        heard=heard,
        stopped="",
        unlike="",
        exit=None,
        refused_for=None,
        broke_off=False,
        limits=LIMITS,
    )
    end, detail = find_end(outcome)
    json.dumps([find_last_text(outcome, end), detail])
    return end


def load_models() -> None:
    """Import the SDKs, which takes seconds that no input is to blame for."""
    settings = Settings(_env_file=None, anthropic_api_key="k", openai_api_key="k")
    Doors(settings).load()


class Talks:
    """A conversation with a provider that answers every request with the same bytes."""

    def __init__(self, provider: str, scratch: Path) -> None:
        self._model = MODEL.model_copy(update={"provider": provider})
        self._scratch = scratch

    def read(self, content: bytes) -> str:
        """The conversation ends under one of the names for that, and its end can be stored."""
        return asyncio.run(self._converse(content))

    async def _converse(self, content: bytes) -> str:
        server = await asyncio.start_server(_answers(content), "127.0.0.1", 0)
        async with server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            settings = Settings(
                _env_file=None,
                anthropic_api_key="k",
                anthropic_base_url=url,
                openai_api_key="k",
                openai_base_url=f"{url}/v1",
            )
            agent = ModelAgent(Doors(settings), retries=AT_ONCE)
            spec = ConversationSpec(
                model=self._model,
                system="You work.",
                prompt="Do it.",
                toolbox=SessionTools(Canned()),
                limits=LIMITS,
                max_answer_tokens=1_000,
            )
            path = self._scratch / f"{self._model.provider}.jsonl"
            with JsonlTranscript(path) as transcript:
                end = await agent.converse(spec, transcript)
            path.unlink(missing_ok=True)
        assert end.model_dump_json(), "the end can be stored"
        assert end.detail != "the agent loop failed; the log says why", "that is a defect"
        return end.end


def _answers(content: bytes) -> Take:
    """Answers as the first byte says: a stream mostly, JSON or an error now and then."""
    first = content[:1] or b"\0"
    status = {b"4": 429, b"5": 500}.get(first, 200)
    kind = "application/json" if first in {b"{", b"4"} else EVENT_STREAM

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            await reader.readexactly(length)
            began = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n"
            writer.write(began.encode() + content)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, StopIteration):
            pass
        finally:
            writer.close()

    return answer


class Canned:
    """A sandbox in which every command has printed the same."""

    identity = ""

    async def run(self, *_: object, **__: object) -> CommandResult:
        """Never runs anything."""
        return CommandResult(0, b"12 1\nhello world\n", truncated=False, timed_out=False)


def call_tool(content: bytes) -> str:
    """A call is carried out or explained."""
    try:
        name, arguments = json.loads(content)
        known = isinstance(name, str) and isinstance(arguments, dict)
    except (ValueError, RecursionError, TypeError):
        return "no call"
    if not known:
        return "no call"
    outcome = asyncio.run(SessionTools(Canned()).call(name, arguments))
    outcome.text.encode("utf-8", "replace")
    return "failed" if outcome.failed else "done"


def match_paths(content: bytes) -> str:
    """A pattern is matched in bounded time with paths of any shape."""
    pattern = _text(content)
    folder, rest = split_pattern(pattern)
    paths = ("output/a/b/c.md", "a" * 200, "a/" * 40 + "x", folder)
    return str(sum(matches(path, rest) for path in paths))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
