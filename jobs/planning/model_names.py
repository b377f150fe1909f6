"""What a model's name says: its identity, its provider, whether it is an alias.

An identity exists to compare records with; it is never sent to anybody. Which models
exist is not decided here: that is the catalog's to ask.
"""

import re
from typing import Literal

Provider = Literal["anthropic", "openai", "gemini"]

FAMILIES = ("sonnet", "opus", "haiku", "fable", "mythos")
"""Families of Claude that can be asked for by name alone (the Models API calls them lines)."""

_VENDOR = (
    "ai21|amazon|anthropic|azure|cohere|deepseek-ai|deepseek|gemini|google|groq|meta-llama|meta|"
    "microsoft|minimax|mistralai|mistral|moonshotai|moonshot|nvidia|ollama|openai|qwen|together|"
    "x-ai|xai"
)
_GATEWAY = "amazon-bedrock|bedrock|converse|fireworks|models|openrouter|vertex_ai|vertex"
_REGION = "af|apac|au|ca|eu|global|il|jp|me|mx|sa|us-gov|us"

# `anthropic/`, `models/`, `openai:` in front of a name, `bedrock/us-east-1/` with the data
# centre, and Vertex's `publishers/anthropic/models/` with the project and place before it.
_SLASH_PREFIX = re.compile(
    rf"(?:projects/[^/]+/)?(?:locations/[^/]+/)?publishers/[^/]+/models/"
    rf"|(?:{_VENDOR}|{_GATEWAY})[/:](?:[a-z]+(?:-[a-z]+)+-?\d+/)?"
)
# Amazon's resource names end in the id: arn:aws:bedrock:REGION:ACCOUNT:inference-profile/ID
_ARN_PREFIX = re.compile(r"arn:[^/]*/")
# Bedrock writes the region and the vendor with a dot: us.anthropic.claude-...
_DOT_PREFIX = re.compile(rf"(?:(?:{_REGION})\.)?(?:{_VENDOR})\.")
# Bedrock's version of a model, sometimes with a context length: -v1:0, -v2:0:200k
_VERSION_SUFFIX = re.compile(r"-v\d+:\d+(?::\w+)?$")
# Of some Claude models it lacks the second part: anthropic.claude-opus-4-6-v1
_CLAUDE_VERSION_SUFFIX = re.compile(r"(?P<name>claude-.*\d)-v\d+")
_IGNORED = re.compile(r"[\s\-_.@]+")

_EXPLICIT: dict[str, Provider] = {
    "anthropic/": "anthropic",
    "anthropic:": "anthropic",
    "openai/": "openai",
    "openai:": "openai",
    "gemini/": "gemini",
    "gemini:": "gemini",
    "google/": "gemini",
    "google:": "gemini",
    "models/": "gemini",
}
_OPENAI_NAME = re.compile(r"(?:gpt|chatgpt|codex|o[1-9](?![a-z]))")
_LATEST = re.compile(r"[\s\-_.]latest$")
_DATE = re.compile(r"(?:19|20)\d{2}[01]\d[0-3]\d$")
_VERSION = re.compile(r"0\d\d")


def _bare(model: str) -> str:
    """A name in lower case without the prefixes and the suffix that say only where it runs."""
    name = model.strip().lower()
    while True:
        shorter = name
        for prefix in (_ARN_PREFIX, _SLASH_PREFIX, _DOT_PREFIX):
            found = prefix.match(shorter)
            if found and found.end() < len(shorter):
                shorter = shorter[found.end() :]
        if shorter == name:
            bare = _VERSION_SUFFIX.sub("", name)
            claude = _CLAUDE_VERSION_SUFFIX.fullmatch(bare)
            return claude["name"] if claude else bare
        name = shorter


def identity(model: str) -> str:
    """The name for comparison: `Claude Sonnet 4.6` and `us.anthropic.claude-sonnet-4-6-v1:0`
    are both `claudesonnet46`. Dates stay: two snapshots are two models.
    """
    return _IGNORED.sub("", _bare(model))


def split_provider(model: str) -> tuple[Provider | None, str]:
    """The provider that an explicit prefix names, and what follows the prefix.

    `models/` names Gemini and belongs to the id, so it is left on it.
    """
    name = model.strip()
    for prefix, provider in _EXPLICIT.items():
        if name.lower().startswith(prefix) and len(name) > len(prefix):
            return provider, name if prefix == "models/" else name[len(prefix) :]
    return None, name


def find_provider(model: str) -> Provider | None:
    """The provider that a prefix or else the name points to; None if neither does."""
    explicit, _ = split_provider(model)
    if explicit:
        return explicit
    name = _bare(model)
    if name.startswith("claude") or find_family(model):
        return "anthropic"
    if name.startswith("gemini"):
        return "gemini"
    return "openai" if _OPENAI_NAME.match(name) else None


def find_family(model: str) -> str | None:
    """The family that an alias names: `sonnet`, `claude-sonnet`, `Claude Sonnet latest`.

    None for everything that names a version, a date or anything else beside the family.
    """
    plain = identity(_LATEST.sub("", model.strip().lower()))
    family = plain.removeprefix("claude")
    return family if family in FAMILIES else None


def belongs_to(model: str, family: str) -> bool:
    """Whether an id is one of a Claude family, wherever the family stands in it."""
    words = re.split(r"[^a-z]+", _bare(model))
    return "claude" in words and family in words


def is_floating(model: str) -> bool:
    """Whether the provider itself moves what the name means (`…-latest`)."""
    return _LATEST.search(model.strip().lower()) is not None


def same_model(sent: str, served: str) -> bool:
    """Whether the model that answered is the one that was sent.

    A provider may add the date of the snapshot to an undated id (`gpt-4o` answers as
    `gpt-4o-2024-08-06`), Google the number of the version (`gemini-2.0-flash-001`); any other
    difference is another model.
    """
    ours, theirs = identity(sent), identity(served)
    if ours == theirs:
        return True
    added = theirs.removeprefix(ours) if theirs.startswith(ours) else ""
    is_version = "gemini" in ours and _VERSION.fullmatch(added) is not None
    return is_version or _DATE.fullmatch(added) is not None
