"""What `hippo_rag_api` and `dyg_rag_api` share: a service that looks up and answers by itself.

It gets `{"user", "question", "messages", "settings"}` at `POST /answer` and gives `{"answer"}`,
with `usage` where it counts. What it answers in place of an answer is for it to report with a
status: a sentence about its own trouble would be graded.
"""

from typing import Any

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said
from jobs.errors import Refused
from jobs.targets.chat import Transcript
from jobs.targets.service import Service, read_usage
from jobs.targets.target import TargetFailed, TargetFields


class RagServiceFields(TargetFields):
    """What such a service is told; it decides what becomes of it."""

    model: str = Field(min_length=1)
    data_group: str | None = None
    user_email: str | None = None
    system_prompt: str | None = None


class RagServiceConversation:
    """A dialogue; the service is sent all of it at each turn."""

    def __init__(self, service: Service, fields: RagServiceFields, case: DatasetCase) -> None:
        """Raises `Refused` where nobody says whom the case is about."""
        if not fields.user_email:
            raise Refused(f"{service.name} needs a `user_email`, and the case names none")
        self._service = service
        self._fields = fields
        self._transcript = Transcript(case, fields.system_prompt)

    async def reply(self, said: Said) -> Reply:
        body: dict[str, Any] = {
            "user": self._fields.user_email,
            "question": said.text,
            "messages": self._transcript.asking(said),
            "settings": self._fields.model_dump(exclude={"user_email", "system_prompt"}),
        }
        answered = await self._service.ask("POST", "/answer", body)
        text = answered.content.get("answer")
        if not isinstance(text, str):
            raise TargetFailed(f"{self._service.name} answered without a text")
        self._transcript.keep(said, text)
        return Reply(text=text, usage=read_usage(answered.content.get("usage")))

    async def close(self) -> None:
        """Nothing is held open."""
