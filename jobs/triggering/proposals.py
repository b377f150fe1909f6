"""Asks a model for a better description, from what went wrong with the queries to learn from.

It is never told of the held-out queries, nor how earlier attempts did on them. What it
answers is hostile until checked: a text that can be no description is asked for again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from jobs.content.skill_file import DESCRIPTION_CHARACTERS
from jobs.conversation import Agent, ConversationSpec, TranscriptSink
from jobs.errors import Transient
from jobs.judging.answer_json import find_json, repair_json
from jobs.judging.reading import add_usage
from jobs.requests import Value
from jobs.triggering.front_matter import find_description_problem
from jobs.triggering.observations import QueryResult
from jobs.values import Limits, Model, Usage

ASKS = 3
SHOWN_QUERIES = 40
SHOWN_CHARACTERS = 600
SKILL_CHARACTERS = 20_000
_ANSWER_TOKENS = 8_000
SYSTEM = (
    "You write the descriptions by which AI agents decide whether to use a skill. An agent "
    "sees nothing of a skill but its name and its description until it has decided."
)
_TASK = f"""\
Write a better description for the skill below. It must make an agent use the skill for the \
requests that need it, and only for those.

- Say what the skill does and for what kind of requests it is the right choice, in words that \
people use when they ask. Describe kinds of requests; do not list the requests shown here.
- At most {DESCRIPTION_CHARACTERS} characters, one paragraph, no angle brackets.
- It must differ in structure from every earlier attempt, not only in words.

Answer with JSON and nothing else: {{"description": "…"}}
"""


class Attempt(NamedTuple):
    """A description that was tried, and how it did on the queries to learn from."""

    description: str
    results: Sequence[QueryResult]


class Proposal(Value):
    """What came of asking: a description, or None where no usable one was given."""

    description: str | None
    usage: Usage
    problem: str = ""
    """What was wrong with the last answer, where none could be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposer:
    """Asks one model about one skill."""

    agent: Agent
    model: Model
    limits: Limits
    skill_name: str
    skill_text: str
    """What an agent reads once it uses the skill."""

    async def propose(self, attempts: Sequence[Attempt], transcript: TranscriptSink) -> Proposal:
        """A description unlike those that were tried; asked for at most `ASKS` times.

        Raises `Transient` where the model could not be reached.
        """
        prompt = render_prompt(self.skill_name, self.skill_text, attempts)
        tried = {attempt.description for attempt in attempts}
        earlier: list[tuple[str, str]] = []
        usage, problem = Usage(cost_usd=Decimal(0)), ""
        for _ in range(ASKS):
            end = await self.agent.converse(
                ConversationSpec(
                    model=self.model,
                    system=SYSTEM,
                    prompt=prompt,
                    toolbox=None,
                    limits=self.limits,
                    max_answer_tokens=_ANSWER_TOKENS,
                    earlier=tuple(earlier),
                ),
                transcript,
            )
            usage = add_usage(usage, end.usage)
            if end.end in {"stalled", "rate_limited", "error"}:
                reason = end.detail or end.end
                raise Transient(f"no better description could be asked for: {reason}")
            description = parse_description(end.last_text)
            if description is None:
                problem = 'the answer holds no JSON object with "description"'
            elif description in tried:
                problem = "this description was tried before"
            else:
                problem = find_description_problem(description) or ""
            if not problem:
                return Proposal(description=description, usage=usage)
            earlier.append((prompt, end.last_text or "(nothing)"))
            prompt = f"That cannot be used: {problem}. Answer again, with the JSON alone."
        return Proposal(description=None, usage=usage, problem=problem)


def parse_description(answer: str) -> str | None:
    """The description in a model's answer, on one line; None where there is none."""
    for text in (answer, repair_json(answer)):
        for found in find_json(text):
            if isinstance(found, dict) and isinstance(found.get("description"), str):
                return " ".join(found["description"].split())
    return None


def render_prompt(skill_name: str, skill_text: str, attempts: Sequence[Attempt]) -> str:
    """What the model is asked: the task, the skill, every attempt with what went wrong in it.

    What others wrote is quoted as JSON, so that nothing in it reads as ours.
    """
    parts = [_TASK, f"The skill {_quote(skill_name, 200)} tells an agent that uses it:"]
    parts.append(_quote(skill_text, SKILL_CHARACTERS))
    for number, attempt in enumerate(attempts, 1):
        last = " (the current one)" if number == len(attempts) else ""
        parts.append(f"Attempt {number}{last}: {_quote(attempt.description, 2_000)}")
        parts.append(_render_results(attempt.results))
    return "\n\n".join(parts)


def _render_results(results: Sequence[QueryResult]) -> str:
    passed = sum(one.verdict == "pass" for one in results)
    lines = [f"{passed} of {len(results)} requests came out right."]
    failed = [one for one in results if one.verdict == "fail"]
    titles = {True: "Not used, though it should be:", False: "Used, though it should not be:"}
    for wanted, title in titles.items():
        shown = [one for one in failed if one.query.should_trigger is wanted]
        if shown:
            lines += [title, *(_render_failure(one) for one in shown[:SHOWN_QUERIES])]
    return "\n".join(lines)


def _render_failure(result: QueryResult) -> str:
    seen = f"used {result.fired} of {result.seen} times"
    if result.query.should_trigger and result.others:
        seen += f"; instead: {', '.join(result.others)}"
    return f"- {_quote(result.query.text, SHOWN_CHARACTERS)} ({seen})"


def _quote(text: str, most: int) -> str:
    return json.dumps(text if len(text) <= most else f"{text[:most]} …", ensure_ascii=False)
