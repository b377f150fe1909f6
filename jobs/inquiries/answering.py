"""Answers reading commands, each by its own module; whatever stands in the way is said as well."""

from collections.abc import Awaitable, Callable, Mapping

from jobs.errors import UserError
from jobs.inquiries.config import answer_config
from jobs.inquiries.estimate import answer_estimate
from jobs.inquiries.lint import answer_lint
from jobs.inquiries.ping import answer_ping
from jobs.inquiries.queue import answer_queue
from jobs.inquiries.results import answer_results
from jobs.inquiries.status import answer_status
from jobs.inquiries.world import InquiryWorld
from jobs.reporting import escape
from jobs.requests import Inquiry, Reading, Request

Answer = Callable[[Request, InquiryWorld], Awaitable[str]]

ANSWERS: Mapping[Reading, Answer] = {
    "ping": answer_ping,
    "status": answer_status,
    "queue": answer_queue,
    "results": answer_results,
    "lint": answer_lint,
    "config": answer_config,
    "estimate": answer_estimate,
}


async def answer(inquiry: Inquiry, world: InquiryWorld) -> str:
    """The Markdown that answers an inquiry; a refusal is an answer, too.

    Raises `Transient` and `Gone` as GitHub does, and spends nothing.
    """
    try:
        return await ANSWERS[inquiry.name](inquiry.request, world)
    except UserError as refusal:
        name = escape.code(inquiry.name)
        return (
            f"🚫 {name} **cannot be answered:** {escape.message(escape.clip(str(refusal), 8_000))}"
        )
