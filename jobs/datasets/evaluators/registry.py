"""Which evaluators there are. A new one is a module of its own and one line here."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from jobs.datasets.evaluators.exact import ExactEvaluator
from jobs.datasets.grades import Evaluator

EVALUATORS: Mapping[str, Evaluator] = {
    "exact": ExactEvaluator(),
}


def find_evaluator(name: str) -> Evaluator:
    """An evaluator by the name that cases use. Raises `ValueError` with those that there are."""
    if name not in EVALUATORS:
        there = ", ".join(f"`{one}`" for one in sorted(EVALUATORS))
        raise ValueError(f"eval.evaluator: there is no evaluator `{name[:100]}`; there are {there}")
    return EVALUATORS[name]


def check_evaluator(fields: Mapping[str, Any]) -> None:
    """Check the `eval` of a case. Raises `ValueError` with where and what is wrong."""
    name = fields.get("evaluator")
    if not isinstance(name, str):
        raise ValueError("eval.evaluator: it must name the evaluator")  # noqa: TRY004
    own = {key: value for key, value in fields.items() if key != "evaluator"}
    try:
        find_evaluator(name).check(own)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(("eval", *(str(step) for step in fault["loc"])))
        raise ValueError(f"{place}: {fault['msg'].removeprefix('Value error, ')}") from None
