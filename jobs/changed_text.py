"""Whether the text of an issue is still what was asked about.

An issue's author can change its text at any time, also between the label of somebody who has
read it and the moment in which it is spent money on. So a change by somebody who may not run
anything here asks whoever asked to look again. Where nobody looks at the issue, because a push or
a pull request asks for what stands in it, such a text is run only if it was measured before just
as it is: somebody who may run has then asked for it.
"""

import asyncio

from config.settings import names_in
from jobs.content.issue_case import draft_from_issue
from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.planning.plan import Plan
from jobs.ports import Edit, Issue
from jobs.requests import TOLD_ELSEWHERE, Origin, Request
from jobs.world import World

ASKED_BY_PEOPLE: frozenset[Origin] = frozenset({"label", "comment", "pull_request"})
"""Origins of benchmarks that somebody asked for who could look at the text."""


async def refuse_changed_text(request: Request, issue: Issue, world: World) -> None:
    """Raises `Refused` where the issue's text is an eval case that a stranger changed since.

    `issue` was read before this, so a change that comes later is not in it.
    """
    if request.origin not in ASKED_BY_PEOPLE or issue.is_pull_request:
        return
    if await asyncio.to_thread(_is_own_case, request, issue):
        await refuse_later_edit(request, issue, world)


async def refuse_later_edit(request: Request, issue: Issue, world: World) -> None:
    """Raises `Refused` where a stranger changed an issue's text since it was asked about."""
    edit = await world.github.last_edit(issue.number)
    if edit is None or edit.at < (request.text_as_of or request.asked_at).replace(microsecond=0):
        return
    if await _may_run(edit, world):
        return
    repo_file = await world.github.repo_file()
    mention = repo_file.mention or world.runs.settings.mention
    again = f"comment `{mention} {'run' if request.kind == 'benchmark' else request.kind}`"
    if request.origin == "pull_request":
        again = f"press `Run benchmark` again, or {again}"
    elif request.kind == "benchmark":
        again = f"put the label {quoted(request.label)} on again, or {again}"
    raise Refused(
        f"The text was changed by {quoted(edit.by)}, who may not start runs here, after it was "
        f"asked for. Look at it once more; then {again}."
    )


async def refuse_unseen_text(
    plan: Plan, issue: Issue, world: World, *, is_named: bool = True
) -> None:
    """Raises `Refused` where a push or a pull request would run what a stranger wrote last.

    So would a command for all eval cases of a skill, which names none of them (`is_named`).
    `issue` is the one that may hold the eval case. Whoever asks for it there has looked at it, and
    from then on pushes and pull requests run it as well.
    """
    digests = {one.eval_case.digest for one in plan.runs}
    is_looked_at = plan.request.origin not in TOLD_ELSEWHERE and is_named
    if is_looked_at or not digests or issue.is_pull_request:
        return
    if {one.eval_case.id for one in plan.runs} != {f"github-issue-{issue.number}"}:
        return
    edit = await world.github.last_edit(issue.number)
    if edit is None or await _may_run(edit, world):
        return
    records = await world.ledger.records(plan.request.repo.full_name)
    if digests <= {one.eval_digest for one in records}:
        return
    mention = (await world.github.repo_file()).mention or world.runs.settings.mention
    raise Refused(
        f"The text of {quoted(f'#{issue.number}')} was changed last by {quoted(edit.by)}, who may "
        "not start runs here, and nobody has asked for it since. Look at it; then comment "
        f"`{mention} run` on it, and it is run whenever others ask for it, too."
    )


def _is_own_case(request: Request, issue: Issue) -> bool:
    """Whether the run would be about what the issue itself says."""
    if request.eval_id not in {None, f"github-issue-{issue.number}", f"#{issue.number}"}:
        return False
    return not draft_from_issue(issue.number, issue.body).missing()


async def _may_run(edit: Edit, world: World) -> bool:
    if edit.is_bot:
        trusted = names_in(world.runs.settings.allowed_bots)
        return edit.by.casefold() in {name.casefold().removesuffix("[bot]") for name in trusted}
    role = await world.github.permission(edit.by)
    return (await world.github.repo_file()).permissions.allow("run", role)
