"""Which targets there are. A new one is a module of its own and one line here."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from jobs.datasets.cases import DatasetCase
from jobs.datasets.suites import TargetChoice
from jobs.errors import Refused
from jobs.targets.llm_api import LlmApiTarget
from jobs.targets.target import TargetFields, TargetKind

TARGETS: Mapping[str, TargetKind] = {
    "llm_api": LlmApiTarget(),
}


def make_fields(
    choice: TargetChoice, case: DatasetCase | None, given: Mapping[str, str]
) -> TargetFields:
    """A target's fields: the suite's defaults, then the case's own, then what was typed.

    A value that was typed for a field that the suite does not let one change is refused, as is
    one of no such field. Raises `Refused`.
    """
    kind = TARGETS[choice.type]
    values = {name: one.default for name, one in choice.fields.items() if one.default is not None}
    if case is not None:
        own = case.user.target_overrides.get(choice.type, {})
        values |= {name: value for name, value in own.items() if value is not None}
    for name, value in given.items():
        _check_typed(choice, name)
        values[name] = value
    required = [name for name, one in choice.fields.items() if one.required]
    if lacking := [name for name in required if name not in values]:
        raise Refused(f"the target `{choice.type}` needs a value for {', '.join(lacking)}")
    try:
        return kind.fields.model_validate(values)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in fault["loc"])
        where = f" (case {case.id})" if case is not None else ""
        raise Refused(f"target `{choice.type}`: {place}: {fault['msg']}{where}") from None


def _check_typed(choice: TargetChoice, name: str) -> None:
    known: dict[str, Any] = TARGETS[choice.type].fields.model_fields
    if name not in known:
        there = ", ".join(f"`{one}`" for one in known)
        raise Refused(f"the target `{choice.type}` has no field `{name[:60]}`. It has {there}.")
    setting = choice.fields.get(name)
    if setting is not None and not setting.editable:
        raise Refused(f"the benchmark does not let `{name}` of `{choice.type}` be changed")
