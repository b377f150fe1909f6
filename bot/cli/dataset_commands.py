"""`skillbench dataset`: its subcommands and their options.

A run is what the group does by itself, in the order of words that users of `basic_runner` know;
so a benchmark cannot bear the name of a subcommand.
"""

import csv
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from bot.cli.scratch import scratch_folder
from bot.cli.settings import errors_told, load_settings

if TYPE_CHECKING:
    from bot.cli.dataset_grading import LocalGrading

RUN = "run"
OVERRIDE = "--target-override"
LEAST_USD, MOST_USD = Decimal("0.01"), Decimal(1_000_000)


class RunByDefault(TyperGroup):
    """Reads what names no subcommand as a run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in {"--help", "-h"}:
            args = [RUN, *args]
        if args and args[0] == RUN:
            args = spread(args)
        return super().parse_args(ctx, args)


def spread(args: Sequence[str]) -> list[str]:
    """`--target-override A=1 B=2` as two options; whoever writes it twice means the same."""
    spread_out: list[str] = []
    is_pair = False
    for word in args:
        if word == OVERRIDE:
            is_pair = True
        elif is_pair and "=" in word and not word.startswith("-"):
            spread_out += [OVERRIDE, word]
        else:
            if is_pair and spread_out[-2:-1] != [OVERRIDE]:
                spread_out.append(OVERRIDE)  # no pair follows, which is for others to refuse
            is_pair = False
            spread_out.append(word)
    if is_pair and spread_out[-2:-1] != [OVERRIDE]:
        spread_out.append(OVERRIDE)
    return spread_out


dataset = typer.Typer(
    cls=RunByDefault,
    name="dataset",
    help="Run a dataset against a model or a system, and measure how it answers.",
    no_args_is_help=True,
)

Benchmark = Annotated[str, typer.Argument(help="Folder of the suite.")]
Data = Annotated[
    str | None,
    typer.Option(help="Where datasets lie: a folder, OWNER/NAME@REF, or an https:// address."),
]
EvalModel = Annotated[str, typer.Option("--eval-model", help="The judge of all cases.")]
Parallel = Annotated[
    int | None,
    typer.Option("-p", "--parallel", min=0, help="Cases at a time; 0: no limit of ours."),
]
Output = Annotated[Path | None, typer.Option(help="File for the report.")]
FailUnder = Annotated[
    float | None, typer.Option(min=0, max=1, help="End with 1 where the average is lower.")
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Log what goes on.")]


DatasetName = Annotated[str, typer.Argument(metavar="DATASET", help="Name of its .jsonl file.")]
TargetType = Annotated[
    str | None, typer.Option(help="What is asked; needed where the suite lists several.")
]
TargetModel = Annotated[str | None, typer.Option(help="The target's `model`.")]
UserModel = Annotated[str, typer.Option(help="Who plays users that a model plays.")]
SystemPrompt = Annotated[str | None, typer.Option(help="What the target is told first.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option(OVERRIDE, metavar="K=V …", help="Other fields of the target."),
]
Ids = Annotated[
    str | None, typer.Option(help='Only these cases: a,b,c; "a,b" where an id has a comma.')
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many.")]
Resume = Annotated[bool, typer.Option("--resume", help="Carry the newest run on.")]
RerunErrors = Annotated[
    bool, typer.Option("--rerun-errors", help="Repeat what the newest run left ungraded.")
]
MaxUsd = Annotated[str | None, typer.Option(help="Wins over SKILLBENCH_MAX_USD_PER_RUN.")]


@dataset.command(RUN)
def run(
    benchmark: Benchmark,
    name: DatasetName,
    target_type: TargetType = None,
    target_model: TargetModel = None,
    user_model: UserModel = "",
    eval_model: EvalModel = "",
    system_prompt: SystemPrompt = None,
    target_override: Overrides = None,
    ids: Ids = None,
    limit: Limit = None,
    parallel: Parallel = None,
    resume: Resume = False,
    rerun_errors: RerunErrors = False,
    output: Output = None,
    fail_under: FailUnder = None,
    max_usd: MaxUsd = None,
    data: Data = None,
    verbose: Verbose = False,
) -> None:
    """Run a dataset; the word `run` may be left out.

    Exit code 0: done; 1: nothing was graded, or the average is below --fail-under; 2: wrong
    usage; 130: stopped, and --resume goes on.
    """
    from bot.cli.dataset_run import LocalDatasetRun, run_local_dataset
    from jobs.datasets.plan import Wanted

    if resume and rerun_errors:
        raise typer.BadParameter("say --resume or --rerun-errors")
    wanted = Wanted(
        benchmark=benchmark,
        dataset=name,
        target_type=target_type,
        typed=_typed(target_override or (), model=target_model, system_prompt=system_prompt),
        ids=_names(ids),
        limit=limit,
        parallel=parallel,
        judge=eval_model,
        user_model=user_model,
        max_usd=_dollars(max_usd),
        asker="you",
    )
    asked = LocalDatasetRun(
        wanted=wanted,
        data=data,
        resume=resume,
        rerun_errors=rerun_errors,
        output=output,
        fail_under=fail_under,
    )
    with errors_told(), scratch_folder() as scratch:
        settings = load_settings(for_people=not verbose)
        raise typer.Exit(run_local_dataset(asked, settings, scratch))


@dataset.command("list")
def list_all(data: Data = None) -> None:
    """List suites and datasets, with counts, evaluators, targets and what is wrong with them.

    Exit code 0: all can be used; 1: one cannot; 2: wrong usage.
    """
    from bot.cli.dataset_files import run_list

    with errors_told(), scratch_folder() as scratch:
        raise typer.Exit(run_list(data, load_settings(for_people=True), scratch))


@dataset.command()
def grade(
    benchmark: Benchmark,
    name: DatasetName,
    answers: Annotated[Path, typer.Argument(help='JSONL: {"id": …, "answer": …} on a line.')],
    eval_model: EvalModel = "",
    parallel: Parallel = None,
    output: Output = None,
    fail_under: FailUnder = None,
    data: Data = None,
    verbose: Verbose = False,
) -> None:
    """Grade answers that came from elsewhere; cases without one are counted apart.

    Exit codes as of a run.
    """
    from bot.cli.dataset_grading import run_grade

    asked = _grading(eval_model, data, parallel, output, fail_under)
    with errors_told(), scratch_folder() as scratch:
        settings = load_settings(for_people=not verbose)
        raise typer.Exit(run_grade(benchmark, name, answers, asked, settings, scratch))


@dataset.command()
def regrade(
    report: Annotated[Path, typer.Argument(help="A report, ours or an older tool's.")],
    eval_model: EvalModel = "",
    parallel: Parallel = None,
    output: Output = None,
    fail_under: FailUnder = None,
    data: Data = None,
    verbose: Verbose = False,
) -> None:
    """Judge the dialogues of a report again, without asking the target.

    Exit codes as of a run.
    """
    from bot.cli.dataset_grading import run_regrade

    asked = _grading(eval_model, data, parallel, output, fail_under)
    with errors_told(), scratch_folder() as scratch:
        settings = load_settings(for_people=not verbose)
        raise typer.Exit(run_regrade(report, asked, settings, scratch))


@dataset.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A report.")],
    second: Annotated[Path, typer.Argument(help="Another of the same dataset.")],
) -> None:
    """Tell how the second report differs from the first, case by case and by tag."""
    from bot.cli.dataset_files import run_compare

    with errors_told():
        raise typer.Exit(run_compare(first, second))


@dataset.command()
def convert(
    kind: Annotated[str, typer.Argument(help="`healthbench` or `medcalc`.")],
    source: Annotated[Path, typer.Argument(help="The file as its authors publish it.")],
    target: Annotated[Path, typer.Argument(help="The .jsonl file to write.")],
    limit: Limit = None,
) -> None:
    """Make a dataset from a published original: HealthBench (JSONL) or MedCalc-Bench (CSV)."""
    from bot.cli.dataset_files import run_convert

    with errors_told():
        raise typer.Exit(run_convert(kind, source, target, limit))


def _grading(
    judge: str,
    data: str | None,
    parallel: int | None,
    output: Path | None,
    fail_under: float | None,
) -> "LocalGrading":
    from bot.cli.dataset_grading import LocalGrading

    return LocalGrading(
        judge=judge, data=data, parallel=parallel or 0, output=output, fail_under=fail_under
    )


def _typed(pairs: Sequence[str], **named: str | None) -> dict[str, str]:
    """The target's fields as typed; an option of its own wins over a pair."""
    typed: dict[str, str] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not name.strip() or not sign or not value:
            raise typer.BadParameter(f"{OVERRIDE} takes NAME=VALUE, not {pair!r}")
        typed[name.strip()] = value
    return typed | {name: value for name, value in named.items() if value is not None}


def _names(text: str | None) -> tuple[str, ...]:
    """Ids between commas or on lines; one that holds a comma itself stands in quotation marks."""
    if text is None:
        return ()
    rows = csv.reader(text.splitlines(), skipinitialspace=True)
    names = tuple(name.strip() for row in rows for name in row if name.strip())
    if not names:  # an empty variable of a script, and no wish to run everything
        raise typer.BadParameter("--ids names no case; leave it out to run all")
    return names


def _dollars(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal(0)
    if not value.is_finite() or not LEAST_USD <= value <= MOST_USD:
        raise typer.BadParameter(
            f"--max-usd takes an amount from {LEAST_USD} to {MOST_USD:,}, such as 2.50"
        )
    return value
