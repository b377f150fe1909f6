"""A session from its first attempt to its bundle, whichever launcher does the work.

A session always ends in a result. What the agent did is its own; what the platform did to
it (a silent stream, an outage, a sandbox that cannot start) is tried once more in a fresh
workspace, and is never scored. How an attempt works is no business of this module.
"""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from jobs.errors import Transient, UserError
from jobs.ports import Clock
from jobs.sessions.bundle import write_bundle
from jobs.sessions.session_result import (
    Attempt,
    broken,
    get_limits_left,
    make_result,
    no_conversation,
)
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.workspace import Workspace
from jobs.values import SessionEnd, SessionResult

log = logging.getLogger(__name__)

PLATFORM_ENDS = frozenset({SessionEnd.STALLED, SessionEnd.RATE_LIMITED, SessionEnd.ERROR})
_DEFECT = "the session failed on our side; the log says why"

Work = Callable[[SessionSpec, Workspace, Path, datetime], Awaitable[Attempt]]
"""One attempt in a fresh workspace: given the transcript's path and when it started. No
process of the session is alive after it, and the outputs are in `workspace.collected`."""


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Attempts:
    """Runs sessions by one launcher's work."""

    work: Work
    clock: Clock = utc_now

    async def run(self, session: SessionSpec) -> SessionResult:
        """One session, once more where the platform failed; its bundle is at `session.bundle`.

        Usage and retries count both attempts, everything else is of the last one; the
        transcript holds both. Raises nothing but `CancelledError`; the transcript then stays,
        since it alone tells what was spent.
        """
        transcript = session.transcript
        result = await self._attempt(session, transcript, None)
        left = get_limits_left(session.limits, result.usage)
        if result.end in PLATFORM_ENDS and left is not None:
            result = await self._attempt(replace(session, limits=left), transcript, result)
        transcript.unlink(missing_ok=True)
        return result

    async def _attempt(
        self, session: SessionSpec, transcript: Path, earlier: SessionResult | None
    ) -> SessionResult:
        """A session in a workspace of its own, which is gone when this returns."""
        started_at = self.clock()
        end = no_conversation(_DEFECT)
        workspace: Workspace | None = None
        try:
            workspace = await asyncio.to_thread(Workspace.make, session.scratch)
            attempt = await self.work(session, workspace, transcript, started_at)
            end = broken(attempt.end, _DEFECT)  # if packing fails, this is what remains
            result = make_result(session, attempt, earlier)
            folder = workspace.collected
            await asyncio.to_thread(write_bundle, session.bundle, result, transcript, folder)
        except UserError as refusal:  # no such sandbox on this machine; the text is for people
            end = no_conversation(str(refusal))
        except Transient:
            end = no_conversation("the session's sandbox could not be started")
        except Exception:  # the other arm and the report must go on
            log.exception("session_failed")
        else:
            return result
        finally:
            if workspace is not None:
                await workspace.remove()
        nothing = Attempt(started_at=started_at, ended_at=self.clock(), end=end)
        result = make_result(session, nothing, earlier)
        await asyncio.to_thread(_write_empty_bundle, session.bundle, result, transcript)
        return result


def stage_inputs(session: SessionSpec, workspace: Workspace) -> None:
    """Copies of its own for each session: what one writes to, no other may see. Blocks."""
    if session.inputs_folder is not None:
        shutil.copytree(session.inputs_folder, workspace.input, dirs_exist_ok=True)


def stage_skill(session: SessionSpec, workspace: Workspace) -> None:
    """The skill at `skill/`, in the arm that has one. Blocks."""
    if session.skill_folder is not None:
        shutil.copytree(session.skill_folder, workspace.skill)


def _write_empty_bundle(target: Path, result: SessionResult, transcript: Path) -> None:
    """The bundle of a session without outputs; on a full disk there is none."""
    try:
        write_bundle(target, result, transcript, transcript.parent)
    except OSError:
        log.exception("bundle_not_written")
