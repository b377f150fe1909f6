"""A repository was renamed, opened, closed or deleted: nobody asks for anything by that.

What the bot has to know of it is learnt before anything is decided (`bot/upkeep/privacy.py`).
"""

from handlers.decisions import Decision, Ignore
from handlers.events import RepositoryChanged
from handlers.questions import HandlerContext, Questions


async def on_repository_changed(
    event: RepositoryChanged, _: HandlerContext, __: Questions
) -> Decision:
    """Decide on it; asks nothing."""
    return Ignore(f"the repository is {event.change}, which asks for nothing")
