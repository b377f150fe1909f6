"""`skillbench demo`: the whole job on one machine, with its outside world in miniature.

Starts a Redis, the local GitHub, the scripted model, the bot and a worker; opens the sample
issues, labels one, and tells each step. Everything between the webhook and the comment is
the real thing.
"""

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import SecretStr
from rich.console import Console

from bot.cli.serving import make_app, run_worker
from bot.cli.stopping import STOPPED, until_stopped
from bot.embedded_redis import embedded_redis
from bot.github.pacing import Pacer
from config.log import set_up_logging
from config.repo_file import RepoFile
from config.settings import Settings
from demo.github import LocalGitHub, RepositoryHandle
from demo.github.serving import open_socket, serving
from demo.model_api import ScriptedModelApi
from demo.steps import tell_steps
from jobs.alongside import alongside
from jobs.errors import Error
from jobs.requests import NEEDS_BENCHMARK
from jobs.sessions.sandboxes import make_sandbox_maker

HERE = Path(__file__).parent
OWNER, NAME = "sample-org", "skills"
PERSON = "maria"
SAMPLE_DATASET = "front-desk sample"
"""Benchmark and dataset of the sample repository, as a command names them."""
LABELLED = 1
"""Number of the issue that the demo labels."""
REPORT_WAIT_S = 600.0
REPORT = "<!-- skillbench:v1 "

DONE, NO_REPORT = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The running demo, for whoever acts in it."""

    github: LocalGitHub
    repository: RepositoryHandle
    web_url: str
    bot_url: str
    settings: Settings
    model_api: ScriptedModelApi
    working: asyncio.Future[None]
    """Ends where the worker of this process fails; pending for ever where there is none."""


def run_demo(*, once: bool, real: bool, port: int, scratch: Path) -> int:
    """Play the demo; gives 0 if the report was posted, else 1. Ctrl-C ends it.

    Raises `Error` where something that it needs is missing, saying what to do.
    """
    set_up_logging(as_json=False, level=30)
    ended = until_stopped(_play(once=once, real=real, port=port, scratch=scratch))
    return STOPPED if ended is None else ended


async def _play(*, once: bool, real: bool, port: int, scratch: Path) -> int:
    console = Console(highlight=False, soft_wrap=True)
    print_plainly = partial(console.print, markup=False)
    if real and not make_settings({}).anthropic_api_key.get_secret_value():
        raise Error("--real asks the real model: set ANTHROPIC_API_KEY, or leave it out.")
    sandbox = await _choose_sandbox(console, real=real)
    setting = Setting(sandbox=sandbox, real=real, port=port, seed=seed_samples)
    async with staged(scratch, setting) as stage:
        page = f"{stage.web_url}/{OWNER}/{NAME}/issues/{LABELLED}"
        console.print(f"local GitHub   {stage.web_url}/{OWNER}/{NAME}")
        if not once:
            await asyncio.to_thread(_put_datasets, stage.settings.datasets)
            console.print(f"dashboard      {stage.bot_url}/")
            console.print(f"datasets       {stage.bot_url}/tasks")
        console.print(f"issue          [bold]{page}[/bold]\n")
        telling = asyncio.create_task(tell_steps(stage.github, console))
        try:
            # an eval case like those that `sync`, pushes and summaries look at
            stage.repository.label(LABELLED, *RepoFile().labels.evals[:1], by=PERSON)
            stage.repository.label(LABELLED, NEEDS_BENCHMARK, by=PERSON)
            console.print(f"{PERSON} labels issue {LABELLED} {NEEDS_BENCHMARK}")
            report = await _wait_for_report(stage)
            # nobody could open the page of a demo that ends here
            where = "`make demo` alone keeps its page open." if once else f"The page: {page}"
            if report:
                print_plainly(f"\nThe report is there: {find_headline(report)}\n{where}")
            else:
                last = next(iter(stage.repository.comments(LABELLED)[-1:]), "nothing")
                print_plainly(f"\nNo report came. What the bot said: {last.strip()}\n{where}")
            if not once:
                print_plainly(_more(stage.settings, real=real))
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({stage.working})
        finally:
            telling.cancel()
    return DONE if report else NO_REPORT


def find_headline(report: str) -> str:
    """The line of a report that says how it came out; empty where there is none."""
    lines = (line for line in report.splitlines() if line.startswith("## "))
    return next(lines, "").removeprefix("## ")


def _more(settings: Settings, *, real: bool) -> str:
    """What can be done beside a demo that goes on."""
    lines = [
        f"Label another issue, comment a command, or run a dataset on {settings.public_url}/tasks",
        "Ctrl-C ends it.",
    ]
    if not real:
        models = f"--model {settings.model} --judge {settings.judge_model}"
        of_dataset = (
            f"--target-model {settings.model} --user-model {settings.model} "
            f"--eval-model {settings.judge_model}"
        )
        lines += [
            "The command line can ask its model, too, for as long as it runs:",
            f"  export ANTHROPIC_BASE_URL={settings.anthropic_base_url} ANTHROPIC_API_KEY=scripted",
            f"  .venv/bin/skillbench run demo/sample --skill release-notes {models}",
            f"  .venv/bin/skillbench dataset {SAMPLE_DATASET} --data demo/sample {of_dataset}",
        ]
    return "\n".join(lines)


def _put_datasets(folder: Path) -> None:
    """Offer the sample repository's datasets on the bot's pages, too."""
    shutil.copytree(HERE / "sample/data", folder, dirs_exist_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a demo's world is made of; tests change what they are about."""

    sandbox: str = "bubblewrap"
    real: bool = False
    """Ask the real model, with the key of the environment."""
    port: int = 0
    """Port of the local GitHub; 0 is any."""
    seed: Callable[[LocalGitHub], RepositoryHandle]
    private_key_pem: str | None = None
    model_api: ScriptedModelApi = field(default_factory=ScriptedModelApi)
    pacer: Pacer | None = None
    worker: bool = True
    """Work in this process; a test that kills workers starts its own."""
    changes: Mapping[str, object] = field(default_factory=dict)
    """Settings of the bot beside the demo's own."""


