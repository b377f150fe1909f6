"""Every command, in one table: what it takes, who may give it, and what to say of it.

The parser, the help and `docs/commands.md` are made from it, so that none of them can know a
command, or an option, that another does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from config.repo_sections import Right
from config.tiers import MAX_TRIALS, TIERS

MAX_RUNS_PER_QUERY = 20
MAX_ITERATIONS = 20
MAX_ITEMS = 100_000


@dataclass(frozen=True, slots=True)
class Option:
    """An option of one command or several."""

    meaning: str
    value: str = ""
    """What stands for its value in the help; empty: it needs none."""
    choices: tuple[str, ...] = ()
    """The only values there are; empty: any."""
    most: int | None = None
    """It takes a whole number up to this."""
    counted: str = ""
    """What the number counts, for `at most 20 …`."""


OPTIONS: Mapping[str, Option] = {
    "skill": Option("this skill, instead of those that the eval case names", "S"),
    "eval": Option("another eval case than this issue's own; `all`: all of the skill", "E"),
    "vs": Option(
        "the other arm: `none` (no skill), `previous` (the skill's version before), `self`, "
        "`main`, `@SHA` or `ref:NAME`",
        "REF",
    ),
    "trials": Option(
        f"repetitions of both arms, {MAX_TRIALS} at most",
        "N",
        most=MAX_TRIALS,
        counted="trials per run",
    ),
    "until-sure": Option(
        "no more trials than it takes to be sure which arm is better, `--trials` at most; with "
        "`--eval all`, no more eval cases"
    ),
    "tier": Option(
        "one trial, three, or until sure; what `--trials` and `--until-sure` say wins",
        "T",
        choices=tuple(TIERS),
    ),
    "launcher": Option("how sessions are run", "L", choices=("api", "claude-code")),
    "mode": Option(
        "the skill in the prompt, or installed where agents look for skills",
        "M",
        choices=("forced", "installed"),
    ),
    "environment": Option("an environment of the repository; `none` for the plain sandbox", "E"),
    "judge": Option("the model that scores, or up to three together: `A,B,C`", "MODEL"),
    "force": Option("measure again although a finished run exists"),
    "fresh": Option("run both arms together even where a kept baseline would do"),
    "override-budget": Option("pass the repository's own budgets; needs a permission of its own"),
    "eval-set": Option("a file of the repository that holds the queries", "PATH"),
    "alone": Option("without the repository's other skills"),
    "runs-per-query": Option(
        f"three where nothing is said, {MAX_RUNS_PER_QUERY} at most",
        "N",
        most=MAX_RUNS_PER_QUERY,
        counted="runs per query",
    ),
    "max-iterations": Option(
        f"five where nothing is said, {MAX_ITERATIONS} at most",
        "N",
        most=MAX_ITERATIONS,
        counted="iterations",
    ),
    "yes": Option("it may cost more than a run usually may"),
    "limit": Option("at most so many items", "N", most=MAX_ITEMS, counted="items"),
    "ids": Option("only these items, separated by commas", "a,b"),
    "model": Option("the model that is asked", "M"),
    "run": Option("the run that it is about, else the latest of this issue", "RUN"),
    "trial": Option(
        "of a run of several trials, the one whose output it is about",
        "N",
        most=MAX_TRIALS,
        counted="trials per run",
    ),
    "target-type": Option("which kind of system is asked", "T"),
    "eval-model": Option("the model that scores the answers", "M"),
}

_RUN = (
    *("skill", "eval", "vs", "trials", "until-sure", "tier"),
    *("launcher", "mode", "environment", "judge"),
    *("force", "fresh", "override-budget"),
)
_TRIGGER = ("skill", "eval-set", "alone", "launcher", "runs-per-query", "yes", "force")


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command."""

    purpose: str
    right: Right | None = None
    """What one must be allowed to; None: nothing."""
    words: str = ""
    """What may stand behind its name, as the help shows it."""
    options: tuple[str, ...] = ()
    takes_models: bool = False
    """Whether plain words behind it are models."""
    on_pull_requests: bool = True
    examples: tuple[tuple[str, str], ...] = ()
    """What to write behind the mention, and what that does."""


