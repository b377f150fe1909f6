"""Whether a run met the conditions that its manifest names, from its first session to its last."""

from collections.abc import Iterable, Sequence

from jobs.health.manifest import Conditions, Manifest, ReadingConditions
from jobs.matched import ARM_NAMES
from jobs.readings import JudgePass
from jobs.requests import Value
from jobs.values import Limits, SessionResult

_WORDS = {
    "launcher_version": "version of the launcher",
    "tools": "tools",
    "limits": "limits",
    "memory_mb": "memory in MB",
    "sandbox": "kind of sandbox",
    "environment": "environment",
}
"""What a session tells of its world and a manifest names, as a finding calls it."""
_OTHERS = {
    "launcher": "launcher",
    "mode": "mode",
    "model": "model",
    "hosts": "hosts",
    "judge": "judge",
    "prompt_version": "scoring prompt",
}
_DIGEST = 19
"""Characters of a digest that are shown, `sha256:` included."""


def find_changes(
    expected: Conditions | ReadingConditions, now: Conditions | ReadingConditions
) -> list[str]:
    """What is another now than when the run began, each with both values."""
    changes = []
    for field, first in expected:
        second = getattr(now, field)
        if first != second:
            what = (_WORDS | _OTHERS)[field]
            whose = "the judge's " if isinstance(expected, ReadingConditions) else ""
            changes.append(f"{whose}{what}: {_compare(first, second)}")
    return changes


def find_unlike(
    manifest: Manifest, sessions: Iterable[SessionResult], passes: Sequence[JudgePass]
) -> list[str]:
    """How sessions and readings differ from what the manifest says of all of them.

    Once for each kind of difference; what an older session does not tell is not held against it.
    """
    found: dict[str, str] = {}
    expected = manifest.conditions
    for session in sessions:
        if not session.sandbox:
            continue
        for field, what in _WORDS.items():
            wanted, met = getattr(expected, field), getattr(session, field)
            if field == "tools":
                wanted, met = tuple(sorted(wanted)), tuple(sorted(met))
            if wanted != met and field not in found:
                found[field] = (
                    f"the session {ARM_NAMES[session.arm]} met another {what} than was expected: "
                    f"{_compare(wanted, met, 'expected', 'met')}"
                )
    versions = {one.prompt_version for one in passes} - {manifest.judging.prompt_version}
    if versions:
        found["prompt"] = (
            "the judge was given another scoring prompt than was expected: "
            f"{_compare(manifest.judging.prompt_version, ', '.join(sorted(versions)), 'expected')}"
        )
    return list(found.values())


def _compare(first: object, second: object, one: str = "at first", other: str = "then") -> str:
    if isinstance(first, Limits) and isinstance(second, Limits):
        return ", ".join(
            f"{name} {value} {one}, {getattr(second, name)} {other}"
            for name, value in first
            if value != getattr(second, name)
        )
    return f"{_show(first)} {one}, {_show(second)} {other}"


def _show(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    if isinstance(value, Value):
        return value.model_dump_json()
    text = str(value)
    return (text[:_DIGEST] if text.startswith("sha256:") else text) or "none"
