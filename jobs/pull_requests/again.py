"""What `rerun failed` means on a pull request: the newest asking about its head, once more.

Nothing is forced, so what has a score by then is taken as it is, and only the rest is measured.
"""

from collections.abc import Sequence

from jobs.inquiries.own_comments import read_told
from jobs.ports import BlobStore, Comment
from jobs.pull_requests.plan import find_plan
from jobs.requests import Request

SAID = (
    "models", "skill", "eval_id", "launcher", "mode", "environment", "vs", "trials", "judge",
    "fresh",
)  # fmt: skip
"""Fields of a request that say what is measured, and how."""


async def as_before(request: Request, comments: Sequence[Comment], blobs: BlobStore) -> Request:
    """The request, about what the newest asking about its head was about.

    Itself where nobody has asked about that head yet, or what was asked is not kept any more.
    """
    for told in read_told(comments):
        earlier = request.model_copy(update={"key": told.key, "asked_at": told.asked_at})
        plan = None if told.key == request.key else await find_plan(earlier, blobs)
        if plan is not None and plan.request.head == request.head:
            return request.model_copy(update={name: getattr(plan.request, name) for name in SAID})
    return request
