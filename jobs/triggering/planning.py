"""From a request to its plan: which skills, queries and models, what is known, what it costs.

Nothing here costs money. What would cost more than a run may is refused until somebody with
the right to spend has said yes.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from config.effective import Effective
from jobs.carrying_out import open_snapshot
from jobs.content.shelf import SkillShelf
from jobs.content.snapshot import Snapshot
from jobs.errors import OverBudget, Refused
from jobs.planning.plan import RefusedRun
from jobs.ports import Comment, Issue
from jobs.requests import Request
from jobs.triggering.choosing import choose_eval_set, choose_skill, find_own_set, read_issue
from jobs.triggering.estimate import Estimate, make_purse
from jobs.triggering.eval_set import EvalSet
from jobs.triggering.installed import find_neighbours
from jobs.triggering.measuring import Measuring
from jobs.triggering.plan import Kind, Subject, TriggerPlan, TriggerRun, make_key, make_options
from jobs.triggering.purse import Purse
from jobs.triggering.pushed import find_pushed_skills
from jobs.triggering.record import TriggerRecord, find_known
from jobs.triggering.world import TriggerRequestWorld
from jobs.values import Model, Skill

MOST_RUNS = 10
"""Measurements of one request; more is a slip of the finger, or of a large push."""
YES = "the line below, in a new comment"
"""How to confirm what costs more than a run may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerPlanner:
    """Makes the plan of one request."""

    request: Request
    issue: Issue | None
    """None where a push asks."""
    snapshot: Snapshot
    shelf: SkillShelf
    comments: Sequence[Comment]
    effective: Effective
    """What holds for this request; a push also has `trigger.models`."""
    world: TriggerRequestWorld
    scratch: Path

    async def make_plan(self) -> TriggerPlan:
        """The measurements that the request means.

        Raises `Refused` where it cannot be carried out as a whole, `OverBudget` where somebody
        must confirm what it costs. What concerns one model, or one skill of a push, is refused
        for itself.
        """
        refused: list[RefusedRun] = []
        if self.issue is None:
            subjects, asked = await self._find_pushed(refused)
        else:
            subjects, asked = [await asyncio.to_thread(self._choose, self.issue)], ()
        models = await self._resolve(asked, refused) if subjects else []
        pairs = [(subject, model) for subject in subjects for model in models]
        if len(pairs) > MOST_RUNS:
            raise Refused(
                f"this asks for {len(pairs)} measurements at once; {MOST_RUNS} is the most."
            )
        runs: list[TriggerRun] = []
        known: list[TriggerRecord] = []
        for subject, model in pairs:
            found = await self._make_run(subject, model, refused)
            if isinstance(found, TriggerRun):
                runs.append(found)
            elif found is not None:
                known.append(found)
        return TriggerPlan(
            request=self.request,
            commit=self.snapshot.commit,
            runs=tuple(runs),
            known=tuple(known),
            refused=tuple(refused),
        )

    def _choose(self, issue: Issue) -> Subject:
        sections = read_issue(issue)
        skill = choose_skill(self.request.skill, sections, self.shelf)
        chosen = choose_eval_set(self.request, skill, sections, self.snapshot)
        return self._make_subject(skill, chosen.eval_set, chosen.source)

    def _make_subject(self, skill: Skill, eval_set: EvalSet, source: str) -> Subject:
        is_alone = self.request.triggering.alone
        return Subject(
            skill=skill,
            neighbours=() if is_alone else find_neighbours(self.shelf, skill),
            eval_set=eval_set,
            source=source,
            launcher=self.effective.launcher.value,
        )

    async def _find_pushed(
        self, refused: list[RefusedRun]
    ) -> tuple[list[Subject], tuple[str, ...]]:
        """What a push asks for; skills without an eval set are passed over."""
        pushed = await find_pushed_skills(
            self.request,
            self.snapshot,
            self.world.place.github,
            lambda commit: open_snapshot(self.request, commit, self.world.place),
        )
        subjects = []
        for skill in pushed.skills:
            try:
                own = await asyncio.to_thread(find_own_set, skill, self.snapshot)
                if own is not None:
                    subjects.append(self._make_subject(skill, own.eval_set, own.source))
            except Refused as problem:
                refused.append(RefusedRun(title=skill.name, reason=str(problem)))
        return subjects, pushed.models

    async def _resolve(self, asked: Sequence[str], refused: list[RefusedRun]) -> list[Model]:
        """The models behind the names, each id once."""
        found: dict[str, Model] = {}
        catalog = self.world.triggers.catalog
        for name in asked or self.effective.models.value:
            try:
                model = await catalog.resolve(name)
            except Refused as problem:
                refused.append(RefusedRun(title=name, reason=str(problem)))
            else:
                found.setdefault(model.sent, model)
        return list(found.values())

    async def _make_run(
        self, subject: Subject, model: Model, refused: list[RefusedRun]
    ) -> TriggerRun | TriggerRecord | None:
        """A measurement, or the earlier one that answers the same; None where it is refused."""
        key = make_key(self.request, subject, model)
        blobs = self.world.triggers.blobs
        if not self.request.force:
            known = await find_known(key, self.comments, blobs)
            if known is not None:
                return known
        asking = f"{self.request.key}|{self.request.asked_at.isoformat()}|{key}|{model.sent}"
        run_id = hashlib.sha256(asking.encode()).hexdigest()[:12]
        kind: Kind = "optimize" if self.request.kind == "optimize" else "trigger"
        measuring = self._make_measuring(subject, model, run_id)
        try:
            estimate = await measuring.estimate(optimizing=kind == "optimize")
            purse = self._make_purse(estimate)
        except Refused as problem:
            refused.append(
                RefusedRun(title=f"{subject.skill.name} on {model.sent}", reason=str(problem))
            )
            return None
        except OverBudget as problem:
            if self.issue is not None:
                raise
            refused.append(RefusedRun(title=subject.skill.name, reason=str(problem)))
            return None
        return TriggerRun(
            run_id=run_id,
            kind=kind,
            skill=subject.skill,
            neighbours=subject.neighbours,
            eval_set=subject.eval_set,
            source=subject.source,
            model=model,
            launcher=subject.launcher,
            key=key,
            prefix=f"runs/{run_id}",
            page_id=secrets.token_hex(16),
            estimate=estimate,
            most_usd=purse.usd,
            most_tokens=purse.tokens,
        )

    def _make_measuring(self, subject: Subject, model: Model, name: str) -> Measuring:
        return Measuring(
            snapshot=self.snapshot,
            skill=subject.skill,
            neighbours=subject.neighbours,
            eval_set=subject.eval_set,
            model=model,
            launcher=subject.launcher,
            options=make_options(self.request, self.world.triggers.settings.queries_at_once),
            world=self.world.triggers,
            scratch=self.scratch / f"estimate-{name}",
            prefix="",
        )

    def _make_purse(self, estimate: Estimate) -> Purse:
        settings = self.world.triggers.settings
        return make_purse(
            estimate,
            max_usd=settings.max_usd_per_run,
            max_tokens=settings.max_tokens_per_run,
            confirmed=self.request.triggering.confirmed,
            how=YES if self.issue is not None else "`--yes` in a command on an issue",
        )
