"""Answers a request of a kind that can be asked for, and that this version cannot carry out."""

from jobs.carrying_out import begin, carry_out_answered
from jobs.errors import Refused
from jobs.requests import Request
from jobs.world import World


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Refuse it, in words; nothing is spent. Raises `Transient` as every kind does."""

    async def refuse() -> None:
        if await begin(request, world):
            raise Refused(f"`{request.kind}` is not carried out by this version of the bot yet.")

    await carry_out_answered(refuse, request, world, last_try=last_try)
