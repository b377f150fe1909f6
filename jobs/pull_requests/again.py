"""What `rerun failed` means on a pull request: the newest asking about its head, once more.

Nothing is forced, so what has a score by then is taken as it is, and only the rest is measured.
"""

from collections.abc import Sequence

from jobs.errors import Refused
from jobs.inquiries.own_comments import read_told
from jobs.ports import BlobStore, Comment
from jobs.pull_requests.plan import find_plan
from jobs.requests import Request

SAID = (
    "models", "skill", "eval_id", "launcher", "mode", "environment", "vs", "trials", "until_sure",
    "tier", "judge", "fresh",
)  # fmt: skip
"""Fields of a request that say what is measured, and how."""


async def as_before(
    request: Request, comments: Sequence[Comment], blobs: BlobStore, *, mention: str
) -> Request:
    """The request, about what the newest asking about its head was about.

    Raises `Refused` where nobody has asked about that head yet, or what was asked is not kept any
    more: the usual benchmark would be more than what was asked for.
    """
    for told in read_told(comments):
        earlier = request.model_copy(update={"key": told.key, "asked_at": told.asked_at})
        plan = None if told.key == request.key else await find_plan(earlier, blobs)
        if plan is not None and plan.request.head == request.head:
            return request.model_copy(update={name: getattr(plan.request, name) for name in SAID})
    raise Refused(
        "there is nothing to run again: I know of no benchmark of the head "
        f"`{request.head[:12]}`. To ask for one, comment `{mention} run`."
    )
