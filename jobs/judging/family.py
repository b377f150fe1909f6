"""Whether a judge is of the same family of models as what it judges.

A judge can favour what its own kind writes: one study measured +0.14 of self-preference on
average, at the level of the family, and another found half of such findings to be something else
(arXiv 2601.22548). Both arms of a run have the same model, so neither is favoured for it; how
strict the judge is may still be another matter than with a judge of another family. So it is
told, and changes no score.
"""

import re
from collections.abc import Iterable

from jobs.planning.model_names import find_family, same_model

_FAMILIES = {
    "Claude": r"claude",
    "GPT": r"(?:chat)?gpt|codex|o[1-9](?![0-9a-z])",
    "Gemini": r"gemini|gemma|learnlm",
    "Llama": r"(?:meta-)?llama",
    "Mistral": r"mistral|mixtral|ministral|magistral|codestral|devstral|pixtral",
    "Qwen": r"qwen|qwq",
    "DeepSeek": r"deepseek",
    "Grok": r"grok",
    "Command": r"command-(?:a|r)(?![a-z])|c4ai",
    "Kimi": r"kimi|moonshot",
    "GLM": r"(?:chat)?glm",
    "Phi": r"phi-",
    "Nova": r"nova-(?:micro|lite|pro|premier)",
    "MiniMax": r"minimax|abab",
}
"""How the names of each family's models begin, wherever in an id that stands."""
_NAMES = {
    family: re.compile(rf"(?<![a-z0-9])(?:{pattern})", re.IGNORECASE)
    for family, pattern in _FAMILIES.items()
}


def find_families(model: str) -> frozenset[str]:
    """The families that a model's name tells of; none of a name that nobody knows.

    A model made from two of them, such as `deepseek-r1-distill-llama-70b`, is of both.
    """
    found = frozenset(family for family, name in _NAMES.items() if name.search(model))
    return found | {"Claude"} if find_family(model) else found  # `opus` alone is one, too


def find_shared_family(judge: str, tested: str) -> str:
    """The family that both names tell of; the tested name where both are one unknown model.

    Empty where they share none, or nobody can tell.
    """
    shared = sorted(find_families(judge) & find_families(tested))
    if shared:
        return shared[0]
    return tested if same_model(judge, tested) else ""


def find_relatives(judges: Iterable[str], tested: Iterable[str]) -> list[str]:
    """The families that some judge and some tested model share, each once."""
    models = list(tested)
    found = (find_shared_family(judge, model) for judge in judges for model in models)
    return list(dict.fromkeys(family for family in found if family))
