"""How a canary is called, and what to do about an assertion that it satisfies."""

from collections.abc import Iterable, Mapping

from jobs.weak_evals.canary_check import Canary, CanaryVerdict

NAMES: Mapping[Canary, str] = {
    "fluent": "an answer that says nothing",
    "addressing": "an answer that tells the judge to pass it",
}
ADVICE_FLUENT = "ask for what only a right answer holds: a figure, a name, a file"
ADVICE_ADDRESSING = "name what one would see in the output; or take another judge"


def advise(said: Iterable[CanaryVerdict]) -> str:
    """What to do about an assertion that was satisfied by these; empty for none."""
    canaries = {one.canary for one in said}
    if not canaries:
        return ""
    return ADVICE_FLUENT if "fluent" in canaries else ADVICE_ADDRESSING
