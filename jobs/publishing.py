"""A finished run made public: archive, report, ledger, in this order.

Each step finds what an earlier attempt has done (the archive by its content, the report by
its tag), so that publishing twice publishes once. The blind map leaves here for the first
time, after the score.
"""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from jobs.calibration.finding import find_people
from jobs.calibration.people import RunVerdicts
from jobs.calibration.said import record_with
from jobs.comparison import Finished, find_finished
from jobs.conclusions.telling import find_set_line
from jobs.errors import Gone, IssueMoved, Suspended, Transient, UserError
from jobs.judging.judges import judges_of
from jobs.keeping import request_folder
from jobs.leaks.guesser import with_guess
from jobs.planning.dedup import record_key, record_of
from jobs.planning.plan import Plan
from jobs.planning.previous import find_previous
from jobs.ports import Comment
from jobs.prompts import read_prompts
from jobs.reading_keys import transcripts_in
from jobs.reporting.archive import Archive, ArchiveContent, make_archive, session_folder
from jobs.reporting.change import render_change
from jobs.reporting.chart import render_chart
from jobs.reporting.context import ReportContext
from jobs.reporting.key_files import find_key_files
from jobs.reporting.report import render_report
from jobs.requests import Request
from jobs.results import RunResult
from jobs.steps import trial_numbers
from jobs.weak_evals.canaries import with_canaries
from jobs.world import RunWorld, World

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run leaves on this machine: the report's Markdown and the archive."""

    markdown: str
    archive: Archive


async def publish_run(finished: Finished, world: World) -> Comment:
    """Upload the archive, post the report, remember the run. Gives the report's comment.

    Raises `Transient` and `Gone` as GitHub does; a failing upload is said in the report. Where
    the issue is gone or locked the run is remembered all the same, by its archive. The report
    follows an issue that was moved to where the App is installed, too.
    """
    result = await with_canaries(finished.result, world.runs.blobs)
    result = await with_guess(result, world.runs.blobs)
    finished = replace(finished, result=result)
    spec = result.spec
    archive = await write_archive(finished, world.runs)
    url, absent = await upload_archive(result, archive, world)
    context = await make_context(finished, world.runs, archive_url=url, archive_absent=absent)
    verbosity = (await world.github.repo_file()).comments
    people = await find_people(result, world, reads_report=False)
    context = replace(
        context,
        change=await find_change(result, world),
        set_line=await tell_set(result, world),
        baseline_urls=await find_baseline_urls(result, world),
        people=people,
        verbosity=verbosity,
    )
    report = await asyncio.to_thread(render_report, result, context)
    tag = f"report:{spec.run_id}"
    try:
        comment = await _post(spec.issue, report, tag, world)
    except Suspended:
        raise  # it is posted later, and remembered then
    except Gone:
        await _remember(result, people, url, world)
        raise
    await _remember(result, people, comment.url or url, world)
    return comment


async def publish_ended(request: Request, world: World) -> None:
    """Publish each run of a request that an earlier attempt had brought to its end.

    Where the place is gone every one of them is remembered all the same, and then the first
    `Gone` raised. Raises `Transient` as `publish_run` does.
    """
    stored = await world.runs.blobs.get(f"{request_folder(request)}/plan.json")
    gone: list[Gone] = []
    for spec in Plan.model_validate_json(stored).runs if stored else ():
        finished = await find_finished(spec, world.runs)
        if finished is None:
            continue
        try:
            await publish_run(finished, world)
        except Suspended:
            raise
        except Gone as one:
            gone.append(one)
    if gone:
        raise gone[0]


async def _post(issue: int, report: str, tag: str, world: World) -> Comment:
    try:
        return await world.github.comment(issue, report, tag=tag)
    except IssueMoved as moved:
        there = await world.find_moved(moved) if world.find_moved else None
        if there is None:
            raise
        log.info("report_follows_issue", repository=moved.repository, issue=moved.number)
        return await there.comment(moved.number, report, tag=tag)


async def find_change(result: RunResult, world: World) -> str:
    """How it compares with the result of the version before; empty where there is none."""
    if not result.graded:
        return ""
    record = record_of(result)
    records = await world.ledger.records(result.spec.repo.full_name)
    return render_change(record, find_previous(record, records))


async def tell_set(result: RunResult, world: World) -> str:
    """What the skill's set says with this run; empty where it has no score or no set."""
    if not result.graded:
        return ""
    records = await world.ledger.records(result.spec.repo.full_name)
    return await find_set_line(record_of(result), records, world.runs.settings)


