"""`hippo_rag_api`: a service that walks a graph of facts, at `HIPPO_RAG_BASE_URL`."""

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.targets.rag_service import RagServiceConversation, RagServiceFields
from jobs.targets.service import Service, bearer
from jobs.targets.target import TargetWorld


class HippoRagFields(RagServiceFields):
    """What suites set of it."""

    embedding_model: str = "text-embedding-3-large"
    top_k: int = Field(10, ge=1, le=50)
    max_chunk_chars: int = Field(15_000, ge=1_000, le=50_000)
    openie_model: str = "gemini-3-flash-preview"
    openie_concurrency: int = Field(6, ge=1, le=20)
    damping: float = Field(0.5, ge=0, le=1)
    linking_top_k: int = Field(10, ge=1)
    use_graph: bool = True


class HippoRagTarget:
    """Asks the service."""

    fields = HippoRagFields

    async def open(
        self, fields: HippoRagFields, case: DatasetCase, world: TargetWorld
    ) -> RagServiceConversation:
        key = bearer(world.environment.get("HIPPO_RAG_API_KEY", ""))
        service = Service.find(world, "hippo_rag", "HIPPO_RAG_BASE_URL", Authorization=key)
        return RagServiceConversation(service, fields, case)
