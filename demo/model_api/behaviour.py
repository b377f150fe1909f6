"""What the scripted model does when no test tells it: works in a session, or judges.

The judge is known by its system prompt; everything else is a session.
"""

from demo.model_api.asked import Asked
from demo.model_api.judge import judge
from demo.model_api.steps import Reply
from demo.model_api.worker import work
from jobs.judging.prompt import SYSTEM


def behave(asked: Asked) -> Reply:
    """The answer to one request, from the conversation alone: nothing is remembered."""
    return judge(asked) if asked.system.strip() == SYSTEM.strip() else work(asked)
