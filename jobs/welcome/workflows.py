"""Which workflows of a repository start when a release is made.

Reports keep their files in a pre-release of each month, so such a workflow would start once a
month. One that waits for the type `released` does not: GitHub sends that for no pre-release.
https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#release
"""

import yaml

from jobs.content.snapshot import Snapshot
from jobs.errors import Refused

PATTERNS = (".github/workflows/*.yml", ".github/workflows/*.yaml")
LARGEST = 100_000
"""Bytes of a workflow that is read; PyYAML takes a second for them."""
MOST = 100
"""Workflows that are read."""
OF_A_PRE_RELEASE = frozenset({"created", "published", "prereleased", "edited"})
"""Types of the event that making a pre-release, or attaching files to it, can cause."""


def find_release_workflows(snapshot: Snapshot) -> tuple[str, ...]:
    """Their paths; a workflow that cannot be read starts on nothing, for GitHub neither."""
    paths = [path for pattern in PATTERNS for path in snapshot.glob(pattern)]
    return tuple(path for path in sorted(paths)[:MOST] if _starts_on_release(snapshot, path))


def _starts_on_release(snapshot: Snapshot, path: str) -> bool:
    try:
        text = snapshot.read_text(path, LARGEST)
        # only texts, lists and maps: `on` stays a word, and nothing else is built
        workflow = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (Refused, yaml.YAMLError, RecursionError, ValueError):
        return False
    starts = workflow.get("on") if isinstance(workflow, dict) else None
    if not isinstance(starts, dict):
        return "release" in (starts if isinstance(starts, list) else [starts])
    if "release" not in starts:
        return False
    event = starts["release"]
    types = event.get("types") if isinstance(event, dict) else None
    named = types if isinstance(types, list) else [types] if types else []
    return not named or any(one in OF_A_PRE_RELEASE for one in named)
