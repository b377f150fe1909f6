"""What a repository has measured and what not: every eval case, for a model that is asked about.

Costs reads of GitHub and no money.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from config.effective import make_effective
from config.repo_file import RepoFile
from config.settings import Settings
from jobs.choosing.evals import KnownEval, find_evals, with_skills
from jobs.choosing.history import Conditions, History, read_ledger
from jobs.choosing.next_eval import Standing
from jobs.content.repo_file import load_repo_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import Transient
from jobs.ports import GitHub, Ledger
from jobs.requests import Repo
from jobs.sequential.planning import Trials, plan_trials
from jobs.usual_modes import find_usual_mode
from jobs.values import Launcher, Model


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a survey looks."""

    github: GitHub
    ledger: Ledger
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What there is to choose from at one commit."""

    repo: Repo
    commit: str
    evals: tuple[KnownEval, ...]
    histories: Mapping[str, History]
    """By id of the case."""
    launcher: Launcher
    trials: Trials
    models: tuple[str, ...]
    """To keep current, as typed."""

    def standings(self, model: Model) -> list[Standing]:
        """Where each case stands for a model."""
        return [self._standing(one, model) for one in self.evals]

    def _standing(self, known: KnownEval, model: Model) -> Standing:
        history = self.histories[known.case.id]
        mode = find_usual_mode(self.launcher, known.case)
        conditions = Conditions(self.launcher, mode, known.environment, *self.trials)
        missing = [
            skill
            for skill in known.skills
            if not history.covers(known.case, skill, model.identity, conditions)
        ]
        versions = sorted(skill.sha for skill in known.skills)
        parts = [
            *(self.repo.full_name.casefold(), known.case.id, known.case.digest, *versions),
            *(model.identity, *map(str, conditions[:4])),
            *([conditions.until_sure] if conditions.until_sure else []),
        ]
        return Standing(
            eval_id=known.case.id,
            issue=known.issue,
            is_pending=bool(missing),
            is_readable=history.is_readable,
            completed=history.count(model.identity),
            completed_in_all=history.count(),
            last_run=history.last_run,
            claim=hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40],
        )


async def make_survey(repo: Repo, snapshot: Snapshot, sources: Sources) -> Survey:
    """Look at everything once.

    Raises `Refused` for a repository's file that cannot be used, or asks for what cannot be,
    `Transient` where the history of no case at all can be read, and `Gone` as GitHub does.
    """
    settings, github = sources.settings, sources.github
    repo_file: RepoFile = await asyncio.to_thread(load_repo_file, snapshot)
    shelf = await asyncio.to_thread(find_skills, snapshot, repo_file)
    cases = await find_evals(snapshot, shelf, repo_file, github)
    evals = []
    for case, issue in cases:
        known = await asyncio.to_thread(with_skills, case, issue, snapshot, shelf, settings)
        if known is not None:
            evals.append(known)
    reader = await read_ledger(repo.full_name, github, sources.ledger)
    histories = {one.case.id: await reader.read(one.case.id, one.issue) for one in evals}
    on_issues = [histories[one.case.id].is_readable for one in evals if one.issue]
    if on_issues and not any(on_issues):
        raise Transient("the comments of no eval case can be read")
    effective = make_effective(repo_file, settings)
    return Survey(
        repo=repo,
        commit=snapshot.commit,
        evals=tuple(evals),
        histories=histories,
        launcher=effective.launcher.value,
        trials=plan_trials(effective.how_often, is_one_of_several=False),
        models=effective.models.value,
    )
