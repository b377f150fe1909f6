"""The one place where the ports of the jobs meet what fills them.

Imports the model SDKs, so only workers and one-shot commands load it.
"""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bot.blobs import PATIENCE_S, Blobs
from bot.dataset_worlds import DatasetWorlds
from config.settings import Settings
from jobs.claude_code.cli import ClaudeCli
from jobs.claude_code.conversation import CliConversations, ModelApi
from jobs.claude_code.launcher import ClaudeCodeLauncher
from jobs.environments.environments import SandboxEnvironments
from jobs.environments.folders import Folders
from jobs.environments.images import find_image_id
from jobs.environments.setup import SetupRunner
from jobs.errors import Refused
from jobs.judging.judge import AgentJudge
from jobs.live_sessions import UNWATCHED, LiveSessions
from jobs.models.agent import ModelAgent
from jobs.models.catalog import ApiModelCatalog
from jobs.models.doors import Doors
from jobs.ports import Budget
from jobs.sandbox import SandboxMaker
from jobs.sessions.api_launcher import ApiLauncher
from jobs.sessions.sandboxes import make_sandbox_maker, runs_programs
from jobs.sessions.tools import SessionTools
from jobs.triggering.api_observer import ApiObserver
from jobs.triggering.claude_observer import ClaudeObserver
from jobs.triggering.world import Observers, TriggerWorld
from jobs.world import Launchers, RunWorld


class Worlds(NamedTuple):
    """What each kind of request is carried out in; they share their connections."""

    runs: RunWorld
    triggers: TriggerWorld
    datasets: DatasetWorlds


def utc_now() -> datetime:
    return datetime.now(UTC)


async def make_worlds(
    settings: Settings, *, budget: Budget, scratch: Path, live: LiveSessions = UNWATCHED
) -> Worlds:
    """What requests need. Raises `Refused`, saying what to do, where no sandbox can work here."""
    sandboxes = make_sandbox_maker(
        settings.sandbox, docker_image=settings.docker_image, docker_host=settings.docker_host
    )
    if problem := await sandboxes.problem():
        raise Refused(problem)
    await asyncio.to_thread((doors := Doors(settings)).load)
    agent, catalog = ModelAgent(doors), ApiModelCatalog(doors)
    blobs = Blobs(settings.blobs, pauses_s=PATIENCE_S)
    api = ApiLauncher(agent, sandboxes, memory_mb=settings.session_memory_mb)
    runs = RunWorld(
        launchers=make_launchers(settings, api, sandboxes),
        environments=await make_environments(settings, sandboxes, scratch),
        sandboxes=sandboxes,
        judge=AgentJudge(agent, sandboxes, SessionTools),
        catalog=catalog,
        blobs=blobs,
        budget=budget,
        settings=settings,
        clock=utc_now,
        scratch=scratch,
        live=live,
    )
    triggers = TriggerWorld(
        observers=make_observers(settings, agent, sandboxes, scratch / "queries"),
        agent=agent,
        catalog=catalog,
        blobs=blobs,
        budget=budget,
        settings=settings,
        clock=utc_now,
        scratch=scratch,
    )
    datasets = DatasetWorlds(
        settings=settings,
        agent=agent,
        catalog=catalog,
        sandboxes=sandboxes,
        clock=utc_now,
        scratch=scratch,
    )
    return Worlds(runs, triggers, datasets)


async def make_environments(
    settings: Settings, sandboxes: SandboxMaker, scratch: Path
) -> SandboxEnvironments:
    """Environments in the data folder, without those that nobody has asked for in a month."""
    folders = Folders(settings.data_dir / "environments")
    await asyncio.to_thread(folders.sweep)
    return SandboxEnvironments(
        runner=SetupRunner(
            sandboxes=sandboxes,
            timeout_s=settings.setup_timeout.total_seconds(),
            memory_mb=settings.session_memory_mb,
        ),
        folders=folders,
        find_image_id=lambda environment: find_image_id(environment, settings.docker_host),
        scratch=scratch,
    )


def make_launchers(settings: Settings, api: ApiLauncher, sandboxes: SandboxMaker) -> Launchers:
    """Our own loop, and Claude Code where it is installed and its key is set."""
    try:
        conversations = make_conversations(settings, sandboxes)
    except Refused as reason:
        return Launchers({"api": api}, {"claude-code": str(reason)})
    claude = ClaudeCodeLauncher(conversations=conversations)
    return Launchers({"api": api, "claude-code": claude}, {})


def make_observers(
    settings: Settings, agent: ModelAgent, sandboxes: SandboxMaker, scratch: Path
) -> Observers:
    """The same two, for sessions that are watched for the skill they use."""
    api = ApiObserver(
        agent=agent, sandboxes=sandboxes, memory_mb=settings.session_memory_mb, scratch=scratch
    )
    try:
        conversations = make_conversations(settings, sandboxes)
    except Refused as reason:
        return Observers({"api": api}, {"claude-code": str(reason)})
    claude = ClaudeObserver(conversations=conversations, scratch=scratch)
    return Observers({"api": api, "claude-code": claude}, {})


def make_conversations(settings: Settings, sandboxes: SandboxMaker) -> CliConversations:
    """Conversations in Claude Code. Raises `Refused` with what it lacks here."""
    if not runs_programs(sandboxes):
        raise Refused(
            f"it needs the sandbox `bubblewrap` or `docker`, and this is `{sandboxes.name}`."
        )
    if not settings.anthropic_api_key.get_secret_value():
        raise Refused("ANTHROPIC_API_KEY is not set.")
    return CliConversations(
        cli=ClaudeCli.find(settings.claude_binary),
        sandboxes=sandboxes,
        api=ModelApi(base_url=settings.anthropic_base_url, key=settings.anthropic_api_key),
        memory_mb=settings.session_memory_mb,
    )
