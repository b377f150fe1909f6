"""`naive_rag_api`: the records nearest to the question by embedding, then one model call."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.errors import Refused
from jobs.judging.reading import add_usage
from jobs.targets.embeddings import Embedder, find_table
from jobs.targets.record_chunks import make_chunks
from jobs.targets.retrieval import RetrievalConversation, RetrievalFields
from jobs.targets.service import Service, bearer
from jobs.targets.target import TargetFailed, TargetWorld
from jobs.targets.user_data import find_user_folder
from jobs.values import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_URL = "https://api.openai.com/v1"


class NaiveRagFields(RetrievalFields):
    """What is looked up, and how much of it."""

    data_group: str | None = None
    """The suite that holds the data; None: the case's own."""
    embedding_model: str = "text-embedding-3-large"
    top_k: int = Field(10, ge=1, le=50)


class NaiveRagTarget:
    """Looks the records up, then asks a model."""

    fields = NaiveRagFields

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()
        """Of each person's index, so that cases side by side do not all make it."""

    async def open(
        self, fields: NaiveRagFields, case: DatasetCase, world: TargetWorld
    ) -> RetrievalConversation:
        folder = find_user_folder(world, fields.user, fields.data_group)
        key = bearer(world.environment.get("OPENAI_API_KEY", ""))
        service = Service.find(
            world, "the embedding service", "OPENAI_BASE_URL", DEFAULT_URL, Authorization=key
        )
        embedder = Embedder(service, fields.embedding_model)
        chunks = await asyncio.to_thread(make_chunks, folder)
        if not chunks:
            raise Refused(f"the data of `{fields.user}` holds nothing that could be found")
        lock = self._locks.setdefault(folder, asyncio.Lock())

        async def find(question: str) -> tuple[Sequence[str], Usage | None]:
            async with lock:
                table, spent = await find_table(embedder, chunks, world.cache / "embeddings")
            wanted, usage = await embedder.embed([question])
            if wanted.shape[1] != table.shape[1]:
                raise TargetFailed("the embedding of the question has another length")
            nearest = _nearest(table, wanted[0], fields.top_k)
            return [chunks[one] for one in nearest], add_usage(usage, spent or Usage())

        return await RetrievalConversation.make(fields, case, world, find)


def _nearest(
    table: "NDArray[np.float32]", wanted: "NDArray[np.float32]", most: int
) -> Sequence[int]:
    """The rows most like a vector, best first."""
    order = (-(table @ wanted)).argsort(kind="stable")
    return [int(one) for one in order[:most]]
