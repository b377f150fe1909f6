"""`hermes`: an agent that answers like OpenAI's chat completions, already running somewhere.

It is asked at `HERMES_API_BASE_URL`; nothing is installed or started for it.
"""

from contextlib import suppress
from typing import Any

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said
from jobs.targets.chat import Transcript
from jobs.targets.service import Service, bearer, read_usage
from jobs.targets.target import TargetFailed, TargetFields, TargetWorld
from jobs.targets.user_data import data_line

DEFAULT_URL = "http://127.0.0.1:8642"
_LOOK_UP_S = 10.0


class HermesFields(TargetFields):
    """What the agent is told first, and whose data it may read."""

    model: str | None = None
    """None: the first that it serves."""
    system_prompt: str | None = None
    user_email: str | None = None
    """Its folder of data is named to the agent, which runs beside it."""


class HermesTarget:
    """Asks the agent."""

    fields = HermesFields

    async def open(
        self, fields: HermesFields, case: DatasetCase, world: TargetWorld
    ) -> "HermesConversation":
        key = bearer(world.environment.get("HERMES_API_KEY", ""))
        service = Service.find(
            world, "hermes", "HERMES_API_BASE_URL", DEFAULT_URL, Authorization=key
        )
        parts = [fields.system_prompt]
        if fields.user_email:
            parts.append(data_line(world, fields.user_email))
        system = "\n\n".join(part for part in parts if part)
        model = fields.model or await _served(service)
        return HermesConversation(service, model, Transcript(case, system or None))


async def _served(service: Service) -> str:
    """The model that it lists first; its failure to list any is no failure to answer."""
    with suppress(TargetFailed, LookupError, TypeError):
        listed = await service.ask("GET", "/v1/models", limit_s=_LOOK_UP_S)
        return str(listed.content["data"][0]["id"])
    return "hermes"


class HermesConversation:
    """A dialogue; the agent is sent all of it at each turn."""

    def __init__(self, service: Service, model: str, transcript: Transcript) -> None:
        self._service = service
        self._model = model
        self._transcript = transcript

    async def reply(self, said: Said) -> Reply:
        body = {
            "model": self._model,
            "messages": self._transcript.asking(said),
            "stream": False,
        }
        answered = await self._service.ask("POST", "/v1/chat/completions", body)
        text = _text(answered.content)
        self._transcript.keep(said, text)
        served = answered.content.get("model")
        return Reply(
            text=text,
            usage=read_usage(answered.content.get("usage")),
            model=served if isinstance(served, str) else self._model,
        )

    async def close(self) -> None:
        """Nothing is held open."""


def _text(content: dict[str, Any]) -> str:
    choices = content.get("choices")
    if not isinstance(choices, list) or not choices:
        raise TargetFailed("hermes answered without any choice")
    try:
        text = choices[0]["message"]["content"]
    except (LookupError, TypeError):
        text = None
    if not isinstance(text, str):
        raise TargetFailed("hermes answered with a choice that holds no text")
    return text
