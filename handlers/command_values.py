"""What a command says, as plain values; whoever carries one out reads nothing else of a comment."""

from dataclasses import dataclass
from typing import Literal

from config.tiers import TierName
from jobs.requests import DatasetOptions, Reading, VerdictOptions

Launcher = Literal["api", "claude-code"]
Mode = Literal["forced", "installed"]
AgainName = Literal["rerun", "retry", "rejudge", "report"]
GatherKind = Literal["summary", "sync"]


@dataclass(frozen=True, slots=True)
class Run:
    """Compare; empty fields mean what the repository and the settings say."""

    models: tuple[str, ...] = ()
    skill: str | None = None
    eval_id: str | None = None
    launcher: Launcher | None = None
    environment: str | None = None
    force: bool = False
    mode: Mode | None = None
    vs: str | None = None
    trials: int | None = None
    judge: str | None = None
    fresh: bool = False
    override_budget: bool = False
    until_sure: bool | None = None
    tier: TierName | None = None
    head: str = ""
    """The commit of a pull request that may be run."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """Measure a description, or look for a better one; empty fields mean what is usual."""

    kind: Literal["trigger", "optimize"]
    models: tuple[str, ...] = ()
    skill: str | None = None
    eval_set: str | None = None
    alone: bool = False
    launcher: Launcher | None = None
    runs_per_query: int | None = None
    max_iterations: int | None = None
    confirmed: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """Do something once more with what was run before."""

    name: AgainName
    run: str | None = None
    """Id of a run; None: all that fit, or the latest."""
    judge: str | None = None
    override_budget: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Put a person's verdict on one assertion beside the judge's."""

    said: VerdictOptions
    run: str | None = None
    """Id of a run; None: the latest."""


@dataclass(frozen=True, slots=True)
class Gather:
    """Write the analysis of a skill's runs, or propose eval cases as files."""

    kind: GatherKind
    skill: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Ask a model the questions of a dataset."""

    options: DatasetOptions
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Answer at once with what is known; costs nothing."""

    name: Reading
    skill: str | None = None
    run: Run = Run()
    """Of an `estimate`: what would be run."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Cancel what is waiting or under way for this issue, or the request of one run."""

    run: str | None = None


@dataclass(frozen=True, slots=True)
class Help:
    """Show the commands, or one of them."""

    about: str | None = None


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A line addressed to us that is no command; `problem` is a sentence safe to post."""

    line: str
    problem: str
    about: str | None = None
    """The command that was meant, where its name was understood."""


Command = Run | Trigger | Again | Verdict | Gather | Dataset | Read | Cancel | Help | Misunderstood
