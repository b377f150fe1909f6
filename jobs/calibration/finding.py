"""What people said of a run, from wherever it is kept: the store, else the report itself."""

from jobs.calibration.people import RunVerdicts, find_verdicts, read_comments
from jobs.calibration.series import series_key
from jobs.planning.dedup import record_of
from jobs.results import RunResult
from jobs.world import World


async def find_people(result: RunResult, world: World, *, reads_report: bool) -> RunVerdicts:
    """All that people said of a run; what the report's comment bears counts where it is read.

    It need not be read where a run has just ended: nobody has seen it yet.
    """
    spec, record = result.spec, record_of(result)
    found = await find_verdicts(spec.run_id, spec.repo.full_name, world.runs.blobs)
    verdicts = found or RunVerdicts(
        run=spec.run_id,
        eval_id=record.eval_id,
        series=series_key(record),
    )
    if not reads_report or not spec.issue:
        return verdicts
    comments = await world.github.comments(spec.issue)
    return verdicts.joined(read_comments(comments, spec.run_id))
