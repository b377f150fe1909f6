"""`mem0_rag_api`: a model with the memories of a mem0 server at `MEM0_BASE_URL`.

It speaks with mem0's own open-source server: `POST /search`. The person's records are loaded
there beforehand, under the name of the person's folder (docs/datasets.md says how).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.targets.retrieval import RetrievalConversation, RetrievalFields
from jobs.targets.service import Service
from jobs.targets.target import TargetFailed, TargetWorld
from jobs.targets.user_data import folder_name
from jobs.values import Usage

DEFAULT_URL = "http://localhost:8888"


class Mem0Fields(RetrievalFields):
    """How much is remembered at once. What concerns loading is the server's to be told."""

    top_k: int = Field(10, ge=1, le=100)
    max_chunk_chars: int = Field(15_000, ge=1_000, le=50_000)
    """A longer memory is cut."""
    data_group: str | None = None
    embedding_model: str | None = None
    extraction_prompt: str | None = None


class Mem0Target:
    """Searches memories, then asks a model."""

    fields = Mem0Fields

    async def open(
        self, fields: Mem0Fields, case: DatasetCase, world: TargetWorld
    ) -> RetrievalConversation:
        key = world.environment.get("MEM0_API_KEY", "")
        service = Service.find(world, "mem0", "MEM0_BASE_URL", DEFAULT_URL, X_API_Key=key)
        user = folder_name(fields.user)

        async def find(question: str) -> tuple[Sequence[str], Usage | None]:
            answered = await service.ask("POST", "/search", {"query": question, "user_id": user})
            texts = _memories(answered.content)[: fields.top_k]
            return [text[: fields.max_chunk_chars] for text in texts], None

        return await RetrievalConversation.make(fields, case, world, find)


def _memories(content: Mapping[str, Any]) -> list[str]:
    """The texts found, best first. Raises `TargetFailed` for an answer of another shape."""
    results = content.get("results")
    if not isinstance(results, list):
        raise TargetFailed("mem0 answered without a list of results")
    texts = [one.get("memory") for one in results if isinstance(one, dict)]
    return [text for text in texts if isinstance(text, str) and text]
