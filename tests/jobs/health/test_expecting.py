"""A run that an older program began is held against nothing that nobody wrote down."""

from pathlib import Path
from typing import cast

from bot.blobs import Blobs
from jobs.health.expecting import expect
from jobs.health.manifest import NOTHING_WRITTEN
from jobs.sessions.prepared import PLAIN
from jobs.steps import session_keys, stored_at
from jobs.world import RunWorld
from tests.builders import a_run_spec


class OnlyBlobs:
    """A world in which no launcher can be asked."""

    def __init__(self, folder: Path) -> None:
        self.blobs = Blobs(folder.as_uri())


async def test_sessions_without_a_manifest_stay_good(tmp_path: Path) -> None:
    """Else what was paid for before a deployment would count for nothing after it."""
    spec = a_run_spec()
    world = cast("RunWorld", OnlyBlobs(tmp_path))
    await world.blobs.put(stored_at(session_keys(spec)[0], spec), b"a session")
    assert await expect(spec, PLAIN, {}, tmp_path / "proof", world) is NOTHING_WRITTEN
