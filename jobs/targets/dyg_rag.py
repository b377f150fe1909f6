"""`dyg_rag_api`: a service that walks a graph of events, at `DYG_RAG_BASE_URL`."""

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.targets.rag_service import RagServiceConversation, RagServiceFields
from jobs.targets.service import Service, bearer
from jobs.targets.target import TargetWorld


class DygRagFields(RagServiceFields):
    """What suites set of it."""

    model: str = Field("gemini-3-pro-preview", min_length=1)
    top_k: int = Field(20, ge=1, le=100)
    enable_graph_traversal: bool = True


class DygRagTarget:
    """Asks the service."""

    fields = DygRagFields

    async def open(
        self, fields: DygRagFields, case: DatasetCase, world: TargetWorld
    ) -> RagServiceConversation:
        key = bearer(world.environment.get("DYG_RAG_API_KEY", ""))
        service = Service.find(world, "dyg_rag", "DYG_RAG_BASE_URL", Authorization=key)
        return RagServiceConversation(service, fields, case)
