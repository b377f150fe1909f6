"""The commands `trigger` and `optimize`, with the options that skill-creator's users know."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.scratch import scratch_folder
from bot.cli.settings import errors_told, load_settings
from jobs.triggering.defaults import (
    AT_ONCE,
    HOLDOUT,
    MAX_ITERATIONS,
    RUNS_PER_QUERY,
    THRESHOLD,
    TIMEOUT_S,
)

EvalSet = Annotated[
    Path, typer.Option(help='JSON file: a list of {"query": …, "should_trigger": true|false}.')
]
SkillPath = Annotated[Path, typer.Option(help="The skill's folder.")]
Model = Annotated[str | None, typer.Option(help="Wins over SKILLBENCH_MODEL.")]
Launcher = Annotated[str | None, typer.Option(help="`api` or `claude-code`.")]
Description = Annotated[str, typer.Option(help="Tried in place of the skill's own.")]
Workers = Annotated[int, typer.Option("--num-workers", min=1, help="Sessions at a time.")]
Timeout = Annotated[float, typer.Option(min=1, help="Seconds that one session may take.")]
Runs = Annotated[int, typer.Option("--runs-per-query", min=1, max=100)]
Threshold = Annotated[
    float,
    typer.Option("--trigger-threshold", min=0, max=1, help="From this rate on it has fired."),
]
Alone = Annotated[bool, typer.Option(help="Without the repository's other skills.")]
Yes = Annotated[bool, typer.Option("--yes", help="Confirm what goes over the limit of a run.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Log what goes on.")]
TriggerResults = Annotated[
    Path | None, typer.Option("--results-dir", help="Gets a folder with results.json.")
]
OptimizeResults = Annotated[
    Path | None,
    typer.Option("--results-dir", help="Gets a folder with results.json, report.html and logs/."),
]


def trigger(
    eval_set: EvalSet,
    skill_path: SkillPath,
    model: Model = None,
    launcher: Launcher = None,
    description: Description = "",
    num_workers: Workers = AT_ONCE,
    timeout: Timeout = TIMEOUT_S,
    runs_per_query: Runs = RUNS_PER_QUERY,
    trigger_threshold: Threshold = THRESHOLD,
    alone: Alone = False,
    yes: Yes = False,
    verbose: Verbose = False,
    results_dir: TriggerResults = None,
) -> None:
    """Measure whether a skill's description makes agents use the skill when they should.

    Prints the result as JSON. Exit code 0: done; 1: nothing could be seen; 2: wrong usage.
    """
    from bot.cli.local_trigger import LocalTrigger, run_trigger
    from jobs.triggering.measuring import Options

    options = Options(
        runs_per_query=runs_per_query,
        threshold=trigger_threshold,
        at_once=num_workers,
        timeout_s=timeout,
        description=description,
    )
    with errors_told(), scratch_folder() as scratch:
        settings = load_settings(for_people=not verbose, model=model, launcher=launcher)
        wanted = LocalTrigger(
            eval_set=eval_set,
            skill_path=skill_path,
            options=options,
            alone=alone,
            confirmed=yes,
            optimizing=False,
            results=results_dir,
        )
        raise typer.Exit(run_trigger(wanted, settings, scratch))


def optimize(
    eval_set: EvalSet,
    skill_path: SkillPath,
    model: Model = None,
    launcher: Launcher = None,
    description: Description = "",
    num_workers: Workers = AT_ONCE,
    timeout: Timeout = TIMEOUT_S,
    max_iterations: Annotated[int, typer.Option(min=1, max=50)] = MAX_ITERATIONS,
    runs_per_query: Runs = RUNS_PER_QUERY,
    trigger_threshold: Threshold = THRESHOLD,
    holdout: Annotated[float, typer.Option(help="Fraction of the set to judge by.")] = HOLDOUT,
    alone: Alone = False,
    yes: Yes = False,
    verbose: Verbose = False,
    report: Annotated[
        str, typer.Option(help="Where the page goes: a path, `auto` or `none`.")
    ] = "auto",
    results_dir: OptimizeResults = None,
) -> None:
    """Look for a description that triggers better, and prove it on held-out queries.

    Prints the result as JSON. Exit code 0: done; 1: nothing could be seen; 2: wrong usage.
    """
    from bot.cli.local_trigger import LocalTrigger, run_trigger
    from jobs.triggering.measuring import Options

    options = Options(
        runs_per_query=runs_per_query,
        threshold=trigger_threshold,
        at_once=num_workers,
        timeout_s=timeout,
        description=description,
        max_iterations=max_iterations,
        holdout=holdout,
    )
    with errors_told(), scratch_folder() as scratch:
        settings = load_settings(for_people=not verbose, model=model, launcher=launcher)
        wanted = LocalTrigger(
            eval_set=eval_set,
            skill_path=skill_path,
            options=options,
            alone=alone,
            confirmed=yes,
            optimizing=True,
            report=report,
            results=results_dir,
        )
        raise typer.Exit(run_trigger(wanted, settings, scratch))
