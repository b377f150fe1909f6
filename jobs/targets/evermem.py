"""`evermem`: a model with the memories of an EverMemOS service at `EVERMEMOS_BASE_URL`.

The memories are loaded beforehand, by whoever runs the service. That it cannot be searched is a
failure of the target; that it finds nothing is not.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.targets.retrieval import RetrievalConversation, RetrievalFields
from jobs.targets.service import Service, bearer
from jobs.targets.target import TargetFailed, TargetWorld
from jobs.targets.user_data import folder_name
from jobs.values import Usage

DEFAULT_URL = "http://localhost:1995"
SEARCH_S = 10.0
_TEXTS = ("episode", "summary", "memory", "content", "text")


class EvermemFields(RetrievalFields):
    """How much is remembered at once."""

    top_k: int = Field(10, ge=1, le=100)


class EvermemTarget:
    """Searches memories, then asks a model."""

    fields = EvermemFields

    async def open(
        self, fields: EvermemFields, case: DatasetCase, world: TargetWorld
    ) -> RetrievalConversation:
        key = bearer(world.environment.get("EVERMEMOS_API_KEY", ""))
        service = Service.find(
            world, "evermem", "EVERMEMOS_BASE_URL", DEFAULT_URL, Authorization=key
        )
        # the name under which the existing loader stores a person's memories
        user = f"holyeval_eslbench_{folder_name(fields.user)}"

        async def find(question: str) -> tuple[Sequence[str], Usage | None]:
            body = {
                "user_id": user,
                "query": question,
                "retrieve_method": "rrf",
                "top_k": fields.top_k,
            }
            answered = await service.ask("GET", "/api/v1/memories/search", body, limit_s=SEARCH_S)
            return _memories(answered.content), None

        return await RetrievalConversation.make(fields, case, world, find)


def _memories(content: Mapping[str, Any]) -> list[str]:
    """The texts found, profiles first. Raises `TargetFailed` for an answer of another shape."""
    result = content.get("result")
    if content.get("status") != "ok" or not isinstance(result, dict):
        raise TargetFailed("evermem could not search its memories")
    profiles, groups = result.get("profiles") or [], result.get("memories") or []
    if not isinstance(profiles, list) or not isinstance(groups, list):
        raise TargetFailed("evermem answered with memories of another shape")
    found = [*profiles, *_flat(groups)]
    return [text for one in found if (text := _text(one))]


def _flat(groups: Sequence[object]) -> Iterator[object]:
    for group in groups:
        if isinstance(group, dict):
            for members in group.values():
                if isinstance(members, list):
                    yield from members


def _text(memory: object) -> str:
    if isinstance(memory, str):
        return memory
    if not isinstance(memory, dict):
        return ""
    texts = (memory.get(name) for name in _TEXTS)
    return next((text for text in texts if isinstance(text, str) and text), "")
