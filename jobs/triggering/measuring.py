"""One measurement of a skill's description, from what was asked to what was found.

Where the asking came from, and where the answer goes, is its caller's to know: the command
line and a comment carry out the same.
"""

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from jobs.content.skills import SKILL_FILE, skill_path
from jobs.content.snapshot import Snapshot
from jobs.conversation import TranscriptSink
from jobs.statistics.intervals import load_statistics
from jobs.triggering.controls import check_harness
from jobs.triggering.defaults import (
    AT_ONCE,
    HOLDOUT,
    MAX_ITERATIONS,
    RUNS_PER_QUERY,
    THRESHOLD,
    TIMEOUT_S,
)
from jobs.triggering.estimate import Estimate, estimate_evaluation, estimate_optimization
from jobs.triggering.eval_set import EvalSet
from jobs.triggering.evaluation import Evaluator, Heard, Terms
from jobs.triggering.front_matter import replace_description
from jobs.triggering.installed import Installed, install_skills
from jobs.triggering.observations import QueryResult
from jobs.triggering.optimization import Optimization
from jobs.triggering.optimizer import Changed, Optimizer
from jobs.triggering.optimizer import Heard as HeardInIteration
from jobs.triggering.proposals import Proposer
from jobs.triggering.purse import Purse
from jobs.triggering.scores import sum_usage
from jobs.triggering.split import Split, split_eval_set
from jobs.triggering.world import TriggerWorld
from jobs.values import Launcher, Limits, Model, Skill

MAX_TURNS = 20
_OUTPUT_TOKENS = 20_000
_TOTAL_TOKENS = 600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to measure; the defaults are the ones that skill-creator's users know."""

    runs_per_query: int = RUNS_PER_QUERY
    threshold: float = THRESHOLD
    at_once: int = AT_ONCE
    timeout_s: float = TIMEOUT_S
    description: str = ""
    """Tried in place of the skill's own; empty: its own."""
    max_iterations: int = MAX_ITERATIONS
    holdout: float = HOLDOUT


@dataclass(frozen=True, slots=True, kw_only=True)
class Measuring:
    """A skill, an eval set, a model, and the place where sessions are held."""

    snapshot: Snapshot
    skill: Skill
    neighbours: tuple[Skill, ...]
    eval_set: EvalSet
    model: Model
    launcher: Launcher
    options: Options
    world: TriggerWorld
    scratch: Path
    prefix: str
    """Where observations are kept; the same for whoever carries this out a second time."""
    _installed: dict[str, Installed] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """The description that is measured, or that an optimization starts from."""
        return self.options.description or self.skill.description

    def split(self) -> Split:
        """The parts of the set. Raises `Refused` where it is too small."""
        return split_eval_set(self.eval_set, holdout=self.options.holdout)

    async def estimate(self, *, optimizing: bool) -> Estimate:
        """What it will take. Raises `Refused` for a skill or a set that cannot be used."""
        # raises what is wrong with the launcher, too, before anybody pays
        self.world.observers.get(self.launcher, self.model)
        await asyncio.to_thread(load_statistics)
        installed = await asyncio.to_thread(self._install, self.description, "first")
        runs = self.options.runs_per_query
        if optimizing:
            await asyncio.to_thread(self._check_file)
            return await asyncio.to_thread(
                estimate_optimization,
                self.split(),
                runs,
                self.options.max_iterations,
                installed,
                self.model,
                self.launcher,
            )
        queries = self.eval_set.queries
        return await asyncio.to_thread(
            estimate_evaluation, queries, runs, installed, self.model, self.launcher
        )

    async def evaluate(
        self, purse: Purse, *, heard: Heard = lambda _: None
    ) -> tuple[QueryResult, ...]:
        """The results of all queries, after the controls.

        Raises `Refused` where the harness is broken, `OverBudget` where the money runs out,
        `Transient` where no session could be carried out.
        """
        evaluator = self._evaluator(purse)
        await check_harness(evaluator, self.scratch)
        installed = await asyncio.to_thread(self._install, self.description, "first")
        return await evaluator.evaluate(
            self.eval_set.queries, installed, round_name="evaluation", heard=heard
        )

    async def optimize(
        self,
        purse: Purse,
        transcript: TranscriptSink,
        *,
        changed: Changed = lambda _: None,
        heard: HeardInIteration = lambda _, __: None,
    ) -> Optimization:
        """The search for a better description, after the controls; raises as `evaluate` does."""
        evaluator = self._evaluator(purse)
        controls = await check_harness(evaluator, self.scratch)
        text = await asyncio.to_thread(
            self.snapshot.read_text, skill_path(self.skill.path, SKILL_FILE)
        )
        found = await Optimizer(
            evaluator=evaluator,
            proposer=Proposer(
                agent=self.world.agent,
                model=self.model,
                limits=self._limits,
                skill_name=self.skill.name,
                skill_text=text,
            ),
            install=lambda description, folder: self._install(description, folder.name),
            scratch=self.scratch,
            split=self.split(),
            holdout=self.options.holdout,
            max_iterations=self.options.max_iterations,
            changed=changed,
            heard=heard,
        ).run(self.description, transcript)
        spent = sum_usage(controls)
        return found.with_more(spent, self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of the set, and of the skills once they were prepared."""
        installed = next((one.remarks for one in self._installed.values()), ())
        return (*self.eval_set.remarks, *installed)

    def _evaluator(self, purse: Purse) -> Evaluator:
        return Evaluator(
            observer=self.world.observers.get(self.launcher, self.model),
            terms=Terms(
                model=self.model,
                limits=self._limits,
                runs_per_query=self.options.runs_per_query,
                threshold=self.options.threshold,
                at_once=self.options.at_once,
            ),
            blobs=self.world.blobs,
            prefix=self.prefix,
            purse=purse,
            provider_slots=self.world.provider_slots.get(self.model.provider, self.options.at_once),
        )

    def _install(self, description: str, name: str) -> Installed:
        """The skills with a description, prepared once for each name."""
        if name not in self._installed:
            own = "" if description == self.skill.description else description
            self._installed[name] = install_skills(
                self.snapshot,
                self.skill,
                self.neighbours,
                self.scratch / name / "skills",
                description=own,
            )
        return self._installed[name]

    def _check_file(self) -> None:
        """Raise `Refused` for a SKILL.md whose description could not be exchanged for another."""
        path = skill_path(self.skill.path, SKILL_FILE)
        replace_description(self.snapshot.read_bytes(path), "Another one.", path)

    @property
    def _limits(self) -> Limits:
        settings = self.world.settings
        return Limits(
            wall_s=self.options.timeout_s,
            idle_s=min(settings.session_idle_timeout.total_seconds(), self.options.timeout_s),
            turns=MAX_TURNS,
            output_tokens=_OUTPUT_TOKENS,
            total_tokens=min(_TOTAL_TOKENS, settings.max_tokens_per_run),
            cost_usd=min(Decimal(2), settings.max_usd_per_run),
        )
