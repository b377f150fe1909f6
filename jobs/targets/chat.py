"""A dialogue as services want it: a list of messages, each with its role."""

from collections.abc import Iterable

from jobs.datasets.cases import DatasetCase, Message
from jobs.datasets.dialogue import Said

ChatMessage = dict[str, str]


def past_messages(history: Iterable[Message]) -> list[ChatMessage]:
    """What was said before; a tool's words count as the assistant's, who passed them on."""
    roles = {"system": "system", "user": "user"}
    return [{"role": roles.get(one.role, "assistant"), "content": one.content} for one in history]


def user_message(said: Said) -> ChatMessage:
    return {"role": "user", "content": with_attachments(said)}


def with_attachments(said: Said) -> str:
    """The turn with its files named; a target is told of them, it does not get them."""
    if not said.attachments:
        return said.text
    names = "\n".join(f"- {one.file_name} ({one.file_type})" for one in said.attachments)
    return f"{said.text}\n\nAttached files:\n{names}"


class Transcript:
    """The messages of one case so far; grows by a question and its answer."""

    def __init__(self, case: DatasetCase, system: str | None) -> None:
        first: list[ChatMessage] = [{"role": "system", "content": system}] if system else []
        self._messages = [*first, *past_messages(case.history)]

    def asking(self, said: Said) -> list[ChatMessage]:
        """All messages with the new question at their end."""
        return [*self._messages, user_message(said)]

    def keep(self, said: Said, answer: str) -> None:
        self._messages += [user_message(said), {"role": "assistant", "content": answer}]
