"""Which job carries out which kind of request."""

from collections.abc import Mapping
from typing import Protocol

from jobs import repo_check
from jobs.again import rejudge, report
from jobs.calibration import giving
from jobs.choosing import carry_out as choosing
from jobs.pull_requests import checking
from jobs.pull_requests import following as pull_following
from jobs.pushes import carry_out as pushes
from jobs.requests import Kind, Request
from jobs.summary import carry_out as summary
from jobs.summary import digest
from jobs.sync import carry_out as sync
from jobs.welcome import carry_out as welcome
from jobs.world import World


class CarryOut(Protocol):
    """Carries out a request of one kind, as `jobs.benchmark.carry_out` does."""

    async def __call__(self, request: Request, world: World, *, last_try: bool) -> None: ...


TRIGGERING: frozenset[Kind] = frozenset({"trigger", "optimize"})
"""Kinds about a description, which have a world of their own."""
CARRY_OUT: Mapping[Kind, CarryOut] = {
    "welcome": welcome.carry_out,
    "benchmark": pull_following.carry_out,
    "changed_skills": pushes.carry_out,
    "pull_request": checking.carry_out,
    "sweep": choosing.carry_out,
    "sync": sync.carry_out,
    "rejudge": rejudge.carry_out,
    "report": report.carry_out,
    "verdict": giving.carry_out,
    "summary": summary.carry_out,
    "digest": digest.carry_out,
    "repo_check": repo_check.carry_out,
}
"""Who carries out which other kind."""
