"""Carries out a `verdict`: a person's word is kept beside the judge's, and the report shows it.

Costs nothing. The answer is the report itself, brought up to date, and a reaction; only where the
report stands elsewhere is there a comment that leads to it.
"""

import hashlib

from jobs.again.choosing import find_told
from jobs.again.kept_runs import open_kept_run
from jobs.again.report import hold_report, report_place, retell
from jobs.answers import answer, react_to_end
from jobs.calibration.finding import find_people
from jobs.calibration.people import MOST_KEPT, PersonVerdict, RunVerdicts, keep_verdicts
from jobs.calibration.said import get_judge_words, get_verdicts, read_trials, record_with
from jobs.calibration.series import series_key
from jobs.carrying_out import begin, carry_out_answered
from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.keeping import request_folder
from jobs.planning.dedup import record_key
from jobs.reporting.people import render_noted
from jobs.requests import Request
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import Arm
from jobs.world import World

MOST_NAMED = 60
"""Ids that a refusal lists."""


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Keep a verdict and show it; raises `Transient` as all kinds of request do."""
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    if not await begin(request, world):
        return
    told = await find_told(request, world)
    run, repo = told.record.run, request.repo.full_name
    # two people may say something of one run in the same moment
    async with (
        hold_report(run, world),
        open_kept_run(run, request, world) as (kept, _),
    ):
        said = make_verdict(request, kept.result)
        known = await find_people(kept.result, world, reads_report=True)
        verdicts = known.joined([said])
        if len(verdicts.verdicts) > MOST_KEPT:
            raise Refused(
                f"{MOST_KEPT} verdicts of people stand on the run `{run}` already, corrected ones "
                "included, and no more are kept of one run."
            )
        await keep_verdicts(verdicts, repo, world.runs.blobs)
        comment = await retell(kept, verdicts, request, world)
        await _note(kept.result, verdicts, comment.url, world)
    if report_place(kept, request) == request.issue:
        await react_to_end(request, world, good=True)
    else:
        await answer(request, render_noted(run, comment.url), world, good=True)
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")


async def _note(result: RunResult, verdicts: RunVerdicts, url: str, world: World) -> None:
    """Count it in the ledger, unless another judge's scores are the run's by now."""
    records = await world.ledger.records(result.spec.repo.full_name)
    known = next((one for one in records if one.run == result.spec.run_id), None)
    told = record_with(result, verdicts).model_copy(update={"url": url})
    if known is not None and series_key(known) != series_key(told):
        return
    noted = (known or told).model_copy(update={"people": told.people})
    answering = await world.ledger.find(record_key(noted))
    if answering is not None and answering.run == noted.run:
        await world.ledger.record(record_key(noted), noted)
    else:
        await world.ledger.note(noted)


def make_verdict(request: Request, result: RunResult) -> PersonVerdict:
    """What the request says, held against the run that it is about.

    Raises `Refused` with what there is, where the run has no such assertion, arm or trial.
    """
    said, run = request.verdict, result.spec.run_id
    trials = read_trials(result)
    if not trials:
        raise Refused(
            f"the run `{run}` has no score, so there is no verdict of the judge to put another "
            "beside."
        )
    arm = Arm(said.arm)
    if arm not in result.spec.arms:
        arms = " and ".join(f"`{one}`" for one in result.spec.arms)
        raise Refused(f"the run `{run}` has no arm `{arm}`; its arms are {arms}.")
    trial = _choose_trial(said.trial, list(trials), run)
    row = _find_row(said.assertion, trials[trial], run)
    asking = f"{request.key}|{request.asked_at.isoformat()}"
    return PersonVerdict(
        asking=hashlib.sha256(asking.encode()).hexdigest()[:12],
        assertion=row.assertion.id,
        arm=arm,
        trial=trial,
        verdict=said.verdict,
        reason=said.reason,
        by=request.asker,
        at=request.asked_at,
        issue=request.issue,
        comment=request.comment_id,
        group=row.assertion.group or "",
        judge=get_judge_words(get_verdicts(row, arm, result.spec)),
    )


def _choose_trial(wanted: int | None, scored: list[int], run: str) -> int:
    """Each trial has outputs of its own, so that one must be named where there are several."""
    if wanted is None and len(scored) == 1:
        return scored[0]
    if wanted not in scored:
        named = ", ".join(f"`{one}`" for one in scored)
        problem = (
            f"the run `{run}` has several trials, each with outputs of its own"
            if wanted is None
            else f"the run `{run}` has no trial {wanted} with a score"
        )
        raise Refused(f"{problem}: name one with `--trial`, of {named}.")
    return wanted


def _find_row(assertion: str, rows: tuple[AssertionScore, ...], run: str) -> AssertionScore:
    found = [row for row in rows if row.assertion.id.casefold() == assertion.casefold()]
    if found:
        return found[0]
    ids = [quoted(row.assertion.id) for row in rows[:MOST_NAMED]]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    raise Refused(
        f"the run `{run}` has no assertion {quoted(assertion)}; there are {', '.join(ids)}{more}."
    )
