"""One line of a dataset: who speaks to the target, about what, and how the answer is graded.

The shapes are those of existing files, so that they run unchanged. What a line holds beside
them is a slip more often than a wish and is refused, but for the scripted user, whose older
files carry fields of the other kind.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from jobs.requests import Value

USUAL_TURNS = 5
LONGEST_ID = 200


class Message(Value):
    """Something said before the dialogue begins."""

    role: Literal["user", "assistant", "system", "tool"]
    content: str


class Attachment(Value):
    """A file that goes with one of the user's turns; it is named to the target, not fetched."""

    file_url: str
    file_name: str
    file_type: str
    """Its media type."""
    file_size: int
    """Bytes."""
    file_key: str | None = None
    turn: int = Field(1, ge=1)


class Persona(Value):
    """How a virtual user behaves, in five dimensions of three levels; the first is the usual."""

    disclosure: Literal["responsive", "reluctant", "withholding"] = "responsive"
    attitude: Literal["compliant", "impatient", "dominant"] = "compliant"
    cognition: Literal["accurate", "partial_understanding", "complete_denial"] = "accurate"
    logic: Literal["consistent", "occasional_contradiction", "fabricating"] = "consistent"
    expression: Literal["normal", "vague", "incoherent"] = "normal"


def _by_target(value: object) -> object:
    """Overrides as a map; the older files hold a list of maps, each naming its `type`."""
    if not isinstance(value, list):
        return value
    overrides: dict[str, object] = {}
    for one in value:
        if not isinstance(one, dict) or not isinstance(one.get("type"), str):
            raise ValueError("each entry of a list of target_overrides must name its `type`")  # noqa: TRY004
        overrides[one["type"]] = {name: field for name, field in one.items() if name != "type"}
    return overrides


Overrides = Annotated[Mapping[str, Mapping[str, Any]], BeforeValidator(_by_target)]
"""Values of a target's fields for this case, by the target's type."""


class ManualUser(BaseModel):
    """A user whose turns are scripted. Other fields are ignored, since older files carry them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal["manual"]
    strict_inputs: tuple[str, ...] = Field(min_length=1)
    attachments: tuple[Attachment, ...] = ()
    target_overrides: Overrides = Field(default_factory=dict)

    @property
    def most_turns(self) -> int:
        return len(self.strict_inputs)


class AutoUser(Value):
    """A user whom a model plays."""

    type: Literal["auto"]
    goal: str
    context: str | None = None
    strict_inputs: tuple[str, ...] = ()
    """What is said word for word in the first turns."""
    max_turns: int | None = Field(USUAL_TURNS, ge=1)
    finish_condition: str | None = None
    persona: Persona | None = None
    attachments: tuple[Attachment, ...] = ()
    model: str | None = None
    """Who plays the user; None: the configured model."""
    target_overrides: Overrides = Field(default_factory=dict)

    @property
    def most_turns(self) -> int:
        """Most messages that the target gets."""
        return self.max_turns or USUAL_TURNS


User = Annotated[ManualUser | AutoUser, Field(discriminator="type")]


class DatasetCase(Value):
    """One case: the user, what was said before, and what the evaluator needs."""

    id: str = Field(min_length=1, max_length=LONGEST_ID)
    title: str
    description: str | None = None
    user: User
    eval: Mapping[str, Any]
    """`evaluator` names who grades it; the rest is that evaluator's own."""
    history: tuple[Message, ...] = ()
    tags: tuple[str, ...] = ()
    """By convention `category:value`."""

    @property
    def evaluator(self) -> str:
        return str(self.eval["evaluator"])

    @property
    def evaluator_fields(self) -> dict[str, Any]:
        """What the evaluator is configured with."""
        return {name: value for name, value in self.eval.items() if name != "evaluator"}
