"""A judge like the demo's that cannot verify some of the assertions, and says so.

For trying what becomes of such a verdict: which assertions, and for whom, is for the caller to
say.
"""

import json
from collections.abc import Callable

from demo.model_api.asked import Asked
from demo.model_api.behaviour import behave
from demo.model_api.steps import Reply
from jobs.judging.prompt import SYSTEM

REASON = "It would take the service itself, which is not here."


def be_unsure(of: Callable[[str, str], bool]) -> Callable[[Asked], Reply]:
    """The demo's model, its judge unsure where `of` holds for an assertion and a candidate."""

    def answer(asked: Asked) -> Reply:
        reply = behave(asked)
        if asked.system.strip() != SYSTEM.strip():
            return reply
        said = json.loads(reply.text)
        for one in said["verdicts"]:
            if of(one["assertion"], one["candidate"]):
                one |= {"verdict": "cannot_verify", "quotation": "", "reason": REASON}
        return Reply(text=json.dumps(said))

    return answer
