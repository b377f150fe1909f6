"""What the scripted model does when no test tells it: works in a session, chooses, or judges.

The judge, who may be asked to explain failures too, the guesser and the writer of descriptions are
known by their system prompts, a session that may choose a skill by its tools, a run of a dataset
by its judge, its user or its question; everything else is a session at work.
"""

from demo.model_api.analyst import explain, is_explaining
from demo.model_api.asked import Asked
from demo.model_api.chooser import choose, is_choosing, is_writing, write_description
from demo.model_api.front_desk import find_part
from demo.model_api.guesser import guess, is_guessing
from demo.model_api.judge import judge
from demo.model_api.steps import Reply
from demo.model_api.worker import work
from jobs.judging.prompt import SYSTEM


def behave(asked: Asked) -> Reply:
    """The answer to one request, from the conversation alone: nothing is remembered."""
    if asked.system.strip() == SYSTEM.strip():
        return judge(asked)
    if is_writing(asked):
        return write_description(asked)
    if is_guessing(asked):
        return guess(asked)
    if is_explaining(asked):
        return explain(asked)
    if part := find_part(asked):
        return part(asked)
    return choose(asked) if is_choosing(asked) else work(asked)
