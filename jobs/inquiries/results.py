"""The newest score of each eval case, from the record of finished runs."""

from collections.abc import Iterable, Sequence

from jobs.conclusions.table import make_table
from jobs.conclusions.telling import find_newest_sets
from jobs.conclusions.thresholds import Thresholds
from jobs.inquiries.words import in_code, when
from jobs.inquiries.world import InquiryWorld
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import get_scores
from jobs.reporting.fit import Blocks, fit
from jobs.requests import Request
from jobs.results import SAME_SCORE, RunRecord, leave_out_pulls

MOST_ROWS = 60


async def answer_results(request: Request, world: InquiryWorld) -> str:
    """A table over the repository's records: the newest run of each eval case and conditions."""
    own = request.issue if request.is_pull_request else 0
    records = leave_out_pulls(await world.place.ledger.records(request.repo.full_name), but=own)
    shown = newest(one for one in records if _is_about(one.skill, request.skill))
    about = f" of {in_code(request.skill)}" if request.skill else ""
    if not shown:
        return _nothing(records, about, world.mention)
    rows = [_row(one) for one in shown]
    head = "| Eval case | Skill | Model | Score | Other arm | Difference | When | |\n"
    head += "|:--|:--|:--|--:|--:|--:|:--|:--|\n"
    rest = len(rows) - MOST_ROWS
    note = (
        "The newest run of each eval case, skill, model and way of running. The other arm has no "
        "skill, or the version that is named. How sure a difference is stands in its report."
    )
    if rest > 0:
        note = f"{numbers.plural(rest, 'older row')} left out: name a `--skill`. {note}"
    settings = world.place.runs.settings
    sets, left_out = await find_newest_sets(
        records, settings, about=lambda path: _is_about(path, request.skill)
    )
    parts = [
        make_table(sets, Thresholds.of(settings), left_out=left_out),
        Blocks(rows[:MOST_ROWS], "*Shortened.*", before=f"#### Runs\n\n{head}" if sets else head),
    ]
    title = f"### 📊 Results{about}: {numbers.plural(len(rows), 'measured case')}"
    return fit([title], parts, [f"<sub>{note}</sub>"])


def newest(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Of each eval case under the same conditions the newest record, the newest first."""
    latest: dict[tuple[str, ...], RunRecord] = {}
    for one in records:
        key = (one.eval_id, one.skill, one.model_identity, one.launcher, one.mode, one.vs)
        latest.pop(key, None)
        latest[key] = one
    return list(reversed(latest.values()))


def _is_about(path: str, skill: str | None) -> bool:
    """Whether a skill's path is the one that was asked for, by path or by its last part."""
    if skill is None:
        return True
    wanted = skill.strip("/ `").casefold()
    folder = path.casefold()
    return wanted in {folder, folder.rpartition("/")[2]}


def _row(record: RunRecord) -> str:
    found = get_scores(record.score)
    url = escape.address(record.url)
    other = "" if record.vs == "none" else f" ({in_code(record.vs, 20)})"
    shown = (
        (
            numbers.percent(found[0]),
            numbers.percent(found[1]) + other,
            f"{_arrow(found[0] - found[1])} {numbers.signed_points(found[0] - found[1])}",
        )
        if found
        else ("not graded", "—", "—")
    )
    cells = (
        in_code(record.eval_id, 80),
        in_code(record.skill, 80),
        in_code(record.model, 80),
        *shown,
        when(record.finished_at),
        f"[report]({url})" if url else "—",
    )
    return f"| {' | '.join(cells)} |"


def _arrow(difference: float) -> str:
    if abs(difference) < SAME_SCORE:
        return "■"
    return "▲" if difference > 0 else "▼"


def _nothing(records: Sequence[RunRecord], about: str, mention: str) -> str:
    if about and records:
        known = sorted({one.skill for one in records})
        named = ", ".join(in_code(name, 80) for name in known[:20])
        return f"### 📊 Results\n\nNothing was measured{about}. There are results of {named}."
    run = escape.code(f"{mention} run")
    return f"### 📊 Results\n\nNothing was measured in this repository yet. To begin: {run}."
