"""`llm_api`: any model of ours, by itself."""

from decimal import Decimal

from pydantic import Field

from jobs.conversation import ConversationSpec, ToolBox
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said
from jobs.targets.target import TargetFailed, TargetFields, TargetWorld
from jobs.triggering.usage_sink import UsageSink
from jobs.values import Model, Usage

SYSTEM = "You are a helpful assistant."
MOST_TOOL_TURNS = 25
ANSWER_TOKENS = 8_000


class LlmApiFields(TargetFields):
    """Which model, and what it is told first."""

    model: str = Field(min_length=1)
    system_prompt: str | None = None


class LlmApiTarget:
    """Answers with a model."""

    fields = LlmApiFields

    async def open(
        self, fields: LlmApiFields, case: DatasetCase, world: TargetWorld
    ) -> "ModelConversation":
        model = await world.catalog.resolve(fields.model)
        return ModelConversation(model, fields.system_prompt or SYSTEM, case, world)


class ModelConversation:
    """A dialogue with a model, which sees all that was said before."""

    def __init__(
        self,
        model: Model,
        system: str,
        case: DatasetCase,
        world: TargetWorld,
        toolbox: ToolBox | None = None,
    ) -> None:
        self._model = model
        self._world = world
        self._toolbox = toolbox
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
        prompt = "\n\n".join(part for part in (self._before, _with_attachments(said)) if part)
        sink = UsageSink()
        end = await self._world.agent.converse(
            ConversationSpec(
                model=self._model,
                system=self._system,
                prompt=prompt,
                toolbox=self._toolbox,
                limits=self._world.limits,
                max_answer_tokens=ANSWER_TOKENS,
                earlier=tuple(self._earlier),
            ),
            sink,
        )
        if end.end in {"stalled", "rate_limited", "error", "refused", "max_cost", "timeout"}:
            raise TargetFailed(f"the model ended as {end.end}: {end.detail}".rstrip(": "))
        self._before = ""
        self._earlier.append((prompt, end.last_text or "(nothing)"))
        return Reply(
            text=end.last_text,
            usage=end.usage,
            model=end.served_models[-1] if end.served_models else self._model.sent,
        )

    async def close(self) -> None:
        """Nothing is held open."""


def _with_attachments(said: Said) -> str:
    """The turn with its files named; a model is told of them, it does not get them."""
    if not said.attachments:
        return said.text
    names = "\n".join(f"- {one.file_name} ({one.file_type})" for one in said.attachments)
    return f"{said.text}\n\nAttached files:\n{names}"


def nothing_used() -> Usage:
    return Usage(cost_usd=Decimal(0))
