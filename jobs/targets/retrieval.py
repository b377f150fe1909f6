"""What targets share that look something up first and then ask a model once."""

import json
from collections.abc import Awaitable, Callable, Sequence

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Chunk, Reply, Said
from jobs.errors import Refused
from jobs.judging.reading import add_usage
from jobs.targets.llm_api import ModelConversation
from jobs.targets.target import TargetFields, TargetWorld
from jobs.values import Usage

SYSTEM = (
    "You answer questions about one person's health records. Before each question stands what was "
    "found about it in the records, as JSON strings. Answer from these alone, give figures "
    "exactly, and say so where they do not hold the answer."
)
LONGEST_FOUND = 200_000
"""Characters of what was found that a model is shown."""


class RetrievalFields(TargetFields):
    """Which model answers, and about whom."""

    model: str = Field(min_length=1)
    user_email: str | None = None
    system_prompt: str | None = None

    @property
    def user(self) -> str:
        """Whom the case is about. Raises `Refused` where nobody says."""
        if not self.user_email:
            raise Refused("this target needs a `user_email`, and the case names none")
        return self.user_email


Find = Callable[[str], Awaitable[tuple[Sequence[str], Usage | None]]]
"""Finds texts for a question, with what that took; raises `TargetFailed`."""


class RetrievalConversation:
    """A dialogue in which each question is looked up before a model sees it."""

    def __init__(self, model: ModelConversation, find: Find) -> None:
        self._model = model
        self._find = find

    @classmethod
    async def make(
        cls, fields: RetrievalFields, case: DatasetCase, world: TargetWorld, find: Find
    ) -> "RetrievalConversation":
        model = await world.catalog.resolve(fields.model)
        return cls(ModelConversation(model, fields.system_prompt or SYSTEM, case, world), find)

    async def reply(self, said: Said) -> Reply:
        texts, spent = await self._find(said.text)
        reply = await self._model.reply_with(said, _shown(texts))
        usage = reply.usage
        if usage is not None and spent is not None:
            usage = add_usage(usage, spent)
        found = Chunk(type="retrieved", content={"count": len(texts)})
        return reply.model_copy(update={"usage": usage, "chunks": (*reply.chunks, found)})

    async def close(self) -> None:
        await self._model.close()


def _shown(texts: Sequence[str]) -> str:
    lines, size = [], 0
    for number, text in enumerate(texts, 1):
        line = f"{number}. {json.dumps(text, ensure_ascii=False)}"
        size += len(line)
        if size > LONGEST_FOUND:
            break
        lines.append(line)
    return "Found in the records:\n" + ("\n".join(lines) or "(nothing)")
