"""Tells on the terminal what the bot does on the local GitHub, step by step."""

import asyncio
import re
from dataclasses import dataclass

from rich.console import Console

from demo.github import Exchange, LocalGitHub

ACCEPTED = range(200, 300)


@dataclass(frozen=True, slots=True)
class Step:
    """A write of the bot, and the words for it."""

    method: str
    path: str
    words: str


STEPS = (
    Step("POST", r"/reactions$", "the bot reacts"),
    Step("POST", r"/issues/\d+/comments$", "the bot comments"),
    Step("PATCH", r"/issues/comments/\d+$", "the bot edits its comment"),
    Step("POST", r"/releases$", "the bot makes the month's release for archives"),
    Step("POST", r"/releases/\d+/assets$", "the bot uploads the archive"),
    Step("POST", r"/issues/\d+/labels$", "the bot labels the issue"),
    Step("DELETE", r"/issues/\d+/labels/", "the bot takes the label off"),
)

STATE = re.compile(r"⏳ queued|🏃 running|⚖️ judging|📤 publishing|✅ done|⚠️ not graded|❌ failed")


async def tell_steps(github: LocalGitHub, console: Console) -> None:
    """Print a line for every write of the bot, until cancelled."""
    told = 0
    while True:
        exchanges = github.requests
        for exchange in exchanges[told:]:
            if words := _words(exchange):
                console.print(f"  {words}")
        told = len(exchanges)
        await asyncio.sleep(0.1)


def _words(exchange: Exchange) -> str | None:
    if exchange.status not in ACCEPTED:
        return None
    for step in STEPS:
        if exchange.method == step.method and re.search(step.path, exchange.path):
            return step.words + _detail(exchange)
    return None


def _detail(exchange: Exchange) -> str:
    """What is worth knowing of the body: the reaction, or the states in the living comment."""
    body = exchange.request_body
    if not isinstance(body, dict):
        return ""
    if isinstance(content := body.get("content"), str):
        return f": {content}"
    states = STATE.findall(str(body.get("body", "")))
    return f": {', '.join(states)}" if states else ""
