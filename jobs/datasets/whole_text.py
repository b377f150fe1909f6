"""Texts of targets, judges and files without half characters.

JSON can spell half of a character (`\ud800`), and what holds one can be neither stored nor shown.
In what a target or a judge says it becomes a question mark; in a dataset it is refused.
"""

from typing import Any

from pydantic import model_validator

from jobs.requests import Value


class Heard(Value):
    """What somebody else has said; its texts are made whole, however deep they lie."""

    @model_validator(mode="before")
    @classmethod
    def _without_halves(cls, given: Any) -> Any:
        return mended(given)


def mended(value: Any) -> Any:
    """The same plain value with whole texts."""
    if isinstance(value, str):
        return value if is_whole(value) else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {mended(key): mended(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(mended(one) for one in value)
    return value


def is_whole(text: str) -> bool:
    """Whether a text can be written at all."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
