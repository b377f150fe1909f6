"""What this repository has waiting and running; of others only how much, never whose."""

from jobs.inquiries.words import asked_words, in_code, when
from jobs.inquiries.world import InquiryWorld, Queued
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, fit
from jobs.requests import Request

MOST_ROWS = 50


async def answer_queue(request: Request, world: InquiryWorld) -> str:
    """A table of the repository's requests, the next one first."""
    queues = await world.queue.look()
    ours = request.repo.full_name.casefold()
    own = [one for one in queues.askings if one.request.repo.full_name.casefold() == ours]
    others = [one for one in queues.askings if one.request.repo.full_name.casefold() != ours]
    running = sum(one.is_running for one in own)
    head = f"### 🚦 Queue: {running} in progress, {len(own) - running} waiting"
    rows = [_row(one) for one in own[:MOST_ROWS]]
    table = "| | Asked for | Where | By | When |\n|:--|:--|:--|:--|:--|\n"
    parts = [Blocks(rows, "*Shortened.*", before=table)]
    if not own:
        parts = [Blocks(["Nothing of this repository is waiting or in progress."], "")]
    rest = len(own) - MOST_ROWS
    more = f"{numbers.plural(rest, 'more request')} of this repository. " if rest > 0 else ""
    return fit([head], parts, [f"<sub>{more}{_others(others)}</sub>"])


def _row(one: Queued) -> str:
    request = one.request
    place = "▶️ in progress" if one.is_running else f"⏳ {numbers.count(one.position)}."
    cells = (
        place,
        asked_words(request),
        in_code(f"#{request.issue}") if request.issue else "the repository",
        escape.inline(request.asker, 60),
        when(request.asked_at),
    )
    return f"| {' | '.join(cells)} |"


def _others(others: list[Queued]) -> str:
    running = sum(one.is_running for one in others)
    waiting = len(others) - running
    if not others:
        return "Nothing of other repositories is in the way."
    return (
        f"Other repositories: {running} in progress, {waiting} waiting. Repositories take turns; "
        "a number counts everything that begins before."
    )
