"""Carries out a `summary`: which skills, what is known of them, why they fail, one comment.

Asked on an issue it is answered there; asked by a schedule, each skill has one issue of the
App's own that is brought up to date. What costs money is paid once (`jobs.summary.drafting`).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from config.effective import make_effective
from jobs.answers import answer
from jobs.budgets import within_budgets
from jobs.calibration.history import JudgeHistory, find_histories
from jobs.calibration.series import series_key
from jobs.carrying_out import begin, carry_out_answered, find_head, open_snapshot
from jobs.conclusions.telling import find_sets_now
from jobs.conclusions.thresholds import Thresholds
from jobs.content.issue_case import draft_from_issue
from jobs.content.repo_file import load_repo_file
from jobs.content.shelf import SkillShelf
from jobs.content.skill_names import settle_names
from jobs.content.skills import find_skills
from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.judging.judges import split_judges
from jobs.keeping import request_folder
from jobs.labels import KEPT
from jobs.leaks.history import GuessHistory, find_guess_histories
from jobs.ports import Issue
from jobs.pull_requests.merged import settle_merged
from jobs.requests import Request
from jobs.results import RunRecord, leave_out_pulls
from jobs.summary.drafting import draft_patterns
from jobs.summary.measured import Measured, Measurements, find_measurements
from jobs.summary.report import SkillSummary, render_nothing, render_summary
from jobs.summary.scorecard import find_scorecards
from jobs.summary.verdicts import VerdictReader
from jobs.summary.weak import MOST_ARCHIVES
from jobs.weak_evals.past_runs import ArchiveReader, ResultReader, WeakEval, find_weak_evals
from jobs.world import World

MOST_SKILLS = 8
"""In one summary, since each may ask the judge."""


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Carry out a request and answer whoever asked, as `jobs.benchmark.carry_out` does."""
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    issue = await world.github.issue(request.issue) if request.issue else None
    if not await begin(request, world):
        return
    records = await world.ledger.records(request.repo.full_name)
    commit = await find_head(world)
    async with open_snapshot(request, commit, world) as snapshot:
        repo_file = await asyncio.to_thread(load_repo_file, snapshot)
        shelf = await asyncio.to_thread(find_skills, snapshot, repo_file)
        records = leave_out_pulls(await settle_merged(records, shelf.skills, world.ledger))
        skills = choose_skills(request, issue, shelf, records)
    world = within_budgets(request, repo_file, world)
    effective = make_effective(repo_file, world.runs.settings, request)
    judge = split_judges(effective.judge.value)[0]
    summing = _Summing(request=request, records=records, shelf=shelf, judge=judge, world=world)
    summaries = [await summing.sum_up(skill) for skill in skills[:MOST_SKILLS]]
    found = [one for one in summaries if one.measurements.rows]
    mention = effective.mention.value
    left_out = max(len(skills) - MOST_SKILLS, 0)
    if issue is None:
        await _keep_issues(found, mention, world)
    elif found:
        body = render_summary(found, mention=mention, left_out=left_out)
        await answer(request, body, world, good=True)
    else:
        await answer(request, render_nothing(skills, mention=mention), world, good=False)
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")


def choose_skills(
    request: Request, issue: Issue | None, shelf: SkillShelf, records: Sequence[RunRecord]
) -> list[str]:
    """Paths of the skills that a summary is of: the named one, the issue's, else all measured.

    Raises `Refused` for a name that neither the repository nor any run knows.
    """
    measured = sorted({record.skill for record in records if record.vs == "none"})
    if request.skill:
        if shelf.knows(request.skill):
            return [shelf.find(request.skill).path]
        gone = request.skill.strip("/ `")
        if gone in measured:
            return [gone]
        shelf.find(request.skill)  # says which names are near
        raise Refused(f"{quoted(request.skill)} is no skill.")
    if issue is not None:
        draft = draft_from_issue(issue.number, issue.body)
        names, _ = settle_names(draft.skills, shelf)
        own = [shelf.find(name).path for name in names if shelf.knows(name)]
        if not own:
            number = f"github-issue-{issue.number}"
            own = sorted({record.skill for record in records if record.eval_id == number})
        if own:
            return list(dict.fromkeys(own))
    return measured


@dataclass(frozen=True, slots=True, kw_only=True)
class _Summing:
    """What the summaries of one request have in common."""

    request: Request
    records: Sequence[RunRecord]
    shelf: SkillShelf
    judge: str
    """As somebody typed it."""
    world: World

    async def sum_up(self, skill: str) -> SkillSummary:
        """One skill's summary; where nothing fails, or nothing is known, nobody is asked."""
        measurements = find_measurements(self.records, skill)
        reader = VerdictReader(self.world)
        findings, unread = [], list[Measured]()
        for row in measurements.rows:
            found = await reader.find(row)
            if found is None:
                unread.append(row)
            else:
                findings.append(found)
        return SkillSummary(
            skill=skill,
            sha=self.shelf.find(skill).sha if self.shelf.knows(skill) else "",
            measurements=measurements,
            scorecards=find_scorecards(measurements.rows),
            sets=await find_sets_now(self.records, skill, self.world.runs.settings),
            limits=Thresholds.of(self.world.runs.settings),
            drafted=await draft_patterns(skill, findings, self.request, self.judge, self.world),
            judge=self.judge,
            unread=unread,
            histories=await self._find_histories(measurements),
            guesses=await self._find_guesses(skill),
            weak=await self._find_weak(measurements),
        )

    async def _find_histories(self, measurements: Measurements) -> list[JudgeHistory]:
        """The judges of these runs, over all runs of the repository in the same series."""
        series = {series_key(row.record) for row in measurements.rows}
        records = [one for one in self.records if series_key(one) in series]
        return await asyncio.to_thread(find_histories, records)

    async def _find_guesses(self, skill: str) -> list[GuessHistory]:
        """The guesses about the skill's outputs, whichever version made them."""
        records = [one for one in self.records if one.skill == skill]
        return await asyncio.to_thread(find_guess_histories, records)

    async def _find_weak(self, measurements: Measurements) -> list[WeakEval]:
        names = [row.record.eval_id for row in measurements.rows]
        archives = ArchiveReader(self.world, MOST_ARCHIVES)
        reader = ResultReader(self.world.runs.blobs, archives)
        return await find_weak_evals(self.records, reader, names)


async def _keep_issues(summaries: Sequence[SkillSummary], mention: str, world: World) -> None:
    """One issue for each skill, found again by its tag."""
    for summary in summaries:
        title = f"skillbench: summary of {' '.join(summary.skill.split())[:150]}"
        body = render_summary([summary], mention=mention)
        await world.github.keep_issue(title, body, label=KEPT, tag=f"summary:{summary.skill}")
