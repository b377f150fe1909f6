"""Who speaks to the target: a script, or a model that plays a person.

The target's words are hostile text to the model that plays the user as well: they reach it as
turns of a conversation, and what it answers is checked before it is said to anybody.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from jobs.conversation import Agent, ConversationSpec
from jobs.datasets.cases import AutoUser, DatasetCase, ManualUser, Message, Persona
from jobs.datasets.dialogue import SILENCE, Said, Turn
from jobs.judging.answer_json import find_json, repair_json
from jobs.judging.reading import add_usage
from jobs.triggering.usage_sink import UsageSink
from jobs.values import Limits, Model, Usage

ASKS = 3
LONGEST_TURN = 20_000
"""Characters that a user says at once."""
_ANSWER_TOKENS = 2_000
_LIMITS = Limits(
    wall_s=180, idle_s=90, turns=1, output_tokens=10_000, total_tokens=300_000,
    cost_usd=Decimal(1),
)  # fmt: skip
_TRAITS = {
    "responsive": "You answer what you are asked, in your own words.",
    "reluctant": "You say little, and more only when you are asked again.",
    "withholding": "You do not want to talk about this at all. Saying nothing is often the most "
    "natural thing for you to do.",
    "compliant": "You go along with what is proposed.",
    "impatient": "You are in a hurry: short sentences, and you push on.",
    "dominant": "You lead the conversation and doubt what you are told.",
    "partial_understanding": "You misunderstand part of your situation: you mix up terms and see "
    "wrong causes.",
    "complete_denial": "You do not believe that anything is wrong with you, from beginning to end.",
    "occasional_contradiction": "Now and then you contradict what you said before, and put it "
    "right when somebody notices.",
    "fabricating": "You make up details and exaggerate.",
    "vague": "You cannot be precise, however much you are asked.",
    "incoherent": "You answer other questions than the one asked, in broken sentences.",
}
"""How a level of a persona shows; the usual levels of three dimensions show in nothing."""
_ROLE = (
    "You play a person who talks to an assistant. You are never the assistant: you do not help, "
    "you do not answer a question with a question of the assistant's kind, and you do not let on "
    "that you are a model. Be short and natural."
)
_PACE = (
    "How much you say at all follows first of all from how open you are. Show one or two of your "
    "traits in a turn, not all. Do not be helpful for the sake of the conversation. To say "
    "nothing is a natural thing to do."
)
_FORM = (
    'Answer with JSON and nothing else: {"decision": "speak", "silence" or "dismiss", "content": '
    '"what you say", "reason": "why, in a sentence", "is_finished": true or false, '
    '"next_fuzzy_action": "what you may do next, vaguely"}. "is_finished" is true once you '
    "have nothing more to say; what stands in it then is not sent."
)


class UserFailed(Exception):  # noqa: N818 -- reads as the outcome it is
    """The model that plays the user gave nothing that can be said: a sentence for the report."""


class Speaker(Protocol):
    """Says what the user says next."""

    usage: Usage

    async def speak(self, turns: Sequence[Turn]) -> Said:
        """The next thing said; `is_finished` ends the dialogue. Raises `UserFailed`."""


@dataclass(slots=True)
class ScriptedSpeaker:
    """Says what the case has written down, turn by turn."""

    user: ManualUser
    usage: Usage = field(default_factory=Usage)

    async def speak(self, turns: Sequence[Turn]) -> Said:
        if len(turns) >= len(self.user.strict_inputs):
            return Said(text="", is_finished=True)
        return _scripted(self.user, len(turns))


@dataclass(slots=True)
class PlayedSpeaker:
    """A model plays the user; the first turns may be scripted."""

    case: DatasetCase
    user: AutoUser
    agent: Agent
    model: Model
    limits: Limits = _LIMITS
    usage: Usage = field(default_factory=lambda: Usage(cost_usd=Decimal(0)))

    async def speak(self, turns: Sequence[Turn]) -> Said:
        if len(turns) >= self.user.most_turns:
            return Said(text="", is_finished=True, reason="the limit of turns is reached")
        if len(turns) < len(self.user.strict_inputs):
            return _scripted(self.user, len(turns))
        earlier, prompt = _as_seen(self.case.history, turns)
        for _ in range(ASKS):
            sink = UsageSink()
            spec = ConversationSpec(
                model=self.model,
                system=render_role(self.user),
                prompt=prompt,
                toolbox=None,
                limits=self.limits,
                max_answer_tokens=_ANSWER_TOKENS,
                earlier=tuple(earlier),
            )
            try:
                end = await self.agent.converse(spec, sink)
            finally:
                self.usage = add_usage(self.usage, sink.usage)
            if end.end not in {"completed", "max_turns", "max_tokens"}:
                raise UserFailed(f"who plays the user did not answer: {end.detail or end.end}")
            if (said := read_said(end.last_text)) is not None:
                own = [one for one in self.user.attachments if one.turn == len(turns) + 1]
                return said.model_copy(update={"attachments": tuple(own)})
            earlier = [*earlier, (prompt, end.last_text or "(nothing)")]
            prompt = f"That cannot be used. {_FORM}"
        raise UserFailed(f"who plays the user gave nothing that can be said, {ASKS} times")


def read_said(answer: str) -> Said | None:
    """What the model lets the user say; None where it cannot be read."""
    for text in (answer, repair_json(answer)):
        for found in find_json(text):
            if not isinstance(found, dict):
                continue
            decision = found.get("decision", "speak")
            content, finished = found.get("content", ""), found.get("is_finished", False)
            if not isinstance(content, str) or not isinstance(finished, bool):
                continue
            reason = str(found.get("reason", ""))[:1000]
            if decision == "silence":
                return Said(text=SILENCE, reason=reason, is_finished=True)
            if content.strip() or finished:
                said = content.strip()[:LONGEST_TURN]
                return Said(text=said, reason=reason, is_finished=finished)
    return None


def render_role(user: AutoUser) -> str:
    """What the model is told that plays the user."""
    parts = [
        _ROLE,
        f"What you want: {json.dumps(user.goal, ensure_ascii=False)}",
    ]
    if user.context:
        parts.append(f"About you: {json.dumps(user.context, ensure_ascii=False)}")
    if user.persona is not None:
        parts += [*_traits(user.persona), _PACE]
    end = user.finish_condition or "you have what you want"
    parts += [f"You are finished when: {json.dumps(end, ensure_ascii=False)}", _FORM]
    return "\n\n".join(parts)


def _traits(persona: Persona) -> list[str]:
    levels = persona.model_dump().values()
    return [_TRAITS[level] for level in levels if level in _TRAITS]


def _scripted(user: ManualUser | AutoUser, number: int) -> Said:
    own = tuple(one for one in user.attachments if one.turn == number + 1)
    return Said(text=user.strict_inputs[number], attachments=own)


def _as_seen(
    history: Sequence[Message], turns: Sequence[Turn]
) -> tuple[list[tuple[str, str]], str]:
    """The conversation as the user sees it: the assistant's words come in, the user's go out."""
    lines: list[tuple[str, str]] = [
        ("out" if one.role == "user" else "in", one.content) for one in history
    ]
    for turn in turns:
        lines.append(("out", turn.said.text))
        if turn.reply is not None:
            lines.append(("in", turn.reply.text))
    earlier: list[tuple[str, str]] = []
    heard: list[str] = []
    for direction, text in lines:
        if direction == "in":
            heard.append(text)
        else:
            earlier.append(("\n\n".join(heard) or "(You begin.)", text or "(nothing)"))
            heard = []
    begin = "(You begin.)" if not lines else "(Go on.)"
    return earlier, "\n\n".join(heard) or begin
