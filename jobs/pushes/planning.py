"""What is measured because of a push: decided from what was measured before, and what is set.

Nobody has typed a command, so money is spent only where somebody has shown that they want to
know: an eval case goes on with the models that it has results for, and with those that the
repository's file keeps current under `models:`. The bot's own default model is never taken.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from config.effective import Effective, make_effective
from config.repo_file import RepoFile
from jobs.choosing.evals import KnownEval, find_evals, find_issue_number, with_skills
from jobs.choosing.history import Conditions, Histories, History, read_ledger
from jobs.content.cases import find_case
from jobs.content.shelf import SkillShelf
from jobs.content.snapshot import Snapshot
from jobs.content.text import quoted
from jobs.errors import Gone, Refused, Suspended
from jobs.planning.plan import MOST_RUNS as MOST_RUNS_A_REQUEST
from jobs.pushes.plan import ChangedSkill, PushPlan, PushRow
from jobs.requests import Request
from jobs.results import LONG_AGO, RunRecord, leave_out_pulls
from jobs.sequential.planning import plan_trials
from jobs.usual_modes import USUAL_MODES, find_usual_mode
from jobs.values import EvalCase, Launcher, Model
from jobs.world import World

MOST_RUNS = 20
"""Runs that one push may ask for; the rest is named, and waits for a command or a sweep."""
_LAUNCHERS: Mapping[str, Launcher] = {name: name for name in USUAL_MODES}
"""Those that this version knows, by the name that records have."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A row with how well known its question is: what is known least goes first."""

    row: PushRow
    place: tuple[bool, int, int, datetime, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushPlanner:
    """Plans one push; `after` is the state that it led to, `shelf` the skills in it."""

    request: Request
    after: Snapshot
    shelf: SkillShelf
    repo_file: RepoFile
    world: World

    async def make_plan(self, changed: Sequence[ChangedSkill]) -> PushPlan:
        """The rows of the changed skills, least-benchmarked first.

        Raises `Transient` and `Gone` as GitHub and the ledger do.
        """
        histories = await read_ledger(
            self.request.repo.full_name, self.world.github, self.world.ledger
        )
        wishes: list[_Wish] = []
        left_out: list[str] = []
        cases = await self._find_cases(histories)
        left_out += self._find_clashes([case for case, _ in cases], changed, histories.records)
        for known in await self._with_skills(cases):
            history = await histories.read(known.case.id, known.issue)
            for skill in changed:
                if skill.path in {one.path for one in known.skills}:
                    wishes += await self._wishes(known, skill, history, left_out)
        wishes.sort(key=lambda wish: wish.place)
        rows = [wish.row for wish in wishes]
        wanted = [row for row in rows if not row.is_known]
        if more := wanted[MOST_RUNS:]:
            left_out.append(_say_left_out(more))
        asked = _in_requests(self.request, wanted[:MOST_RUNS])
        kept = [*asked, *(row for row in rows if row.is_known)]
        return PushPlan(
            repo=self.request.repo,
            before=self.request.before or "",
            after=self.request.after,
            asked_at=self.request.asked_at,
            changed=tuple(changed),
            rows=tuple(kept),
            left_out=tuple(dict.fromkeys(left_out)),
        )

    async def _find_cases(self, histories: Histories) -> list[tuple[EvalCase, int]]:
        """The cases in files and labelled issues, and those of open issues that have results."""
        cases = await find_evals(self.after, self.shelf, self.repo_file, self.world.github)
        ids = {case.id for case, _ in cases}
        measured = {find_issue_number(record.eval_id) for record in histories.records}
        for number in sorted(measured - {0} - {find_issue_number(one) for one in ids}):
            if (case := await self._read_issue(number)) is not None:
                cases.append((case, number))
        return cases

    async def _with_skills(self, cases: Sequence[tuple[EvalCase, int]]) -> list[KnownEval]:
        settings = self.world.runs.settings
        found = [
            await asyncio.to_thread(with_skills, case, issue, self.after, self.shelf, settings)
            for case, issue in cases
        ]
        return [known for known in found if known is not None]

    def _find_clashes(
        self,
        cases: Sequence[EvalCase],
        changed: Sequence[ChangedSkill],
        records: Sequence[RunRecord],
    ) -> Iterator[str]:
        """Why a case that may mean a changed skill is not measured: which one is not clear."""
        names = {name for skill in changed for name in (skill.name, PurePosixPath(skill.path).name)}
        measured = {record.eval_id for record in records}
        for case in cases:
            if not (self.repo_file.models or case.id in measured):
                continue  # nobody has asked
            for name in names.intersection(case.target_skills):
                try:
                    self.shelf.find(name)
                except Refused as clash:
                    yield f"{quoted(case.id)} was left out. {clash}"

    async def _read_issue(self, number: int) -> EvalCase | None:
        """The case of an issue that was measured once, if it is one still and is open."""
        try:
            issue = await self.world.github.issue(number)
        except Suspended:
            raise
        except Gone:
            return None
        if issue.is_pull_request or not issue.is_open:
            return None
        with suppress(Refused):
            return await asyncio.to_thread(
                find_case, f"github-issue-{number}", self.after, self.shelf, issue
            )
        return None

    async def _wishes(
        self, known: KnownEval, skill: ChangedSkill, history: History, left_out: list[str]
    ) -> list[_Wish]:
        found: dict[tuple[str, Launcher], _Wish] = {}
        for asked, launcher in self._models(skill, history):
            try:
                model = await self.world.runs.catalog.resolve(asked)
            except Refused as refusal:
                left_out.append(str(refusal))
                continue
            row = self._row(known, skill, history, model, launcher)
            place = (
                *(not history.is_readable, history.count(model.identity), history.count()),
                *(history.last_run or LONG_AGO, known.case.id, model.sent),
            )
            found.setdefault((model.identity, launcher), _Wish(row, place))
        return list(found.values())

    def _models(self, skill: ChangedSkill, history: History) -> Iterator[tuple[str, Launcher]]:
        """Those it has results for, by the id that was sent, then those that are set."""
        for record in reversed(leave_out_pulls(history.records)):
            launcher = _LAUNCHERS.get(record.launcher)
            if launcher is not None and self._is_about(record, skill):
                yield record.model, launcher
        for asked in self.repo_file.models:
            yield asked, self._effective.launcher.value

    @property
    def _effective(self) -> Effective:
        return make_effective(self.repo_file, self.world.runs.settings)

    def _is_about(self, record: RunRecord, skill: ChangedSkill) -> bool:
        """Whether a result is of this skill, where it lies now or where it lay before a move."""
        if record.skill == skill.path:
            return True
        is_gone = record.skill not in {one.path for one in self.shelf.skills}
        return is_gone and PurePosixPath(record.skill).name == PurePosixPath(skill.path).name

    def _row(
        self,
        known: KnownEval,
        skill: ChangedSkill,
        history: History,
        model: Model,
        launcher: Launcher,
    ) -> PushRow:
        row = PushRow(
            eval_id=known.case.id,
            issue=known.issue,
            skill=skill,
            model=model.sent,
            model_identity=model.identity,
            launcher=launcher,
            previous=_newest(
                one
                for one in leave_out_pulls(history.records)
                if (one.model_identity, one.launcher) == (model.identity, launcher)
                and self._is_about(one, skill)
                and one.skill_sha != skill.sha
                and not one.canary_passed
            ),
        )
        trials = plan_trials(self._effective.how_often, is_one_of_several=False)
        mode = find_usual_mode(launcher, known.case)
        conditions = Conditions(launcher, mode, known.environment, *trials)
        measured = next(one for one in known.skills if one.path == skill.path)
        if history.covers(known.case, measured, model.identity, conditions):
            same = (one for one in history.records if _is_same(one, row, known.case.digest))
            return row.model_copy(update={"is_known": True, "known": _newest(same)})
        return row


def make_requests(plan: PushPlan, asking: Request) -> list[Request]:
    """One request for each eval case, skill and launcher, in the order of the plan's rows."""
    models: dict[str, list[PushRow]] = {}
    for row in plan.rows:
        if row.request:
            models.setdefault(row.request, []).append(row)
    return [
        Request(
            key=key,
            repo=asking.repo,
            issue=rows[0].issue,
            asker=asking.asker,
            origin="push",
            models=tuple(row.model for row in rows),
            skill=rows[0].skill.path,
            eval_id=rows[0].eval_id,
            launcher=rows[0].launcher,
            before=asking.before,
            after=asking.after,
            asked_at=asking.asked_at,
        )
        for key, rows in models.items()
    ]


def _in_requests(asking: Request, rows: Sequence[PushRow]) -> list[PushRow]:
    """The rows with the keys of their requests: those of one eval, skill and launcher together."""
    counts: dict[str, int] = {}
    found = []
    for row in rows:
        what = f"{row.eval_id}|{row.skill.path}|{row.skill.sha}|{row.launcher}"
        number = counts[what] = counts.get(what, -1) + 1
        key = _key_of(asking, f"{what}|{number // MOST_RUNS_A_REQUEST}")
        found.append(row.model_copy(update={"request": key}))
    return found


def _key_of(asking: Request, what: str) -> str:
    what = f"{asking.asked_at.isoformat()}|{what}"
    digest = hashlib.sha256(what.encode("utf-8", "replace")).hexdigest()[:16]
    place = asking.repo.full_name
    return f"changed:{place}:{(asking.before or '')[:8]}-{asking.after[:12]}:{digest}"


def _newest(records: Iterator[RunRecord]) -> RunRecord | None:
    return max(records, key=lambda one: (one.ended_at, one.run), default=None)


def _is_same(record: RunRecord, row: PushRow, eval_digest: str) -> bool:
    return (record.eval_digest, record.skill_sha, record.model_identity, record.launcher) == (
        *(eval_digest, row.skill.sha, row.model_identity, row.launcher),
    )


def _say_left_out(rows: Sequence[PushRow]) -> str:
    counts = Counter(row.eval_id for row in rows)
    evals = [f"{quoted(eval_id)} ({count})" for eval_id, count in counts.items()]
    more = f" and {len(evals) - 10} more" if len(evals) > 10 else ""
    return (
        f"{len(rows)} more runs than the {MOST_RUNS} that one push asks for were left out: "
        f"{', '.join(evals[:10])}{more}. Ask for them with a label or the command `run`."
    )
