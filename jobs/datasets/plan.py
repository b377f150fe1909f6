"""What a run of a dataset will do, decided before it spends anything, and stored first.

Whoever carries the run on finds everything here; only the cases themselves are read again,
from a file that must be the same to the byte.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from pydantic import Field

from jobs.datasets.loading import Dataset
from jobs.errors import Refused
from jobs.requests import Repo, Value
from jobs.targets.registry import TARGETS


class Wanted(Value):
    """What somebody asked for; empty fields mean what the suite and the settings say."""

    benchmark: str
    dataset: str
    target_type: str | None = None
    typed: dict[str, str] = Field(default_factory=dict)
    """Fields of the target as typed."""
    ids: tuple[str, ...] = ()
    limit: int | None = Field(None, ge=1)
    parallel: int | None = Field(None, ge=0)
    judge: str = ""
    user_model: str = ""
    max_usd: Decimal | None = None
    asker: str = ""


class RunPlan(Value):
    """One run, pinned."""

    run_id: str
    """12 hexadecimal digits."""
    benchmark: str
    dataset: str
    digest: str
    """SHA-256 of the dataset's file."""
    source: str
    target_type: str
    typed: dict[str, str]
    cases: tuple[str, ...]
    """Ids in the order of the dataset."""
    parallel: int
    """Cases in flight; 0: as many as the provider lets through."""
    judge: str
    """As asked; empty: each case's own, else the configured one."""
    user_model: str
    max_usd: Decimal | None = None
    models: dict[str, str] = Field(default_factory=dict)
    """Ids that are sent, by the names that were asked for."""
    started_at: datetime
    asker: str = ""
    repo: Repo | None = None
    """None on the command line and the web."""
    issue: int = 0
    again_of: str = ""
    """The run whose graded cases are taken over, so that only the ungraded ones are run."""


def make_run_plan(wanted: Wanted, dataset: Dataset, now: datetime, *, salt: str = "") -> RunPlan:
    """Choose cases and target. Raises `Refused` naming what is unknown.

    `salt` tells two runs apart that are asked for at one moment.
    """
    target = dataset.settings.choose_target(wanted.target_type, tuple(TARGETS))
    parallel = wanted.parallel
    if parallel is None:
        parallel = dataset.settings.max_concurrency
    asking = f"{wanted.model_dump_json()}|{dataset.digest}|{now.isoformat()}|{salt}"
    return RunPlan(
        run_id=hashlib.sha256(asking.encode()).hexdigest()[:12],
        benchmark=dataset.benchmark,
        dataset=dataset.name,
        digest=dataset.digest,
        source=dataset.source,
        target_type=target.type,
        typed=dict(wanted.typed),
        cases=choose_cases(wanted.ids, wanted.limit, dataset),
        parallel=parallel,
        judge=wanted.judge,
        user_model=wanted.user_model,
        max_usd=wanted.max_usd,
        started_at=now,
        asker=wanted.asker,
    )


def choose_cases(ids: Sequence[str], limit: int | None, dataset: Dataset) -> tuple[str, ...]:
    """The cases that are named, or all, in the order of the file; of these the first `limit`.

    Raises `Refused` where a name is no case's.
    """
    known = [case.id for case in dataset.cases]
    if unknown := [name for name in dict.fromkeys(ids) if name not in set(known)]:
        names = ", ".join(f"`{name[:100]}`" for name in unknown[:20])
        raise Refused(f"{dataset.benchmark}/{dataset.name} has no case {names}")
    chosen = [name for name in known if name in set(ids)] if ids else known
    return tuple(chosen[:limit])


def carry_on(wanted: Wanted, plan: RunPlan) -> RunPlan:
    """The plan of a run that is carried on, as somebody asks for it now.

    How many cases go on at once and what they may cost can be said anew; all else that is said
    must be what the run began with. Raises `Refused` naming each option that is not.
    """
    given = [
        ("--target-type", wanted.target_type or "", plan.target_type),
        ("--eval-model", wanted.judge, plan.judge),
        ("--user-model", wanted.user_model, plan.user_model),
        *((f"--{name}", value, plan.typed.get(name, "")) for name, value in wanted.typed.items()),
    ]
    wrong = [
        f"`{option} {value[:100]}` (it began with {f'`{kept}`' if kept else 'none'})"
        for option, value, kept in given
        if value and value != kept
    ]
    if wanted.ids and set(wanted.ids) != set(plan.cases):
        wrong.append("`--ids` (it began with other cases)")
    if wanted.limit is not None and wanted.limit != len(plan.cases):
        wrong.append(f"`--limit {wanted.limit}` (it has {len(plan.cases)} cases)")
    if wrong:
        raise Refused(
            f"the run `{plan.run_id}` cannot be carried on with {', '.join(wrong)}. Leave that "
            "out, or begin a new run without `--resume`."
        )
    changes: dict[str, object] = {}
    if wanted.parallel is not None:
        changes["parallel"] = wanted.parallel
    if wanted.max_usd is not None:
        changes["max_usd"] = wanted.max_usd
    return plan.model_copy(update=changes)


def plan_again(plan: RunPlan, now: datetime) -> RunPlan:
    """A run of the same cases that takes over what `plan` has graded, and runs the rest again."""
    asking = f"again|{plan.run_id}|{now.isoformat()}"
    run_id = hashlib.sha256(asking.encode()).hexdigest()[:12]
    return plan.model_copy(update={"run_id": run_id, "again_of": plan.run_id, "started_at": now})


def check_unchanged(plan: RunPlan, dataset: Dataset) -> None:
    """Raise `Refused` where the dataset's file is not the one that was planned for."""
    if dataset.digest != plan.digest:
        raise Refused(
            f"the file of {plan.benchmark}/{plan.dataset} has changed since the run "
            f"`{plan.run_id}` began: its SHA-256 was `{plan.digest}`, now it is "
            f"`{dataset.digest}`. Put the old file back, or begin a new run."
        )
