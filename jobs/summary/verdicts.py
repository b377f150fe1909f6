"""What the judge said of the assertions that a skill's runs do not meet, from what is kept.

A run's result is kept for some weeks; of an older one the report comment on its issue is read, and
where there is none its archive on GitHub: of a few runs at most, since each is a download.
Everything here was written by models and strangers and is only ever quoted.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

from pydantic import ValidationError

from jobs.again.kept_runs import find_kept_run
from jobs.errors import Gone, Refused
from jobs.judging.blind import call_outputs
from jobs.ports import Comment
from jobs.readings import WORTH, Verdict
from jobs.requests import Value
from jobs.results import RunRecord, RunResult
from jobs.scores import AssertionScore
from jobs.sessions.workspace import remove_tree
from jobs.summary.measured import Measured
from jobs.world import World

MOST_ASSERTIONS = 15
"""Of one run that are shown to the judge; a run that fails more fails for few reasons."""
TEXT_CHARACTERS = 300
REPORT_CHARACTERS = 4_000
MOST_ARCHIVES = 5
"""That one summary of a skill downloads."""


class Unmet(Value):
    """An assertion that the arm with the skill does not meet in every reading."""

    assertion: str
    with_skill: tuple[str, ...]
    without_skill: tuple[str, ...]
    """The verdicts' words, reading after reading."""
    said: str
    """What the judge gave as its reason."""


class Findings(Value):
    """What is known of one run's failures."""

    eval_id: str
    model: str
    unmet: tuple[Unmet, ...] = ()
    more: int = 0
    """Unmet assertions that are not shown."""
    report: str = ""
    """The report's text, where the result itself is not kept any more."""


@dataclass(slots=True)
class VerdictReader:
    """Reads what is kept of runs; each issue's comments are asked for once."""

    world: World
    _comments: dict[int, Sequence[Comment]] = field(default_factory=dict)
    _archives: int = 0

    async def find(self, row: Measured) -> Findings | None:
        """What is known of a run; None where nothing is kept of it."""
        record = row.record
        kept = await self.world.runs.blobs.get(f"runs/{record.run}/ended.json")
        if kept is not None:
            with suppress(ValidationError):  # of another version
                result = RunResult.model_validate_json(kept)
                # the blob store is one for all repositories
                if result.spec.repo.full_name.casefold() == record.repo.casefold():
                    return _from_result(record, result)
        report = await self._find_report(record)
        if report is None:
            return await self._read_archive(record)
        return Findings(
            eval_id=record.eval_id, model=record.model, report=report[:REPORT_CHARACTERS]
        )

    async def _read_archive(self, record: RunRecord) -> Findings | None:
        if self._archives == MOST_ARCHIVES:
            return None
        self._archives += 1
        world = self.world
        folder = world.runs.scratch / f"summary-{uuid4().hex[:12]}"
        await asyncio.to_thread(folder.mkdir, parents=True)
        try:
            found = await find_kept_run(record.run, folder, world, record.repo)
        except (Refused, ValidationError):  # it cannot be read, and is told to be unread
            return None
        finally:
            await asyncio.to_thread(remove_tree, folder)
        return None if found is None else _from_result(record, found.result)

    async def _find_report(self, record: RunRecord) -> str | None:
        """The text of the report comment, if it is still there and our own."""
        if not record.issue:
            return None
        if record.issue not in self._comments:
            try:
                found = await self.world.github.comments(record.issue)
            except Gone:
                found = ()
            self._comments[record.issue] = found
        return next(
            (
                comment.body
                for comment in self._comments[record.issue]
                if comment.by_this_app and comment.url == record.url
            ),
            None,
        )


def _from_result(record: RunRecord, result: RunResult) -> Findings:
    unmet = [one for one in result.assertions if not _is_met(one)]
    return Findings(
        eval_id=record.eval_id,
        model=record.model,
        unmet=tuple(_unmet(one) for one in unmet[:MOST_ASSERTIONS]),
        more=max(len(unmet) - MOST_ASSERTIONS, 0),
    )


def _is_met(score: AssertionScore) -> bool:
    return not any(map(_falls_short, score.with_skill))


def _falls_short(verdict: Verdict) -> bool:
    """Whether something is missing; where nothing could be verified nobody knows."""
    return verdict.worth is not None and verdict.worth < WORTH["pass"]


def _unmet(score: AssertionScore) -> Unmet:
    worst = next(filter(_falls_short, score.with_skill))
    return Unmet(
        assertion=score.assertion.text[:TEXT_CHARACTERS],
        with_skill=tuple(verdict.verdict for verdict in score.with_skill),
        without_skill=tuple(verdict.verdict for verdict in score.without_skill),
        said=call_outputs(worst)[:TEXT_CHARACTERS],
    )