COMMANDS: Mapping[str, CommandSpec] = {
    "run": CommandSpec(
        "compare the task done with the skill and without it, scored blind",
        "run",
        "[MODEL…]",
        _RUN,
        takes_models=True,
        examples=(
            ("run", "on the configured model"),
            ("run claude-sonnet gpt-4.1", "on each of these models"),
            ("run --vs previous --trials 3", "this version against the one before, three times"),
            ("run --until-sure", "as many trials as it takes, and no more"),
            ("run --eval all --until-sure", "as many eval cases of the skill as it takes"),
            ("run --force", "again, although a finished run exists"),
            ("run @0a1b2c3", "this commit of a pull request, once; of a fork, all 40 digits"),
        ),
    ),
    "rerun": CommandSpec(
        "run again what came to no score on this issue", "run", "failed", ("override-budget",)
    ),
    "retry": CommandSpec(
        "run one run again, under the same conditions: the named one, else the latest",
        "run",
        "[RUN]",
        ("override-budget",),
    ),
    "rejudge": CommandSpec(
        "score the kept outputs of a run again, without new sessions",
        "run",
        "[RUN]",
        ("judge", "override-budget"),
    ),
    "report": CommandSpec(
        "bring the report of a run up to date from what is kept",
        "read",
        "[RUN]",
    ),
    "verdict": CommandSpec(
        "say of one assertion what a person says, beside what the judge said",
        "verdict",
        "ASSERTION ARM VERDICT because REASON",
        ("run", "trial"),
        examples=(
            ("verdict A3 with_skill pass because table 2 has it", "of the issue's latest run"),
            ("verdict A1 without_skill fail --trial 2 because it is empty", "of its trial 2"),
        ),
    ),
    "estimate": CommandSpec(
        "what a `run` with these words would take: tokens, time and US dollars; starts nothing",
        "read",
        "[MODEL…]",
        _RUN,
        takes_models=True,
        on_pull_requests=False,
    ),
    "trigger": CommandSpec(
        "how often the skill's description makes an agent use the skill",
        "run",
        "[MODEL…]",
        _TRIGGER,
        takes_models=True,
        on_pull_requests=False,
        examples=(("trigger --eval-set PATH --alone", "queries of this file; no other skills"),),
    ),
    "optimize": CommandSpec(
        "look for a better description, and propose it if it is one",
        "run",
        "[MODEL]",
        (*_TRIGGER, "max-iterations"),
        takes_models=True,
        on_pull_requests=False,
        examples=(("optimize --max-iterations 3 --yes", "fewer tries; over the usual limit"),),
    ),
    "dataset": CommandSpec(
        "ask a model the questions of a benchmark's dataset",
        "run",
        "BENCHMARK DATASET",
        ("limit", "ids", "model", "target-type", "eval-model"),
        on_pull_requests=False,
    ),
    "summary": CommandSpec(
        "the analysis of all finished runs of a skill",
        "run",
        options=("skill",),
        on_pull_requests=False,
    ),
    "sync": CommandSpec(
        "propose the eval cases of issues as files of the repository",
        "run",
        on_pull_requests=False,
    ),
    "cancel": CommandSpec(
        "stop what is waiting or under way here: all of it, or the request of one run",
        "cancel",
        "[RUN]",
    ),
    "status": CommandSpec("the requests of this issue: waiting, running, ended", "read"),
    "queue": CommandSpec("what this repository has waiting and running", "read"),
    "results": CommandSpec(
        "the newest score of each eval case, with links", "read", options=("skill",)
    ),
    "lint": CommandSpec(
        "is this issue a good eval case? What is missing, what cannot be verified",
        "read",
        on_pull_requests=False,
    ),
    "config": CommandSpec("the configuration that holds here, and where it comes from", "read"),
    "ping": CommandSpec("is the bot alive: version, queues, workers", "read"),
    "help": CommandSpec("show the commands, or one of them with its options", None, "[COMMAND]"),
}


def usage(name: str) -> str:
    """A command with all that may stand behind it: `run [MODEL…] [--skill S] …`."""
    spec = COMMANDS[name]
    return " ".join([name, *([spec.words] if spec.words else []), *map(_shown, spec.options)])


def short_usage(name: str) -> str:
    """A command with its words alone: `run [MODEL…]`."""
    return f"{name} {COMMANDS[name].words}".strip()


def option_usage(name: str) -> str:
    """`--skill S` or `--force`."""
    return f"--{name} {OPTIONS[name].value}".strip()


def option_meaning(name: str) -> str:
    """What an option means, with the values that it takes."""
    option = OPTIONS[name]
    choices = " or ".join(f"`{choice}`" for choice in option.choices)
    return f"{option.meaning}: {choices}" if choices else option.meaning


def _shown(option: str) -> str:
    return f"[{option_usage(option)}]"
