"""Figures that were worked out, kept in Redis with what they were made of.

Each belongs to a version of a skill's runs (`bot.store.run_index`), and to the program that made
it: another program's are as good as none.
"""

from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, cast, get_args

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

FIGURES = "skillbench:figures:"
KEPT = timedelta(days=30)
Kind = Literal["card", "skill", "notes"]
"""`card`: a skill in a line; `skill`: its page; `notes`: what is noted of its assertions."""
What = Literal["skill", "notes"]
"""What is made at a time: card and page together."""


class Made(NamedTuple):
    """Of what, when and by which program something was made."""

    version: str
    at: datetime
    program: str

    def __str__(self) -> str:
        return f"{self.version} {self.at.isoformat()} {self.program}"


class FiguresShelf:
    """The figures in one Redis. Raises what Redis raises."""

    def __init__(self, redis: Redis, program: str) -> None:
        self._redis = redis
        self._program = program

    def ask_made(self, pipe: Pipeline, repo: str, what: What) -> None:
        """Add to a pipeline what `read_made` reads the answer to."""
        pipe.hgetall(_made_key(repo, what))

    def read_made(self, found: Mapping[bytes, bytes]) -> dict[str, Made]:
        """What of a repository was made by this program, by the path of the skill."""
        read = {skill.decode(): _read(text.decode()) for skill, text in found.items()}
        return {
            skill: made
            for skill, made in read.items()
            if made is not None and made.program == self._program
        }

    async def made(self, repo: str, skill: str, what: What) -> Made | None:
        """When something of a skill was made last by this program."""
        found = self._redis.hget(_made_key(repo, what), skill)
        text = await cast("Awaitable[bytes | None]", found)
        return self.read_made({skill.encode(): text}).get(skill) if text else None

    async def read(self, kind: Kind, repo: str, skills: Sequence[str]) -> list[bytes | None]:
        """What is kept of skills, as JSON."""
        if not skills:
            return []
        found = self._redis.hmget(_key(repo, kind), list(skills))
        return await cast("Awaitable[list[bytes | None]]", found)

    async def put(
        self, repo: str, skill: str, parts: Mapping[Kind, str], version: str, at: datetime
    ) -> None:
        """Keep what was made of a version, as JSON."""
        what: What = "notes" if "notes" in parts else "skill"
        async with self._redis.pipeline(transaction=True) as both:
            for kind, content in parts.items():
                both.hset(_key(repo, kind), skill, content)
                both.expire(_key(repo, kind), KEPT)
            both.hset(_made_key(repo, what), skill, str(Made(version, at, self._program)))
            both.expire(_made_key(repo, what), KEPT)
            await both.execute()


def find_keys(repo: str) -> list[str]:
    """Under which everything lies that is kept of a repository."""
    whats = [_made_key(repo, what) for what in get_args(What)]
    return [*whats, *(_key(repo, kind) for kind in get_args(Kind))]


def _key(repo: str, kind: Kind) -> str:
    """Hash: path of a skill to JSON."""
    return f"{FIGURES}{kind}:{repo.lower()}"


def _made_key(repo: str, what: What) -> str:
    """Hash: path of a skill to what its figures were made of."""
    return f"{FIGURES}made:{what}:{repo.lower()}"


def _read(text: str) -> Made | None:
    try:
        version, at, program = text.split(" ")
        return Made(version, datetime.fromisoformat(at), program)
    except ValueError:
        return None
