"""Measurements of descriptions over time, read from the blob store now and then."""

import time
from functools import cached_property

import structlog

from bot.blobs import Blobs
from jobs.dashboard.triggers import find_trigger_history
from jobs.dashboard.values import TriggerPoint
from jobs.errors import Transient

GOOD_FOR_S = 30.0
MOST_HELD = 500

log = structlog.get_logger(__name__)


class TriggerPoints:
    """Those of all skills."""

    def __init__(self, blob_url: str) -> None:
        self._blob_url = blob_url
        self._held: dict[tuple[str, str], tuple[float, tuple[TriggerPoint, ...]]] = {}

    @cached_property
    def _blobs(self) -> Blobs:
        return Blobs(self._blob_url)

    async def find(self, repo: str, skill: str) -> tuple[TriggerPoint, ...] | None:
        """A skill's, the oldest first, as they were at most half a minute ago; older ones where
        the store is away, and None where it was never read.
        """
        key = (repo.lower(), skill)
        until, held = self._held.get(key, (0.0, None))
        if held is not None and time.monotonic() < until:
            return held
        try:
            found = await find_trigger_history(repo, skill, self._blobs)
        except (Transient, OSError) as trouble:
            log.warning("triggers_not_read", repo=repo, skill=skill, problem=str(trouble))
            return held
        self._held.pop(key, None)
        self._held[key] = (time.monotonic() + GOOD_FOR_S, found)
        while len(self._held) > MOST_HELD:
            del self._held[next(iter(self._held))]
        return found
