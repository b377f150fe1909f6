"""Which text each eval case of a repository has now, as far as its runs tell.

An eval case may be measured with several skills. Once it was edited and one of them was measured
anew, the scores of all of them with the text before are old.
"""

from collections.abc import Awaitable, Iterable, Sequence
from typing import NamedTuple, cast

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

KEEP = """
for at = 1, #ARGV, 3 do
  local known = redis.call('hget', KEYS[1], ARGV[at])
  if not known or tonumber(string.match(known, '^%S+')) <= tonumber(ARGV[at + 1]) then
    redis.call('hset', KEYS[1], ARGV[at], ARGV[at + 1] .. ' ' .. ARGV[at + 2])
  end
end
"""


class Measured(NamedTuple):
    """The text of an eval case in a run of it."""

    eval_id: str
    ended_ms: int
    """Since 1970."""
    digest: str


def digests_key(repo: str) -> str:
    """Hash: id of an eval case to when its newest run ended, and the digest of its text then."""
    return f"skillbench:index:digests:{repo.lower()}"


def keep_digests(pipe: Pipeline, repo: str, measured: Iterable[Measured]) -> None:
    """Add to a transaction the texts that are newer than what is known. Twice is once."""
    given = [str(value) for one in measured for value in one]
    if given:
        pipe.eval(KEEP, 1, digests_key(repo), *given)


async def find_digests(redis: Redis, repo: str, eval_ids: Sequence[str]) -> dict[str, str]:
    """The digests of these eval cases, without those of which nothing is known."""
    if not eval_ids:
        return {}
    asked = cast("Awaitable[list[bytes | None]]", redis.hmget(digests_key(repo), list(eval_ids)))
    found = zip(eval_ids, await asked, strict=True)
    return {name: kept.decode().partition(" ")[2] for name, kept in found if kept is not None}
