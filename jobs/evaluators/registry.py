"""Which evaluators there are. A new one is a module of its own and one line here."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from jobs.datasets.grades import Evaluator
from jobs.evaluators.dialogue_quality import DialogueQualityEvaluator
from jobs.evaluators.engagement import EngagementEvaluator
from jobs.evaluators.exact import ExactEvaluator
from jobs.evaluators.healthbench import HealthBenchEvaluator
from jobs.evaluators.kg_qa import KgQaEvaluator
from jobs.evaluators.medcalc import MedCalcEvaluator
from jobs.evaluators.pattern import PatternEvaluator
from jobs.evaluators.program import ProgramEvaluator
from jobs.evaluators.record_retrieval import RecordRetrievalEvaluator
from jobs.evaluators.rubric import RubricEvaluator
from jobs.evaluators.semantic import SemanticEvaluator
from jobs.faults import first_fault

EVALUATORS: Mapping[str, Evaluator] = {
    "dialogue_quality": DialogueQualityEvaluator(),
    "engagement": EngagementEvaluator(),
    "exact": ExactEvaluator(),
    "healthbench": HealthBenchEvaluator(),
    "kg_qa": KgQaEvaluator(),
    "medcalc": MedCalcEvaluator(),
    "python": ProgramEvaluator(),
    "record_retrieval": RecordRetrievalEvaluator(),
    "regex": PatternEvaluator(),
    "rubric": RubricEvaluator(),
    "semantic": SemanticEvaluator(),
}

NEVER_ASK = frozenset({"exact", "python", "record_retrieval", "regex"})
"""Evaluators that need no judge, so that none has to be configured for them."""
JUDGE_FIELDS = ("model", "judge_model", "extractor_model")
"""Where a case may name its judge; the first that it holds counts."""


def judge_of(fields: Mapping[str, Any], asked: str, default: str) -> str:
    """Who judges a case by its `eval`: who was asked for, the case's own, the default; empty
    where nobody is ever asked.
    """
    if fields.get("evaluator") in NEVER_ASK:
        return ""
    return asked or judge_named(fields) or default


def judge_named(fields: Mapping[str, Any]) -> str | None:
    """The judge that the `eval` of a case names; None: the configured one."""
    named = (fields.get(name) for name in JUDGE_FIELDS)
    return next((name for name in named if isinstance(name, str) and name), None)


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
        raise ValueError(first_fault(error, within="eval")) from None
