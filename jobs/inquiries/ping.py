"""Is the bot alive: its version, its queues, its workers."""

from jobs.inquiries.world import InquiryWorld
from jobs.reporting import escape, numbers
from jobs.requests import Request


async def answer_ping(request: Request, world: InquiryWorld) -> str:
    """Counts only: the queues hold requests of other repositories as well."""
    del request
    queues = await world.queue.look()
    running = sum(one.is_running for one in queues.requests)
    waiting = len(queues.requests) - running
    alive = numbers.plural(queues.workers, "worker")
    verb = "is" if queues.workers == 1 else "are"
    rows = [
        ("Version", escape.code(world.version)),
        ("Workers", f"{alive} {verb} alive" if queues.workers else "⚠️ none is alive"),
        ("Requests", f"{running} in progress, {waiting} waiting"),
        ("Events", f"{queues.events} to look at, this one included"),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"### 🏓 Here I am\n\n| | |\n|:--|:--|\n{table}"
