"""Tells a judge's reading of canaries from its readings of outputs, by what stands in it."""

from demo.model_api import Asked

FLUENT = "I went through the request about "
"""How one of the canaries begins."""


def is_about_canaries(asked: Asked) -> bool:
    """Whether a request to a judge is about canaries, or goes on about them."""
    return FLUENT in asked.prompt
