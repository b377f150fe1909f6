"""Folds a comment of ours away as outdated, which only GitHub's GraphQL can.

A courtesy to whoever reads the thread: it is tried once, within the pace of all writes, and a
comment that stays open hurts nobody.
"""

import re

import structlog

from bot.github.calls import Calls, json_of
from bot.github.failures import Rejected, ServerTrouble
from bot.github.reads import base_of
from jobs.errors import Gone, Transient
from jobs.requests import Repo

MUTATION = (
    "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED})"
    " { minimizedComment { isMinimized } } }"
)
"""https://docs.github.com/graphql/reference/mutations#minimizecomment"""
_OF_ENTERPRISE = re.compile(r"/api/v3/?$")
"""On Enterprise Server REST lies there, and GraphQL beside it."""

log = structlog.get_logger(__name__)


class Minimising:
    """Implements `jobs.ports.IssueWriter.minimise`."""

    def __init__(self, calls: Calls, repo: Repo) -> None:
        self._calls = calls
        self._base = base_of(repo)

    async def minimise(self, comment_id: int) -> bool:
        """Fold a comment away; whether it is. Raises nothing: what kept it open is logged."""
        try:
            body = await self._calls.read_json(f"{self._base}/issues/comments/{comment_id}")
            return await self._calls.write_or_drop(lambda: self._minimise(str(body["node_id"])))
        except (Gone, Transient, Rejected, KeyError, TypeError) as problem:
            log.info("comment_stays_open", comment=comment_id, problem=str(problem))
        return False

    async def _minimise(self, node: str) -> None:
        """Raises `ServerTrouble` where GraphQL says, with status 200, what is wrong."""
        sent = {"query": MUTATION, "variables": {"id": node}}
        answer = json_of(
            await self._calls.send("POST", find_graphql(str(self._calls.base)), json=sent)
        )
        if answer.get("errors"):
            kinds = [str(one.get("type", "")) for one in answer["errors"]]
            raise ServerTrouble(f"GraphQL does not minimise a comment ({', '.join(kinds)})")


def find_graphql(api_url: str) -> str:
    """Where GraphQL is asked: below the API's address, or beside it on Enterprise Server."""
    beside = _OF_ENTERPRISE.sub("/api/graphql", api_url)
    return "/graphql" if beside == api_url else beside
