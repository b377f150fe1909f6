"""What became of the requests of one issue: waiting, in progress, ended."""

from collections.abc import Sequence

from jobs.inquiries.own_comments import Told, read_told
from jobs.inquiries.words import asked_words, in_code, when
from jobs.inquiries.world import InquiryWorld, Queued
from jobs.keeping import find_begun, find_result, request_folder
from jobs.planning.plan import Plan
from jobs.reporting import escape
from jobs.reporting.fit import Blocks, fit
from jobs.requests import Request
from jobs.values import RunSpec
from jobs.world import World

MOST_ENDED = 5
MOST_RUNS = 20


async def answer_status(request: Request, world: InquiryWorld) -> str:
    """A list of what waits and runs, and the newest of what has ended, with links."""
    queues = await world.queue.look()
    ours = (request.repo.full_name.casefold(), request.issue)
    here = [
        one
        for one in queues.askings
        if (one.request.repo.full_name.casefold(), one.request.issue) == ours
    ]
    told = read_told(await world.place.github.comments(request.issue))
    comments = {(one.key, one.asked_at): one for one in told if not one.is_last_word}
    blocks = []
    for one in here:
        comment = comments.get((one.request.key, one.request.asked_at))
        blocks.append(await _block(one, comment, world.place))
    queued = {(one.request.key, one.request.asked_at) for one in here}
    answered = {(one.key, one.asked_at) for one in told if one.is_last_word}
    ended = [
        one
        for one in told
        if (one.key, one.asked_at) not in queued
        and (one.is_last_word or (one.key, one.asked_at) not in answered)
    ]
    running = sum(one.is_running for one in here)
    head = f"### 📍 Status: {running} in progress, {len(here) - running} waiting"
    parts = [
        Blocks(blocks, "*Shortened.*", between="\n\n"),
        Blocks(_ended(ended), "", before="**Ended**, the newest first:\n\n"),
    ]
    bottom = "" if here or ended else _nothing(world)
    return fit([head], parts, [bottom])


async def _block(one: Queued, comment: Told | None, world: World) -> str:
    """One request: what it asks for, where it stands, and what its runs do."""
    request = one.request
    begun = await find_begun(request, world.runs.blobs) if one.is_running else None
    if begun is not None:
        where = f"▶️ **In progress** since {when(begun)}"
    elif one.is_running:
        where = "▶️ **In progress**, just begun"
    else:
        where = f"⏳ **Waiting**, number {one.position} of all that wait"
    asked = f"asked for by {escape.inline(request.asker, 60)} on {when(request.asked_at)}"
    link = f" · [its comment]({escape.address(comment.url)})" if comment else ""
    lines = [f"{where}: {asked_words(request)}, {asked}{link}"]
    rows = await _rows(request, world) if one.is_running else []
    if rows:
        lines += ["", "| Run | Eval case | Skill | Model | |", "|:--|:--|:--|:--|:--|", *rows]
    return "\n".join(lines)


async def _rows(request: Request, world: World) -> list[str]:
    """The planned runs of a comparison; a measurement of a description has none."""
    if request.kind != "benchmark":
        return []
    stored = await world.runs.blobs.get(f"{request_folder(request)}/plan.json")
    if stored is None:
        return []
    runs = Plan.model_validate_json(stored).runs[:MOST_RUNS]
    return [await _row(spec, world) for spec in runs]


async def _row(spec: RunSpec, world: World) -> str:
    result = await find_result(spec, world.runs)
    if result is None:
        state = "🏃 under way"
    else:
        state = "✅ ended" if result.graded else "⚠️ ended without a score"
    cells = (
        in_code(spec.run_id),
        in_code(spec.eval_case.id, 80),
        in_code(spec.skill.name, 80),
        in_code(spec.model.sent, 80),
        state,
    )
    return f"| {' | '.join(cells)} |"


def _ended(told: Sequence[Told]) -> list[str]:
    return [
        f"- {when(one.asked_at)}: [{one.headline or 'answer'}]({escape.address(one.url)})"
        for one in told[:MOST_ENDED]
    ]


def _nothing(world: InquiryWorld) -> str:
    run = escape.code(f"{world.mention} run")
    return f"Nothing was asked for on this issue yet. To begin: {run}."
