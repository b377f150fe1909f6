"""What stands beside the datasets of a suite: `metadata.json`, with the targets that fit it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, model_validator

from jobs.errors import Refused
from jobs.requests import Value

SUBCOMMANDS = frozenset({"list", "grade", "regrade", "compare", "convert", "run"})
"""Words of the command line, which no benchmark can bear as its name."""
_NOT_FIELDS = frozenset({"type", "target_configurable"})


class TargetField(Value):
    """One setting of a target."""

    default: Any = None
    editable: bool = True
    """Whether somebody who runs the dataset may set it."""
    required: bool = False


class TargetChoice(Value):
    """A target that the suite can be run against."""

    type: str = Field(min_length=1)
    fields: Mapping[str, TargetField] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _from_flat(cls, written: object) -> object:
        """The older flat form: every key an editable field, required where it has a value."""
        if not isinstance(written, dict) or "fields" in written:
            return written
        fields = {
            name: {"default": value, "required": value is not None}
            for name, value in written.items()
            if name not in _NOT_FIELDS
        }
        return {"type": written.get("type"), "fields": fields}


class SuiteSettings(Value):
    """The content of `metadata.json`; a missing file says nothing."""

    description: str = ""
    target: tuple[TargetChoice, ...] = ()
    params: Mapping[str, Any] = Field(default_factory=dict)
    """What `{"$ref": name}` in a case stands for."""
    prepare: str | None = None
    """A program of the original's, which is never run here."""
    max_concurrency: int = Field(0, ge=0)
    """Cases in flight where nobody says; 0: as many as the provider lets through."""

    @model_validator(mode="before")
    @classmethod
    def _one_target(cls, written: object) -> object:
        if isinstance(written, dict) and isinstance(written.get("target"), dict):
            return {**written, "target": [written["target"]]}
        return written

    def choose_target(self, named: str | None, known: Sequence[str]) -> TargetChoice:
        """The target that is named, or the only one that there is.

        `known` are the types that can be had here; any of them may be named, also one that
        the suite does not list. Raises `Refused` with the choices.
        """
        listed = [one.type for one in self.target]
        if named is not None:
            if named not in known:
                raise Refused(f"there is no target `{named}`. There are {_quoted(known)}.")
            return next((one for one in self.target if one.type == named), TargetChoice(type=named))
        if len(listed) == 1 and listed[0] in known:
            return self.target[0]
        if not listed:
            raise Refused(f"name a target with --target-type. There are {_quoted(known)}.")
        if not set(listed).intersection(known):
            raise Refused(
                f"this benchmark lists {_quoted(listed)}, which is no target here. Name one with "
                f"--target-type; there are {_quoted(known)}."
            )
        raise Refused(
            f"this benchmark lists {_quoted(listed)}; say which is meant with --target-type."
        )


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
