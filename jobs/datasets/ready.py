"""A plan made ready: every model, every field and the expected cost found before any spending."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from jobs.conversation import ModelCatalog
from jobs.datasets.case_run import CaseSpec, CaseWorld
from jobs.datasets.cases import AutoUser, DatasetCase
from jobs.datasets.keeping import DatasetKeeping, PastRun
from jobs.datasets.loading import Dataset
from jobs.datasets.plan import RunPlan, check_unchanged
from jobs.evaluators.registry import judge_of
from jobs.targets.llm_api import LlmApiFields
from jobs.targets.registry import make_fields
from jobs.values import Model

USUAL_CASE_USD = Decimal("0.05")
"""What a case is taken to cost where no such run is known: a few thousand tokens of a large
model's answer, and as many of a judge's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetWorld:
    """What runs of datasets are carried out in."""

    cases: CaseWorld
    keeping: DatasetKeeping
    catalog: ModelCatalog
    default_judge: str
    default_user_model: str


@dataclass(frozen=True, slots=True)
class PinnedCatalog:
    """Models as one run knows them: an alias that moves meanwhile splits no run.

    Implements `ModelCatalog`.
    """

    catalog: ModelCatalog
    pins: dict[str, str]
    """What was sent for each name, as far as it was asked for."""
    known: dict[str, Model] = field(default_factory=dict)

    async def resolve(self, asked: str) -> Model:
        if asked not in self.known:
            model = await self.catalog.resolve(self.pins.get(asked, asked))
            self.pins[asked] = model.sent
            self.known[asked] = model.model_copy(update={"asked": asked})
        return self.known[asked]

    def price_known(self, model: Model) -> bool:
        return self.catalog.price_known(model)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run is expected to cost."""

    usd: Decimal
    each_usd: Decimal
    """What one case may cost: the dearest of the past run."""
    rests_on: int
    """Past cases; 0: a guess that is the same for all (`USUAL_CASE_USD`)."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A plan that can be carried out: every case with its models and fields."""

    plan: RunPlan
    specs: tuple[CaseSpec, ...]
    estimate: Estimate
    unpriced: tuple[str, ...]
    """Models whose price is not known: what they cost is in no figure and under no limit."""
    catalog: PinnedCatalog

    @property
    def expected(self) -> Decimal:
        """What a case may cost, as long as none has ended."""
        return self.estimate.each_usd

    @property
    def past_key(self) -> str:
        """Under which the cost of such runs is remembered."""
        return find_past_key(self.plan, self.specs)


async def make_ready(plan: RunPlan, dataset: Dataset, world: DatasetWorld) -> Ready:
    """Resolve all that the cases name. Raises `Refused` before anything is spent.

    The dataset must be the one that was planned for, to the byte. The plan that comes back
    names the models as they are sent; it is the one to store.
    """
    check_unchanged(plan, dataset)
    by_id = {case.id: case for case in dataset.cases}
    cases = [by_id[name] for name in plan.cases]
    choice = dataset.settings.choose_target(plan.target_type, (plan.target_type,))
    fields = [make_fields(choice, case, plan.typed) for case in cases]
    judges = [judge_of(case.eval, plan.judge, world.default_judge) for case in cases]
    users = [_find_user(plan, case, world) for case in cases]
    targets = [one.model for one in fields if isinstance(one, LlmApiFields)]
    catalog = PinnedCatalog(world.catalog, dict(plan.models))
    names = dict.fromkeys([*judges, *users, *targets])
    models = {name: await catalog.resolve(name) for name in names if name}
    specs = tuple(
        CaseSpec(
            case=case,
            target_type=plan.target_type,
            fields=own,
            judge=models.get(judge),
            user_model=models[user] if user else None,
        )
        for case, own, judge, user in zip(cases, fields, judges, users, strict=True)
    )
    unpriced = tuple(one.sent for one in models.values() if not world.catalog.price_known(one))
    past = await world.keeping.get_past(find_past_key(plan, specs))
    pinned = plan.model_copy(update={"models": dict(catalog.pins)})
    return Ready(pinned, specs, make_estimate(len(specs), past), unpriced, catalog)


def make_estimate(cases: int, past: PastRun | None) -> Estimate:
    """What so many cases are expected to cost, from the last such run."""
    if past is None or not past.cases:
        return Estimate(USUAL_CASE_USD * cases, USUAL_CASE_USD, 0)
    return Estimate(past.usd / past.cases * cases, past.most_usd, past.cases)


def find_past_key(plan: RunPlan, specs: Sequence[CaseSpec]) -> str:
    """A digest of what decides over the cost of a case: dataset, target, models."""
    first = specs[0]
    parts = [
        plan.benchmark,
        plan.dataset,
        plan.target_type,
        first.fields.model_dump_json(),
        first.judge.sent if first.judge else "",
        first.user_model.sent if first.user_model else "",
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _find_user(plan: RunPlan, case: DatasetCase, world: DatasetWorld) -> str:
    """Who plays the user; empty where the user is scripted."""
    if not isinstance(case.user, AutoUser):
        return ""
    return plan.user_model or case.user.model or world.default_user_model
