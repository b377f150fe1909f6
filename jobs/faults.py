"""What is wrong with a value from outside, in one sentence."""

from pydantic import ValidationError


def first_fault(error: ValidationError, *, within: str = "", whole: str = "") -> str:
    """The first fault as `place: what is wrong`, without the value itself, which is foreign.

    `within` is what the checked value lies in; `whole` stands for a place where the value as
    such is at fault.
    """
    fault = error.errors(include_url=False, include_input=False)[0]
    steps = [*([within] if within else []), *(str(step) for step in fault["loc"])]
    place = ".".join(steps) or whole
    message = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