async def find_baseline_urls(result: RunResult, world: World) -> dict[str, str]:
    """Where the runs are told whose sessions were used again, as far as that is known."""
    runs = {one.reused_from for one in result.reused}
    if not runs:
        return {}
    records = await world.ledger.records(result.spec.repo.full_name)
    return {record.run: record.url for record in records if record.run in runs}


async def _remember(result: RunResult, people: RunVerdicts, url: str, world: World) -> None:
    """Put a run into the ledger; `url` is where it can be read. Only a graded one is done."""
    record = record_with(result, people).model_copy(update={"url": url})
    if result.graded:
        await world.ledger.record(record_key(result.spec), record)
    else:
        await world.ledger.note(record)


async def write_report(finished: Finished, world: RunWorld) -> Report:
    """The report and the archive of a run that is published nowhere, for a local folder."""
    archive = await write_archive(finished, world)
    context = await make_context(
        finished, world, archive_url="", archive_absent="", archive_name=archive.name
    )
    markdown = await asyncio.to_thread(render_report, finished.result, context)
    return Report(markdown=markdown, archive=archive)


async def write_archive(finished: Finished, world: RunWorld, folder: Path | None = None) -> Archive:
    """The archive of a run, as a file in the run's scratch folder, or in another `folder`.

    There lie the transcripts of its readings, too.
    """
    spec = finished.result.spec
    folder = folder or world.scratch / spec.run_id
    transcripts = transcripts_in(folder, spec, trial_numbers(spec))
    bundles = {
        session_folder(key.arm, key.trial, spec): path for key, path in finished.bundles.items()
    }
    content = ArchiveContent(
        result=finished.result,
        bundles=bundles,
        prompts=await asyncio.to_thread(read_prompts, bundles, transcripts),
    )
    return await make_archive(content, folder / "archive")


def archive_pointer(run_id: str) -> str:
    """Where the blob store says under which name it has a run's archive."""
    return f"archives/of/{run_id}"


async def upload_archive(result: RunResult, archive: Archive, world: World) -> tuple[str, str]:
    """The archive's address, or why there is none, as the repository's file has it kept.

    A copy stays in the blob store, unless it is to be kept nowhere.
    """
    kept = (await world.github.repo_file()).archive
    if kept == "off":
        return "", "this repository keeps none"
    await world.runs.blobs.put(f"archives/{archive.name}", archive.path)
    named = archive_pointer(result.judging or result.spec.run_id)
    await world.runs.blobs.put(named, archive.name.encode())
    if kept == "blob":
        return "", f"this repository leaves it with the operator of this bot, as {archive.name}"
    month = f"{result.ended_at:%Y-%m}"
    try:
        return await world.github.upload(month, archive.name, archive.path), ""
    except (UserError, Gone, Transient) as error:
        log.warning("archive_not_uploaded", run=result.spec.run_id, problem=str(error))
        reason = str(error) if isinstance(error, UserError) else "GitHub did not take it"
        return "", f"{reason}; the operator of this bot has a copy"


async def make_context(
    finished: Finished,
    world: RunWorld,
    *,
    archive_url: str,
    archive_absent: str,
    archive_name: str = "",
) -> ReportContext:
    """What a report needs beside the result of a run."""
    spec = finished.result.spec
    settings = world.settings
    models = (spec.model, *judges_of(spec))
    priced = all(world.catalog.price_known(model) for model in models)
    remark = (
        f"The price of {' or '.join(dict.fromkeys(one.sent for one in models))} is not known: "
        "this run was held "
        f"by the limit of {settings.max_tokens_per_run:,} tokens alone."
    )
    # a run that was given up may lack a session; of several trials the first whole one is shown
    whole = next((one.number for one in finished.result.whole_trials), 1)
    files = {
        key.arm: await find_key_files(bundle)
        for key, bundle in finished.bundles.items()
        if key.trial == whole
    }
    tested, other = spec.arms
    return ReportContext(
        web_url=settings.github_web_url if spec.repo.installation_id else "",
        archive_url=archive_url,
        archive_absent=archive_absent,
        archive_name=archive_name,
        with_skill_files=files.get(tested, ()),
        without_skill_files=files.get(other, ()),
        mention=settings.mention,
        usual_launcher=settings.launcher,
        chart=render_chart(finished.result, settings),
        cost_remarks=() if priced else (remark,),
    )
