"""The sections of the repository's file: its keys, their kinds, and what holds where none is.

The text below a key is its description in editors; it is written for whoever fills the file in.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from pydantic import Field, model_validator

from config.repo_kinds import (
    ROLES,
    Cron,
    Days,
    FolderPath,
    LabelName,
    ModelName,
    PathGlob,
    Role,
    Switch,
    Usd,
)
from config.sections import Section, listed

MAX_MODELS = 5
"""That one push may measure a description with."""
MAX_LABELS = 20
MAX_GLOBS = 50


class Labels(Section):
    """Names of the labels that mean something to the bot; capitals make no difference."""

    run: LabelName = "needs-benchmark"
    """Put on an issue, it asks for a benchmark of the issue's eval case."""
    done: LabelName = "benchmarked"
    """The bot puts it on an issue whose benchmark has ended."""
    evals: tuple[LabelName, ...] = Field(("benchmark", "eval"), max_length=MAX_LABELS)
    """Any of them marks an issue as an eval case."""

    def mark_evals(self, names: Iterable[str]) -> bool:
        """Whether an issue that bears these labels is an eval case."""
        wanted = {name.casefold() for name in self.evals}
        return any(name.casefold() in wanted for name in names)

    @model_validator(mode="after")
    def _each_means_one_thing(self) -> "Labels":
        counts = Counter(name.casefold() for name in (self.run, self.done, *self.evals))
        if twice := sorted(name for name, count in counts.items() if count > 1):
            raise ValueError(f"{listed(twice)} cannot mean two things; give each its own label")
        return self


class Evals(Section):
    """Where eval cases lie in the repository as JSON files."""

    globs: tuple[PathGlob, ...] = Field(
        ("_automation/evals/*.json",), min_length=1, max_length=MAX_GLOBS
    )
    """Patterns of the files that hold eval cases, from the repository's root."""
    folder: FolderPath = "_automation/evals"
    """Where `sync` writes eval cases from issues to."""
    sync: Switch = False
    """Keep the files up to date whenever the label of an eval case is put on an issue."""


class Skills(Section):
    """Which folders are taken for skills."""

    globs: tuple[PathGlob, ...] = Field(("**",), min_length=1, max_length=MAX_GLOBS)
    """Patterns of the folders that hold a SKILL.md, from the repository's root."""
    excludes: tuple[PathGlob, ...] = Field((), max_length=MAX_GLOBS)
    """Patterns of folders that are no skills, whatever they hold."""


class Budgets(Section):
    """What may be spent on this repository, in US dollars; the operator's limits stay above."""

    per_run: Usd | None = None
    """The most that one run may cost."""
    per_day: Usd | None = None
    """The most that all runs of a day (UTC) may cost together."""


Right = Literal["run", "read", "cancel", "verdict", "override_budget"]
"""What `permissions` gives to a role."""


class Permissions(Section):
    """The least role in the repository that somebody must have."""

    run: Role = "write"
    """To start whatever costs money."""
    read: Role = "triage"
    """To ask what costs nothing, such as `status` or `results`."""
    cancel: Role = "write"
    """To cancel what somebody else has asked for."""
    verdict: Role = "write"
    """To put a verdict of one's own beside the judge's."""
    override_budget: Role = "maintain"
    """To let a request pass the budgets of this file."""

    def allow(self, what: Right, role: str) -> bool:
        """Whether a role is enough; one that GitHub has no name for never is."""
        return role in ROLES and ROLES.index(role) >= ROLES.index(getattr(self, what))


class Schedule(Section):
    """What happens by itself, and when: lines of cron, in UTC. Without a line it never does."""

    sweep: Cron | None = None
    """Run what has been measured least, once for each of `models`."""
    summary: Cron | None = None
    """Write the analysis of all finished runs."""
    digest: Cron | None = None
    """Open an issue with what happened in the week."""


class Baseline(Section):
    """How long results without a skill may be used again."""

    max_age_days: Days = 14
    """Days for which the kept sessions without the skill serve; 0: both arms always run."""


class TriggerOnPush(Section):
    """When the descriptions of skills are measured without anybody asking."""

    on_push: Switch = False
    """Measure a description anew when a push to the default branch changes it."""
    models: tuple[ModelName, ...] = Field((), max_length=MAX_MODELS)
    """As one would type them; empty: those of the file's `models`, else the configured one."""
