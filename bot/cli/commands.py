"""Every command and its options; what a command does stands in a module of its own."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.cli.dataset_commands import dataset
from bot.cli.scratch import scratch_folder
from bot.cli.settings import errors_told, load_settings
from bot.cli.trigger_commands import optimize, trigger
from config.tiers import MAX_TRIALS, TierName

app = typer.Typer(
    name="skillbench",
    help="Measures whether an agent skill makes the work better.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def tell_version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        typer.echo(f"skillbench {version('skillbench')}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=tell_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Measures whether an agent skill makes the work better."""


Host = Annotated[str | None, typer.Option(help="Where to listen; wins over SKILLBENCH_HOST.")]
Port = Annotated[int | None, typer.Option(help="Wins over SKILLBENCH_PORT.")]


@app.command()
def serve(host: Host = None, port: Port = None) -> None:
    """Receive webhooks and put them on the queue."""
    from bot.cli.serving import make_fast_loop, run_server
    from bot.cli.stopping import until_stopped

    with errors_told():
        until_stopped(run_server(load_settings(host=host, port=port)), make_loop=make_fast_loop)


@app.command()
def worker() -> None:
    """Carry out what is on the queue."""
    from bot.cli.serving import run_worker
    from bot.cli.stopping import until_stopped

    with errors_told(), scratch_folder() as scratch:
        until_stopped(run_worker(load_settings(), scratch))


@app.command()
def up(host: Host = None, port: Port = None) -> None:
    """Server, worker and (where none is configured) Redis, in one process."""
    from bot.cli.serving import run_everything
    from bot.cli.stopping import until_stopped

    with errors_told(), scratch_folder() as scratch:
        until_stopped(run_everything(load_settings(host=host, port=port), scratch))


@app.command()
def schema() -> None:
    """Print the JSON Schema of a repository's `.github/skillbench.yml`, for editors."""
    from config.repo_schema import schema_text

    typer.echo(schema_text(), nl=False)


@app.command("webhook-proxy")
def webhook_proxy(
    channel: Annotated[str, typer.Argument(help="Address of a channel of smee.io.")],
    target: Annotated[
        str, typer.Option(help="Where its deliveries go; nothing is sent anywhere else.")
    ] = "http://127.0.0.1:8000/webhook",
) -> None:
    """Relay a smee.io channel to the server on this machine, for development."""
    from bot.cli.stopping import until_stopped
    from bot.cli.webhook_proxy import WebhookProxy
    from bot.setup.manifest import is_web_address

    for address in (channel, target):
        if not is_web_address(address):
            raise typer.BadParameter(f"{address} is no web address")
    with errors_told():
        until_stopped(WebhookProxy(channel, target, typer.echo).run())


@app.command()
def doctor() -> None:
    """Check settings, Redis, App credentials, sandbox and model keys; say what to fix."""
    from bot.cli.doctor import run_doctor

    with errors_told():
        raise typer.Exit(run_doctor(load_settings(for_people=True)))


@app.command()
def export(
    archives: Annotated[list[Path], typer.Argument(help="Archives of runs of one skill.")],
    folder: Annotated[Path, typer.Option("--to", help="A new folder.")],
) -> None:
    """Write runs out for skill-creator's viewer: benchmark.json, gradings, comparisons, outputs."""
    from bot.cli.exporting import run_export

    with errors_told(), scratch_folder() as scratch:
        run_export(archives, folder, scratch)


@app.command()
def rebuild(
    repository: Annotated[str | None, typer.Argument(help="OWNER/REPO.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every repository the App is installed on.")
    ] = False,
) -> None:
    """Read the ledger back from GitHub, after Redis was lost.

    Exit code 0: done; 1: a repository could not be read to its end; 2: wrong usage.
    """
    from bot.cli.rebuilding import run_rebuild

    if (repository is None) != everything:
        raise typer.BadParameter("name a repository as OWNER/REPO, or say --all")
    with errors_told():
        raise typer.Exit(run_rebuild(load_settings(for_people=True), repository))


