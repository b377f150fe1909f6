"""What a request means: which runs, which of them are done already, which cannot be.

Decides only; nothing here costs money. Everything that a run's result depends on is
pinned in its `RunSpec`, so that carrying the plan out twice is the same work.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from config.effective import make_effective
from config.settings import Settings
from jobs.content.repo_file import load_repo_file
from jobs.content.shelf import SkillShelf
from jobs.content.snapshot import Snapshot
from jobs.content.text import quoted
from jobs.conversation import ModelCatalog
from jobs.environments.pinned import Environment
from jobs.errors import Refused
from jobs.judging.judges import resolve_judges
from jobs.planning.asked_case import find_asked_case
from jobs.planning.dedup import Duplicate, Known, find_duplicate, record_key
from jobs.planning.environment import plan_environment
from jobs.planning.versus import OtherVersions, Versions, Versus
from jobs.ports import Issue
from jobs.requests import Request, Value
from jobs.sequential.planning import Trials, plan_trials
from jobs.usual_modes import find_usual_mode
from jobs.values import EvalCase, Launcher, Model, RunSpec, Skill

MOST_RUNS = 10
"""Runs of one request; more is a slip of the finger or somebody else's money."""


class RefusedRun(Value):
    """A part of the request that cannot be run, and why."""

    title: str
    reason: str


class Plan(Value):
    """Everything a request will do, before anything of it is done."""

    request: Request
    commit: str
    runs: tuple[RunSpec, ...]
    duplicates: tuple[Duplicate, ...]
    refused: tuple[RefusedRun, ...]
    environment: Environment | None = None
    """Where the sessions of every run take place; None: the plain sandbox."""
    notes: tuple[str, ...] = ()
    """What whoever asked should know before it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanInput:
    """What a plan is made from: the request, the commit's content, what is known."""

    request: Request
    issue: Issue
    snapshot: Snapshot
    shelf: SkillShelf
    known: Known
    check: Callable[[RunSpec], None]
    """Whether the launcher can carry a run out; raises `Refused`."""
    versions: Versions | None = None
    """Where other versions of a skill are found; None: nowhere."""
    rules: Snapshot | None = None
    """Where the repository's file and its environments are read; None: where the eval case is."""
    tested: SkillShelf | None = None
    """The skills under test, where they come from another commit than the eval case."""
    is_one_of_several: bool = False
    """Whether other eval cases of the same request are planned beside it."""

    @property
    def skills(self) -> SkillShelf:
        """Where the skills under test are looked up."""
        return self.tested or self.shelf


async def make_plan(given: PlanInput, catalog: ModelCatalog, settings: Settings) -> Plan:
    """The runs that a request means.

    Raises `Refused` where the request as a whole cannot be carried out: no eval case, no
    environment, no judge, too many runs. What concerns one model or one skill is refused for
    itself.
    """
    request = given.request
    case = await asyncio.to_thread(
        find_asked_case, request, given.snapshot, given.shelf, given.issue
    )
    rules = given.rules or given.snapshot
    repo_file = await asyncio.to_thread(load_repo_file, rules)
    environment = await asyncio.to_thread(
        plan_environment, request.environment, case, rules, settings
    )
    refused: list[RefusedRun] = []
    skills = _collect(
        (request.skill,) if request.skill else case.target_skills, given.skills.find, refused
    )
    notes = list(_find_strangers(skills, case, given.skills))
    case = case.model_copy(update={"remarks": (*case.remarks, *notes)})
    effective = make_effective(repo_file, settings, request)
    models = await _resolve_all(effective.models.value, catalog, refused)
    pairs = await _find_others(skills, given, refused)
    if not models or not pairs:
        return _plan(given, (), (), refused, environment)
    choice = _Choice(
        judges=await resolve_judges(effective.judge.value, catalog),
        launcher=effective.launcher.value,
        environment=environment,
        trials=plan_trials(effective.how_often, is_one_of_several=given.is_one_of_several),
        baseline_days=repo_file.baseline.max_age_days,
        canaries=repo_file.canaries,
        guesser=repo_file.guesser,
    )
    specs = [_spec(given, case, pair, model, choice) for pair in pairs for model in models]
    notes += [pair.versus.note for pair in pairs if pair.versus.note]
    if len(specs) > MOST_RUNS:
        raise Refused(
            f"this asks for {len(specs)} runs at once; {MOST_RUNS} is the most. "
            "Name fewer models, or one skill with `--skill`."
        )
    possible = _collect_possible(specs, given.check, refused)
    runs, duplicates = await _split_done(possible, given)
    plan = _plan(given, runs, duplicates, refused, environment)
    return plan.model_copy(update={"notes": tuple(notes)})


