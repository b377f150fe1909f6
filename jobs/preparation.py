"""The environment of a request, made ready when the first of its runs needs it.

A request whose runs have all ended, and only its answer was lost, prepares nothing. What
stands in the way is told once below the rows, for it is the same for every run.
"""

import asyncio

from jobs.environments.pinned import Environment
from jobs.errors import Refused, UserError
from jobs.living_comment import LivingComment
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.world import Environments


class Preparation:
    """Makes one environment ready for the runs of one request."""

    def __init__(
        self, environment: Environment | None, environments: Environments, living: LivingComment
    ) -> None:
        self._environment = environment
        self._environments = environments
        self._living = living
        self._one_at_a_time = asyncio.Lock()
        self._prepared: Prepared | None = None
        self._refused = False

    async def get(self, row: int) -> Prepared:
        """The environment, for the run of a row, which shows meanwhile that it is prepared.

        Raises `Refused` with half a sentence for the row, the whole story being told below;
        `Transient` where a platform failed, after which another try is as good as new.
        """
        if self._environment is None:
            return PLAIN
        name = self._environment.name
        self._living.change(row, state="preparing", detail=f"the environment `{name}`")
        async with self._one_at_a_time:
            if self._prepared is None and not self._refused:
                await self._prepare(self._environment)
        self._living.change(row, detail="")
        if self._prepared is None:
            raise Refused(f"the environment `{name}` is not ready")
        return self._prepared

    async def _prepare(self, environment: Environment) -> None:
        try:
            self._prepared = await self._environments.prepare(environment)
        except UserError as refusal:
            self._refused = True
            self._living.explain(str(refusal))
