"""How the scripted model explains failures: it counts them, and understands nothing.

It reads the findings out of the prompt, makes one pattern of those where the skill did worse and
one of the others, and says that it is a script.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from demo.model_api.asked import Asked
from demo.model_api.steps import Reply
from jobs.summary.patterns import SYSTEM as ANALYST


def is_explaining(asked: Asked) -> bool:
    """Whether patterns in failures are asked for."""
    return asked.system.strip() == ANALYST.strip()


def explain(asked: Asked) -> Reply:
    """Patterns as JSON, with only eval cases that were shown."""
    worse: dict[str, str] = {}
    other: dict[str, str] = {}
    for finding in _find_shown(asked.prompt):
        for unmet in finding.get("unmet", ()):
            lost = "pass" in unmet["without_skill"] and "pass" not in unmet["with_skill"]
            (worse if lost else other).setdefault(finding["eval_id"], unmet["assertion"])
    patterns = [
        _make_pattern(title, priority, found)
        for title, priority, found in (
            ("The skill does worse than nothing", "P0", worse),
            ("Assertions are met by neither", "P2", other),
        )
        if found
    ]
    return Reply(text=json.dumps({"patterns": patterns}, ensure_ascii=False))


def _make_pattern(title: str, priority: str, found: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": title,
        "affected": list(found),
        "root_cause": f"Not met: {next(iter(found.values()))}. A script knows no cause.",
        "fix": "Read the verdicts in the reports.",
        "priority": priority,
    }


def _find_shown(prompt: str) -> Iterator[dict[str, Any]]:
    for line in prompt.splitlines():
        if line.startswith('{"eval_id"'):
            yield json.loads(line)
