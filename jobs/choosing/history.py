"""What was measured before: from the ledger, and from the comments on an eval case's issue.

The same word is believed as by dedup: the App's own markers, and older reports of the App or of
people who may write. A run that both tell of counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import structlog

from jobs.errors import Gone, Suspended, Transient
from jobs.planning.dedup import Known, has_enough_trials, kept, legacy_records, own_records
from jobs.planning.markers import LegacyRecord
from jobs.planning.model_names import identity
from jobs.ports import Comment, GitHub, Ledger
from jobs.results import RunRecord, leave_out_pulls
from jobs.sequential.stop import Unit
from jobs.values import EvalCase, Launcher, Mode, Skill

log = structlog.get_logger()


class Conditions(NamedTuple):
    """How the runs are made that are to be kept current."""

    launcher: Launcher
    mode: Mode
    environment: str
    """Digest of the environment; empty: the plain sandbox."""
    trials: int
    until_sure: Unit | None = None
    """As a run has it; the trials are then their cap."""


@dataclass(frozen=True, slots=True)
class History:
    """The finished comparisons of one eval case with and without its skills.

    A pull request's run counts for nothing but the very version that it measured.
    """

    records: tuple[RunRecord, ...] = ()
    older: tuple[tuple[LegacyRecord, datetime], ...] = ()
    """Those of the earlier runner, and when they were told."""
    is_readable: bool = True

    def count(self, model_identity: str | None = None) -> int:
        """How many there are, of one model or of all."""
        older = {(identity(one.model), at) for one, at in self.older}  # a report may say it twice
        records = leave_out_pulls(self.records)
        models = [one.model_identity for one in records] + [model for model, _ in older]
        return len(models) if model_identity is None else models.count(model_identity)

    @property
    def last_run(self) -> datetime | None:
        """When the last one ended, as far as it is known."""
        records = leave_out_pulls(self.records)
        ended = [one.finished_at for one in records if one.finished_at is not None]
        return max([*ended, *(at for _, at in self.older)], default=None)

    def covers(
        self, case: EvalCase, skill: Skill, model_identity: str, conditions: Conditions
    ) -> bool:
        """Whether the case was measured as it is now, with this skill as it is now."""
        is_measured = any(
            (one.eval_digest, one.skill_sha, one.model_identity, *_conditions(one))
            == (case.digest, skill.sha, model_identity, *conditions[:3])
            and has_enough_trials(one, conditions.trials, conditions.until_sure)
            for one in self.records
        )
        return is_measured or any(
            conditions.trials == 1
            and skill.legacy_sha.startswith(one.sha)
            and identity(one.model) == model_identity
            for one, _ in self.older
        )


def _conditions(record: RunRecord) -> tuple[str, str, str]:
    return record.launcher, record.mode, record.environment


@dataclass(slots=True)
class Histories:
    """Reads the histories of a repository's eval cases; make it with `read_ledger`."""

    github: GitHub
    ledger: Ledger
    records: Sequence[RunRecord]
    """Every run that the ledger knows of the repository."""

    async def read(self, eval_id: str, issue: int) -> History:
        """The history of a case; `issue` is 0 where there is none to look at.

        What cannot be read on GitHub is named once in the log, and what the ledger knows is
        given. Raises `Suspended` as GitHub does.
        """
        found = {one.run: one for one in self.records if _is_of(one, eval_id)}
        older: list[tuple[LegacyRecord, datetime]] = []
        is_readable = True
        try:
            comments = await self.github.comments(issue) if issue else ()
            known = Known(comments=comments, permission=self.github.permission, ledger=self.ledger)
            for comment in comments:
                for record in own_records(comment, known):
                    if _is_of(record, eval_id):
                        found.setdefault(record.run, _dated(record, comment))
                older += [
                    (one, comment.created_at)
                    for one in legacy_records(comment, known)
                    if one.eval_id in {None, eval_id} and await _is_believed(comment, known)
                ]
        except Suspended:
            raise
        except (Gone, Transient) as trouble:
            log.warning("eval_history_unreadable", eval_id=eval_id, problem=str(trouble))
            is_readable = False
        return History(tuple(found.values()), tuple(older), is_readable)


async def read_ledger(repo: str, github: GitHub, ledger: Ledger) -> Histories:
    """Histories of a repository's eval cases. Raises `Transient` where the ledger is away."""
    return Histories(github, ledger, await ledger.records(repo))


def _is_of(record: RunRecord, eval_id: str) -> bool:
    """Whether a run compared the case with and without a skill, to its end."""
    is_complete = record.state == "complete" and record.score is not None
    return is_complete and record.vs == "none" and record.eval_id == kept(eval_id)


def _dated(record: RunRecord, comment: Comment) -> RunRecord:
    """The record; where it does not say when its run ended, its report does."""
    if record.finished_at is not None:
        return record
    return record.model_copy(update={"finished_at": comment.created_at})


async def _is_believed(comment: Comment, known: Known) -> bool:
    return comment.by_this_app or await known.may_write(comment.author)