@app.command()
def calibrate(
    file: Annotated[
        Path | None, typer.Argument(help="People's verdicts: JSON lines, or a .csv table.")
    ] = None,
    archive: Annotated[
        Path | None, typer.Option(help="A folder with archives of runs, or one; else the store.")
    ] = None,
    repo: Annotated[
        str | None,
        typer.Option(help="OWNER/REPO: its verdicts in comments, and its judge over time."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of tables.")] = False,
) -> None:
    """Tell how far the judge agrees with people. No model is asked.

    Exit code 0: done; 1: there is nothing to hold the judge against; 2: wrong usage.
    """
    from bot.cli.calibrate import WantedCalibration, run_calibrate

    with errors_told():
        wanted = WantedCalibration(file=file, archive=archive, repository=repo, as_json=as_json)
        raise typer.Exit(run_calibrate(wanted, load_settings(for_people=True)))


@app.command()
def run(
    path: Annotated[Path, typer.Argument(help="A folder with skills.")],
    skill: Annotated[str | None, typer.Option(help="Name or path of the skill.")] = None,
    eval_id: Annotated[str | None, typer.Option("--eval", help="Id of the eval case.")] = None,
    model: Annotated[str | None, typer.Option(help="Wins over SKILLBENCH_MODEL.")] = None,
    judge: Annotated[str | None, typer.Option(help="Wins over SKILLBENCH_JUDGE_MODEL.")] = None,
    launcher: Annotated[str | None, typer.Option(help="`api` or `claude-code`.")] = None,
    mode: Annotated[
        Literal["forced", "installed"] | None,
        typer.Option(help="The skill in the prompt, or installed for the agent to find."),
    ] = None,
    environment: Annotated[
        str | None,
        typer.Option(help="Environment of the folder's .github/skillbench.yml, or `none`."),
    ] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, max=MAX_TRIALS, help="Repetitions of both arms.")
    ] = None,
    until_sure: Annotated[
        bool, typer.Option("--until-sure", help="No more trials than it takes, --trials at most.")
    ] = False,
    tier: Annotated[
        TierName | None, typer.Option(help="A usual number of trials, or until sure.")
    ] = None,
    output: Annotated[Path, typer.Option(help="Where the report goes.")] = Path(
        "skillbench-report"
    ),
) -> None:
    """Compare with and without a skill on a local folder, without GitHub.

    Exit code 0: done; 1: ungraded; 2: wrong usage.
    """
    from bot.cli.local_run import LocalRun, run_locally

    with errors_told(), scratch_folder() as scratch:
        settings = load_settings(for_people=True, model=model, judge_model=judge, launcher=launcher)
        wanted = LocalRun(
            path=path,
            skill=skill,
            eval_id=eval_id,
            environment=environment,
            mode=mode,
            trials=trials,
            until_sure=until_sure or None,
            tier=tier,
            judge=judge,
            launcher=settings.launcher if launcher else None,
            output=output,
        )
        raise typer.Exit(run_locally(wanted, settings, scratch))


@app.command(name="next")
def next_eval(
    repository: Annotated[str, typer.Argument(help="OWNER/REPO.")],
    model: Annotated[
        str | None, typer.Option(help="Else the first one that the repository keeps current.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be next; take nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a table.")] = False,
) -> None:
    """Put the eval case that a model knows least about on the queue.

    Exit code 0: there is one; 1: GitHub or Redis could not be read; 2: wrong usage;
    3: UP_TO_DATE, nothing is pending; 4: ALL_TAKEN within the last seven days.
    """
    from bot.cli.next_eval import Wanted, run_next

    with errors_told(), scratch_folder() as scratch:
        wanted = Wanted(repository, model, dry_run=dry_run, as_json=as_json)
        raise typer.Exit(run_next(wanted, load_settings(for_people=True), scratch))


@app.command()
def demo(
    once: Annotated[bool, typer.Option(help="End after the report.")] = False,
    real: Annotated[
        bool, typer.Option(help="Ask the real model; needs ANTHROPIC_API_KEY.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port of the local GitHub's pages.")] = 0,
) -> None:
    """The whole job on this machine, without accounts."""
    from demo.play import run_demo

    with errors_told(), scratch_folder() as scratch:
        raise typer.Exit(run_demo(once=once, real=real, port=port, scratch=scratch))


app.command()(trigger)
app.command()(optimize)
app.add_typer(dataset)
