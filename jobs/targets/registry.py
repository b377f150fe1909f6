"""Which targets there are. A new one is a module of its own and one line here."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from jobs.datasets.cases import DatasetCase
from jobs.datasets.suites import TargetChoice
from jobs.errors import Refused
from jobs.faults import first_fault
from jobs.targets.command import CommandTarget
from jobs.targets.dyg_rag import DygRagTarget
from jobs.targets.evermem import EvermemTarget
from jobs.targets.hermes import HermesTarget
from jobs.targets.hippo_rag import HippoRagTarget
from jobs.targets.llm_api import LlmApiTarget
from jobs.targets.mem0_rag import Mem0Target
from jobs.targets.mirobody import MirobodyTarget
from jobs.targets.naive_rag import NaiveRagTarget
from jobs.targets.target import TargetFields, TargetKind

TARGETS: Mapping[str, TargetKind] = {
    "command": CommandTarget(),
    "dyg_rag_api": DygRagTarget(),
    "evermem": EvermemTarget(),
    "hermes": HermesTarget(),
    "hippo_rag_api": HippoRagTarget(),
    "llm_api": LlmApiTarget(),
    "mem0_rag_api": Mem0Target(),
    "mirobody": MirobodyTarget(),
    "naive_rag_api": NaiveRagTarget(),
}
_LENT = {"dyg_rag_api": "hippo_rag_api", "hippo_rag_api": "dyg_rag_api"}
"""Whose values of a case count for another target too, as existing datasets expect."""


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
        values |= _own_values(case, choice.type)
    for name, value in given.items():
        _check_typed(choice, name)
        values[name] = value
    required = [name for name, one in choice.fields.items() if one.required]
    if lacking := [name for name in required if name not in values]:
        raise Refused(f"the target `{choice.type}` needs a value for {', '.join(lacking)}")
    try:
        return kind.fields.model_validate(values)
    except ValidationError as error:
        where = f" (case {case.id})" if case is not None else ""
        raise Refused(f"target `{choice.type}`: {first_fault(error)}{where}") from None


def _own_values(case: DatasetCase, target: str) -> dict[str, Any]:
    """The values that a case sets for a target, or that it sets for a like one.

    Whom a case is about often stands with the tools of `llm_api` alone.
    """
    overrides = case.user.target_overrides
    known = TARGETS[target].fields.model_fields
    own = overrides.get(target)
    if own is None and target in _LENT:
        lent = overrides.get(_LENT[target], {})
        own = {name: value for name, value in lent.items() if name in known}
    values = {name: value for name, value in (own or {}).items() if value is not None}
    context = overrides.get("llm_api", {}).get("tool_context")
    if "user_email" in known and "user_email" not in values and isinstance(context, dict):
        values |= {"user_email": context.get("user_email")}
    return {name: value for name, value in values.items() if value is not None}


def _check_typed(choice: TargetChoice, name: str) -> None:
    known: dict[str, Any] = TARGETS[choice.type].fields.model_fields
    if name not in known:
        there = ", ".join(f"`{one}`" for one in known)
        raise Refused(f"the target `{choice.type}` has no field `{name[:60]}`. It has {there}.")
    setting = choice.fields.get(name)
    if setting is not None and not setting.editable:
        raise Refused(f"the benchmark does not let `{name}` of `{choice.type}` be changed")
