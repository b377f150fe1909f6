"""`llm_api`: any model of ours, by itself or with tools over one person's records."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator

from jobs.conversation import ConversationSpec
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said
from jobs.errors import Refused
from jobs.targets.chat import with_attachments
from jobs.targets.record_tools import RecordTools
from jobs.targets.target import TargetFailed, TargetFields, TargetWorld
from jobs.targets.user_data import find_user_folder
from jobs.triggering.usage_sink import UsageSink
from jobs.values import Model

SYSTEM = "You are a helpful assistant."
RETRIEVE = "retrieve"
MOST_TOOL_TURNS = 25
"""Answers of the model to one question, tools included."""
ANSWER_TOKENS = 8_000
_FAILED = frozenset({"stalled", "rate_limited", "error", "refused", "max_cost", "timeout"})


def _from_text(value: object) -> object:
    """What was typed arrives as text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ValueError('it must be JSON such as {"user_email": "user1@demo"}') from None


class LlmApiFields(TargetFields):
    """Which model, what it is told first, and which tools it has."""

    model: str = Field(min_length=1)
    system_prompt: str | None = None
    tool_group: str | None = None
    """`<suite>/retrieve`: tools over the data of that suite's users."""
    tool_context: Annotated[Mapping[str, Any] | None, BeforeValidator(_from_text)] = None
    """`user_email`: whose data it is. Tools are there only with a group and a context."""
    thinking_level: str | None = None

    @field_validator("tool_group")
    @classmethod
    def _known_group(cls, value: str | None) -> str | None:
        if value is not None and value.rpartition("/")[2] != RETRIEVE:
            raise ValueError("the only tools that there are is the group `<suite>/retrieve`")
        return value

    @field_validator("thinking_level")
    @classmethod
    def _no_thinking(cls, value: str | None) -> str | None:
        if value:
            raise ValueError("how long a model thinks cannot be set; leave it out")
        return None


class LlmApiTarget:
    """Answers with a model."""

    fields = LlmApiFields

    async def open(
        self, fields: LlmApiFields, case: DatasetCase, world: TargetWorld
    ) -> "ModelConversation":
        tools = _make_tools(fields, world)
        model = await world.catalog.resolve(fields.model)
        return ModelConversation(model, fields.system_prompt or SYSTEM, case, world, tools)


def _make_tools(fields: LlmApiFields, world: TargetWorld) -> RecordTools | None:
    if not fields.tool_group or not fields.tool_context:
        return None
    email = fields.tool_context.get("user_email")
    if not isinstance(email, str):
        raise Refused("`tool_context` must name a `user_email`")
    return RecordTools(find_user_folder(world, email, fields.tool_group.rpartition("/")[0]))


class ModelConversation:
    """A dialogue with a model, which sees all that was said before."""

    def __init__(
        self,
        model: Model,
        system: str,
        case: DatasetCase,
        world: TargetWorld,
        tools: RecordTools | None = None,
    ) -> None:
        self._model = model
        self._world = world
        self._tools = tools
        self._limits = world.limits
        if tools is not None:
            self._limits = world.limits.model_copy(update={"turns": MOST_TOOL_TURNS})
        self._system = system
        self._earlier: list[tuple[str, str]] = []
        self._before = ""
        self._take_history(case)

    def _take_history(self, case: DatasetCase) -> None:
        """What was said before: pairs of asking and answer, system texts joined to the prompt."""
        asked: list[str] = []
        for one in case.history:
            if one.role == "system":
                self._system = f"{self._system}\n\n{one.content}"
            elif one.role == "user":
                asked.append(one.content)
            else:
                self._earlier.append(("\n\n".join(asked) or "(The user arrives.)", one.content))
                asked = []
        self._before = "\n\n".join(asked)

    async def reply(self, said: Said) -> Reply:
        return await self.reply_with(said)

    async def reply_with(self, said: Said, found: str = "") -> Reply:
        """Answer one turn; `found` is shown before it, this once."""
        asked = "\n\n".join(part for part in (self._before, with_attachments(said)) if part)
        sink = UsageSink()
        end = await self._world.agent.converse(
            ConversationSpec(
                model=self._model,
                system=self._system,
                prompt=f"{found}\n\n{asked}" if found else asked,
                toolbox=self._tools,
                limits=self._limits,
                max_answer_tokens=ANSWER_TOKENS,
                earlier=tuple(self._earlier),
            ),
            sink,
        )
        if end.end in _FAILED:
            raise TargetFailed(f"the model ended as {end.end}: {end.detail}".rstrip(": "))
        self._before = ""
        self._earlier.append((asked, end.last_text or "(nothing)"))
        return Reply(
            text=end.last_text,
            tool_calls=self._tools.take_calls() if self._tools else (),
            usage=end.usage,
            model=end.served_models[-1] if end.served_models else self._model.sent,
        )

    async def close(self) -> None:
        """Nothing is held open."""
