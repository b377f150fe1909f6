"""A measurement made public: the pull request if there is one to make, the report, the record.

Each step finds what an earlier attempt has done, so that publishing twice publishes once.
"""

import asyncio

import structlog

from jobs.answers import say
from jobs.claude_code.installed_skill import folder_name
from jobs.content.skills import SKILL_FILE, skill_path
from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, Refused
from jobs.reporting import escape
from jobs.requests import Request
from jobs.triggering.found import Found
from jobs.triggering.front_matter import replace_description
from jobs.triggering.history import note_measurement
from jobs.triggering.optimize_report import render_optimization, render_proposal
from jobs.triggering.plan import TriggerPlan
from jobs.triggering.record import remember
from jobs.triggering.report import render_report
from jobs.triggering.report_frame import ReportPlace
from jobs.triggering.world import TriggerRequestWorld

log = structlog.get_logger()


async def publish(
    found: Found, plan: TriggerPlan, snapshot: Snapshot, world: TriggerRequestWorld
) -> str:
    """Propose the better description, post the report, remember it. Gives the report's address.

    Raises `Transient` and `Gone` as GitHub does; where the place to answer is gone, what was
    found is remembered all the same.
    """
    settings = world.triggers.settings
    place = ReportPlace(
        request=plan.request,
        web_url=settings.github_web_url,
        mention=settings.mention,
        proposal=await _propose(found, plan, snapshot, world),
    )
    render = render_optimization if found.optimization else render_report
    body = await asyncio.to_thread(render, found, place)
    try:
        url = await say(plan.request, body, world.place, tag=f"report:{found.run.run_id}")
    except Gone:
        await _remember(found, "", world)
        raise
    await _remember(found, url, world)
    return url


async def _remember(found: Found, url: str, world: TriggerRequestWorld) -> None:
    """For whoever asks for the same, and for whoever looks back."""
    blobs, told = world.triggers.blobs, {"url": url}
    await note_measurement(found.make_history().model_copy(update=told), blobs)
    await remember(found.make_record().model_copy(update=told), blobs)


async def _propose(
    found: Found, plan: TriggerPlan, snapshot: Snapshot, world: TriggerRequestWorld
) -> str:
    """What became of proposing the change, as Markdown; empty where there is none to make."""
    state = found.optimization
    if state is None or not state.improved:
        return ""
    skill = found.run.skill
    path = skill_path(skill.path, SKILL_FILE)
    settings = world.triggers.settings
    place = ReportPlace(
        request=plan.request, web_url=settings.github_web_url, mention=settings.mention
    )
    body = await asyncio.to_thread(
        render_proposal, found, place, _issue_url(plan.request, settings.github_web_url)
    )
    name = folder_name(skill)
    try:
        content = await asyncio.to_thread(snapshot.read_bytes, path)
        pull = await world.place.github.propose(
            branch=f"skillbench/describe-{name}",
            base=plan.commit,
            path=path,
            content=replace_description(content, state.chosen, path),
            title=f"Describe {name[:80]} so that agents use it when they should",
            body=body,
            tag=f"proposal:{found.run.run_id}",
        )
    except Refused as refusal:
        log.warning("not_proposed", problem=str(refusal))
        return f"⚠️ **No pull request:** {escape.message(escape.clip(str(refusal), 1_000))}"
    state_words = "" if pull.is_open else ", which somebody has closed or merged already"
    return f"🔀 **Proposed in [#{pull.number}]({escape.address(pull.url)})**{state_words}."


def _issue_url(request: Request, web_url: str) -> str:
    return f"{web_url}/{request.repo.full_name}/issues/{request.issue}" if request.issue else ""
