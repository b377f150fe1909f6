"""Carries out a `digest`: one issue for each week in which something was measured.

Costs no money. The issue of the week is found again by its tag and brought up to date; those of
earlier weeks are closed, and stay to be read. A week without a run opens and closes nothing.
"""

import asyncio
from collections.abc import Sequence

from jobs.answers import answer
from jobs.carrying_out import begin, carry_out_answered, find_head, open_snapshot
from jobs.content.repo_file import load_repo_file
from jobs.content.skills import find_skills
from jobs.keeping import request_folder
from jobs.labels import KEPT
from jobs.pull_requests.merged import settle_merged
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, details, fit
from jobs.requests import Request
from jobs.summary.report import NAME, render_eval
from jobs.summary.week import Moved, Week, find_week
from jobs.world import World

TAGS = "digest:"
_HEAD = "| Eval case | Skill | Model | Before | Now | Change | |\n|:--|:--|:--|--:|--:|:--|:--|\n"


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Carry out a request and answer whoever asked, as `jobs.benchmark.carry_out` does."""
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    if not await begin(request, world):
        return
    records = await world.ledger.records(request.repo.full_name)
    commit = await find_head(world)
    async with open_snapshot(request, commit, world) as snapshot:
        repo_file = await asyncio.to_thread(load_repo_file, snapshot)
        shelf = await asyncio.to_thread(find_skills, snapshot, repo_file)
        records = await settle_merged(records, shelf.skills, world.ledger)
        shas = {skill.path: skill.sha for skill in shelf.skills}
    mention = repo_file.mention or world.runs.settings.mention
    week = find_week(records, shas, request.asked_at)
    url = await _keep_issue(week, mention, world) if week.runs else ""
    if request.issue:
        said = f"[The week's issue]({escape.address(url)})" if url else "Nothing was run this week"
        await answer(request, f"### 🗓️ {week.name}\n\n{said}.\n", world, good=True)
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")


async def _keep_issue(week: Week, mention: str, world: World) -> str:
    """The week's issue, with those of earlier weeks closed; gives its address."""
    last = f"{week.end:%Y-%m-%d}"
    title = f"skillbench: week {week.name}, {week.begin:%Y-%m-%d} to {last}"
    tag = f"{TAGS}{week.name}"
    body = render_week(week, mention=mention)
    issue = await world.github.keep_issue(title, body, label=KEPT, tag=tag)
    await world.github.close_issues(label=KEPT.name, tags_begin=TAGS, but=tag)
    return issue.url


def render_week(week: Week, *, mention: str) -> str:
    """The text of the week's issue."""
    ups, downs = (sum(getattr(one, name) for one in week.moved) for name in ("is_up", "is_down"))
    others = sum(one.is_other for one in week.moved)
    firsts = sum(one.before is None for one in week.moved) - others
    spent = numbers.usd(None if week.unpriced == week.runs else week.usd)
    if 0 < week.unpriced < week.runs:
        spent += f", and {numbers.plural(week.unpriced, 'run')} of unknown price"
    unscored = f"{numbers.plural(week.unscored, 'run')} came to no score"
    counts = f"{ups} up, {downs} down, {firsts} for the first time"
    counts += f", {others} not comparable with before" if others else ""
    top = [
        f"### 🗓️ {numbers.plural(week.runs, 'run')}: {counts}",
        f"{unscored if week.unscored else 'Every run came to a score'}. Spent: {spent}.",
    ]
    parts = [Blocks([_row(one) for one in _ordered(week.moved)], "*Shortened.*", before=_HEAD)]
    if week.stale:
        before, after = details(
            f"Measured on an earlier version of their skill ({len(week.stale)})"
        )
        items = [
            f"- {render_eval(row)} with {escape.code(row.record.skill, NAME)} on "
            f"{escape.code(row.record.model, NAME)}"
            for row in week.stale
        ]
        parts.append(Blocks(items, "*Shortened.*", before=before, after=after))
    bottom = (
        "<sub>Up and down: by how much the skill is ahead, now against the latest run before this "
        "week by the same judge under the same conditions; one run each, so small moves may be "
        "chance. This issue is closed when the next "
        f"one is opened. All commands: {escape.code(mention + ' help')}</sub>"
    )
    return fit(top, parts, [bottom]) + "\n"


def _ordered(moved: Sequence[Moved]) -> list[Moved]:
    """What went down first, then what went up, each by how far."""
    return sorted(moved, key=lambda one: (not one.is_down, not one.is_up, -abs(one.change)))


def _row(one: Moved) -> str:
    record = one.now.record
    before = numbers.signed_points(one.before.difference) if one.before else "—"
    if one.before is None:
        change = "not comparable" if one.is_other else "new"
    elif one.is_up or one.is_down:
        change = f"{'▲' if one.is_up else '▼'} {numbers.points(one.change)}"
    else:
        change = "="
    url = escape.address(record.url)
    cells = [
        render_eval(one.now),
        escape.code(record.skill, NAME),
        escape.code(record.model, NAME),
        before,
        numbers.signed_points(one.now.difference),
        change,
        f"[report]({url})" if url else "—",
    ]
    return f"| {' | '.join(cells)} |"
