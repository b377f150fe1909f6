"""Which configuration holds in this repository, and where each value comes from."""

import asyncio
from collections.abc import Sequence

from config.effective import Origin, Row, find_rows, make_effective
from config.repo_file import REPO_FILES
from jobs.carrying_out import find_head, open_snapshot
from jobs.content.repo_file import load_repo_file
from jobs.inquiries.words import in_code, tell_relatives
from jobs.inquiries.world import InquiryWorld
from jobs.judging.judges import split_judges
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, details, fit
from jobs.requests import Request

_WHO: dict[Origin, str] = {
    "command": "the command",
    "repository": "📄 the repository's file",
    "operator": "🛠️ the operator",
    "default": "nobody",
}


async def answer_config(request: Request, world: InquiryWorld) -> str:
    """Two tables: what somebody has set, and folded what is usual.

    Raises `Refused` with every line that is wrong where the file cannot be used.
    """
    place = world.place
    commit = await find_head(place)
    async with open_snapshot(request, commit, place) as snapshot:
        repo_file = await asyncio.to_thread(load_repo_file, snapshot)
    effective = make_effective(repo_file, place.runs.settings)
    rows = find_rows(effective)
    chosen = [row for row in rows if row.origin != "default"]
    usual = [row for row in rows if row.origin == "default"]
    file = in_code(REPO_FILES[0])
    head = f"### ⚙️ Configuration at {escape.code(commit[:12])}"
    said = (
        f"{numbers.plural(len(chosen), 'key')} set; a command's own words go before all of them."
        if chosen
        else f"Nobody has set anything: there is no {file} that says something else."
    )
    before, after = details(f"{numbers.plural(len(usual), 'key')} with the usual value")
    parts = [
        Blocks(_lines(chosen), "*Shortened.*", before=_HEAD),
        Blocks(_usual_lines(usual), "*Shortened.*", before=before + _USUAL_HEAD, after=after),
    ]
    note = (
        f"<sub>A repository sets these in {file} on its default branch. Of money the least holds: "
        "a repository may lower the operator's limits and not raise them.</sub>"
    )
    judges = split_judges(effective.judge.value)
    return fit([head, said, *tell_relatives(judges, effective.models.value)], parts, [note])


_USUAL_HEAD = "| Key | Value |\n|:--|:--|\n"
_HEAD = "| Key | Value | Set by |\n|:--|:--|:--|\n"


def _lines(rows: Sequence[Row]) -> list[str]:
    return [f"| {in_code(row.key)} | {in_code(row.text)} | {_WHO[row.origin]} |" for row in rows]


def _usual_lines(rows: Sequence[Row]) -> list[str]:
    return [f"| {in_code(row.key)} | {in_code(row.text)} |" for row in rows]