@asynccontextmanager
async def staged(scratch: Path, setting: Setting) -> AsyncIterator[Stage]:
    """The demo's world, set up and running while the block runs."""
    secret = secrets.token_urlsafe(24)
    async with AsyncExitStack() as stack:
        redis_url = await stack.enter_async_context(embedded_redis(scratch / "redis"))
        github = LocalGitHub(webhook_secret=secret, private_key_pem=setting.private_key_pem)
        served = await stack.enter_async_context(github.serve(port=setting.port))
        api = await stack.enter_async_context(setting.model_api.serve())
        bound = open_socket("127.0.0.1", 0)
        bot_url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        given: dict[str, object] = {
            "github_app_id": str(github.app_id),
            "github_private_key": SecretStr(github.private_key_pem),
            "github_webhook_secret": SecretStr(secret),
            "github_api_url": served.api_url,
            "github_web_url": served.web_url,
            "allowed_owners": OWNER,
            "public_url": bot_url,
            "redis_url": redis_url,
            "data_dir": scratch / "data",
            "sandbox": setting.sandbox,
        }
        if not setting.real:
            given |= scripted(api.anthropic_url)
        settings = make_settings({**given, **setting.changes})
        repository = setting.seed(github)
        await stack.enter_async_context(serving(make_app(settings), bound))
        github.set_webhook(f"{bot_url}/webhook", secret)
        working: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if setting.worker:
            work = run_worker(settings, scratch / "work", pacer=setting.pacer)
            working = await stack.enter_async_context(alongside(work))
        yield Stage(
            github=github,
            repository=repository,
            web_url=served.web_url,
            bot_url=bot_url,
            settings=settings,
            model_api=setting.model_api,
            working=working,
        )


def make_settings(given: Mapping[str, object]) -> Settings:
    """Settings of the demo alone: nothing of a `.env` file, everything named wins."""
    return Settings(_env_file=None, **given)  # type: ignore[arg-type]


def scripted(anthropic_url: str) -> dict[str, object]:
    """The settings that put the scripted model in the place of real ones."""
    return {
        "model": "scripted-demo",
        "judge_model": "scripted-demo-judge",
        "guesser_model": "scripted-demo-judge",
        "guesser_share": 0,  # which runs are in a sample differs from play to play
        "anthropic_api_key": SecretStr("scripted"),
        "anthropic_base_url": anthropic_url,
        "openai_api_key": SecretStr(""),
        "openai_base_url": "https://api.openai.com/v1",
        "gemini_api_key": SecretStr(""),
    }


def seed_samples(github: LocalGitHub) -> RepositoryHandle:
    """The sample skills, a person who may write, and the sample issues."""
    github.add_person(PERSON)
    repository = github.add_repository(
        OWNER, NAME, folder=HERE / "sample", owner_kind="Organization"
    )
    github.add_person(PERSON, {f"{OWNER}/{NAME}": "write"})
    for path in sorted((HERE / "issues").glob("*.md")):
        title, _, body = path.read_text(encoding="utf-8").partition("\n")
        repository.open_issue(author=PERSON, title=title.removeprefix("# "), body=body.strip())
    return repository


async def _wait_for_report(stage: Stage) -> str | None:
    """Wait until the request has ended; gives the report, if one was posted.

    Raises what the worker fails with.
    """
    repository = stage.repository
    with suppress(TimeoutError):
        async with asyncio.timeout(REPORT_WAIT_S):
            while NEEDS_BENCHMARK in repository.labels(LABELLED):
                if stage.working.done():
                    stage.working.result()
                await asyncio.sleep(0.1)
    return next((body for body in repository.comments(LABELLED) if REPORT in body), None)


async def _choose_sandbox(console: Console, *, real: bool) -> str:
    """bubblewrap; where it cannot work, none for the demo's own trusted script."""
    problem = await make_sandbox_maker("bubblewrap").problem()
    if problem is None:
        return "bubblewrap"
    if real:
        raise Error(f"a real model runs commands of its own and needs a sandbox: {problem}")
    console.print(f"No sandbox: {problem}", style="yellow")
    console.print("The scripted model runs only the demo's own commands, so it goes on without.\n")
    return "none"