async def _find_others(
    skills: Sequence[Skill], given: PlanInput, refused: list[RefusedRun]
) -> "list[_Pair]":
    """Each skill with what it is compared with, where there is something to compare."""
    others = OtherVersions(given.request.vs, given.versions)
    pairs = []
    for skill in skills:
        try:
            versus = await others.find(skill, given.skills.snapshot.commit)
            pairs.append(_Pair(skill, versus))
        except Refused as error:
            refused.append(RefusedRun(title=skill.name, reason=str(error)))
    return pairs


def _find_strangers(skills: Sequence[Skill], case: EvalCase, shelf: SkillShelf) -> Iterator[str]:
    """A sentence on each skill that the case does not name."""
    named = {skill.path for skill in _collect(case.target_skills, shelf.find, [])}
    for skill in skills:
        if skill.path not in named:
            about = ", ".join(quoted(name) for name in case.target_skills[:3])
            yield (
                f"The eval case is about {about}; {quoted(skill.name)} was named in the request "
                "and is measured with it all the same."
            )


def _collect_possible(
    specs: Sequence[RunSpec], check: Callable[[RunSpec], None], refused: list[RefusedRun]
) -> list[RunSpec]:
    """The runs that their launcher can carry out."""
    possible = []
    for spec in specs:
        try:
            check(spec)
        except Refused as error:
            title = f"{spec.skill.name} on {spec.model.sent}"
            refused.append(RefusedRun(title=title, reason=str(error)))
        else:
            possible.append(spec)
    return possible


async def _split_done(
    specs: Sequence[RunSpec], given: PlanInput
) -> tuple[tuple[RunSpec, ...], tuple[Duplicate, ...]]:
    if given.request.force:
        return tuple(specs), ()
    runs, duplicates = [], []
    for spec in specs:
        duplicate = await find_duplicate(spec, given.known)
        if duplicate is None:
            runs.append(spec)
        else:
            duplicates.append(duplicate)
    return tuple(runs), tuple(duplicates)


def _collect(
    names: Sequence[str], find: Callable[[str], Skill], refused: list[RefusedRun]
) -> list[Skill]:
    """The skills behind the names, each once, though it be named by its link as well."""
    found: dict[str, Skill] = {}
    for name in names:
        try:
            skill = find(name)
        except Refused as error:
            refused.append(RefusedRun(title=name, reason=str(error)))
        else:
            found.setdefault(skill.path, skill)
    return list(found.values())


async def _resolve_all(
    asked: Sequence[str], catalog: ModelCatalog, refused: list[RefusedRun]
) -> list[Model]:
    """The models behind the names, each identity once."""
    found: dict[str, Model] = {}
    for name in asked:
        try:
            model = await catalog.resolve(name)
        except Refused as error:
            refused.append(RefusedRun(title=name, reason=str(error)))
        else:
            found.setdefault(model.sent, model)
    return list(found.values())


class _Choice(NamedTuple):
    """Under which conditions every skill and model of a request is tried."""

    judges: tuple[Model, ...]
    launcher: Launcher
    environment: Environment | None
    trials: Trials
    baseline_days: int
    canaries: bool
    guesser: bool


class _Pair(NamedTuple):
    """A skill, and what it is compared with."""

    skill: Skill
    versus: Versus


def _spec(given: PlanInput, case: EvalCase, pair: _Pair, model: Model, choice: _Choice) -> RunSpec:
    request = given.request
    skill, versus = pair
    if versus.note:
        case = case.model_copy(update={"remarks": (*case.remarks, versus.note)})
    spec = RunSpec(
        run_id="",
        repo=request.repo,
        issue=request.issue,
        commit=given.snapshot.commit,
        eval_case=case,
        skill=skill,
        skill_commit=given.tested.snapshot.commit if given.tested else "",
        vs=versus.vs,
        vs_asked=request.vs or "",
        other=versus.other,
        other_commit=versus.other_commit,
        pull=request.issue if request.is_pull_request else 0,
        trials=choice.trials.number,
        until_sure=choice.trials.until_sure,
        baseline_days=choice.baseline_days if versus.vs == "none" else 0,
        canaries=choice.canaries,
        guesser=choice.guesser,
        fresh=request.fresh,
        model=model,
        judge=choice.judges[0],
        other_judges=choice.judges[1:],
        launcher=choice.launcher,
        mode=request.mode or find_usual_mode(choice.launcher, case),
        environment=choice.environment.digest if choice.environment else "",
        asker=request.asker,
        asked_at=request.asked_at,
    )
    asking = f"{request.key}|{request.asked_at.isoformat()}|{record_key(spec)}|{model.sent}"
    run_id = hashlib.sha256(asking.encode()).hexdigest()[:12]
    return spec.model_copy(update={"run_id": run_id})


def _plan(
    given: PlanInput,
    runs: tuple[RunSpec, ...],
    duplicates: tuple[Duplicate, ...],
    refused: Sequence[RefusedRun],
    environment: Environment | None,
) -> Plan:
    return Plan(
        request=given.request,
        commit=given.snapshot.commit,
        runs=runs,
        duplicates=duplicates,
        refused=tuple(refused),
        environment=environment,
    )
