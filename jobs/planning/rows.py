"""A plan as rows of the living comment: its runs first, so that row N is run N."""

from collections.abc import Callable, Sequence

from config.settings import Settings
from jobs.dashboard.addresses import run_address
from jobs.judging.judges import judges_of
from jobs.planning.plan import Plan
from jobs.reporting.chart import shows_pages
from jobs.reporting.progress_comment import ProgressComment, RunRow
from jobs.values import Model, RunSpec

CARRIED_ON = "This was interrupted and is carried on; what was finished is not done again."


def find_unpriced(plan: Plan, price_known: Callable[[Model], bool]) -> list[str]:
    """The models of a plan, judges included, that nobody knows the price of. May block."""
    models = {model.sent: model for spec in plan.runs for model in (spec.model, *judges_of(spec))}
    return [name for name, model in models.items() if not price_known(model)]


def find_live_page(spec: RunSpec, settings: Settings) -> str:
    """Where a run is seen going on by whoever reads its comment; empty where they could not.

    Everybody sees it, or whoever may read the repository can sign in.
    """
    takes_sign_in = bool(
        settings.public_url.startswith("https://")
        and settings.github_client_id
        and settings.github_client_secret.get_secret_value()
        and settings.session_secret.get_secret_value()
    )
    if not (takes_sign_in or shows_pages(spec, settings)):
        return ""
    return settings.public_url + run_address(spec.repo.full_name, spec.run_id)


def make_progress(
    plan: Plan,
    settings: Settings,
    *,
    unpriced: Sequence[str] = (),
    carried_on: bool = False,
    expected: str = "",
) -> ProgressComment:
    """What the living comment says before anything has moved, in this attempt.

    `expected` is what its runs are expected to take, as half a sentence.
    """
    queued = [
        RunRow(
            title=spec.eval_case.id,
            skill=spec.skill.name,
            model=spec.model.sent,
            run=spec.run_id,
            watch=find_live_page(spec, settings),
        )
        for spec in plan.runs
    ]
    done = [
        RunRow(
            title=one.spec.eval_case.id,
            skill=one.spec.skill.name,
            model=one.model,
            state="duplicate",
            url=one.url,
            score=one.score,
        )
        for one in plan.duplicates
    ]
    refused = [RunRow(title=one.title, state="refused", detail=one.reason) for one in plan.refused]
    return ProgressComment(
        asker="the schedule" if plan.request.origin == "schedule" else plan.request.asker,
        rows=(*queued, *done, *refused),
        unpriced=tuple(unpriced),
        most_tokens=settings.max_tokens_per_run,
        expected=expected,
        mention=settings.mention,
        notes=(*plan.notes, *((CARRIED_ON,) if carried_on else ())),
    )
