"""Who changed an issue's text last, which only GitHub's GraphQL tells.

Asked before money is spent on a text, so whatever is no clear answer is asked for again.
"""

from datetime import datetime
from typing import Any

import structlog

from bot.github.calls import Calls, json_of
from bot.github.failures import Rejected, ServerTrouble
from bot.github.issues import GHOST
from bot.github.minimise import find_graphql
from jobs.ports import Edit
from jobs.requests import Repo

QUERY = (
    "query($owner: String!, $name: String!, $number: Int!) {"
    " repository(owner: $owner, name: $name) {"
    " issue(number: $number) { lastEditedAt editor { login __typename } } } }"
)
"""https://docs.github.com/graphql/reference/objects#issue"""

log = structlog.get_logger(__name__)


class IssueEdits:
    """Implements `jobs.ports.IssueReader.last_edit`."""

    def __init__(self, calls: Calls, repo: Repo) -> None:
        self._calls = calls
        self._repo = repo

    async def last_edit(self, number: int) -> Edit | None:
        """The last change of the text; None where nobody changed it, or it is gone.

        A server without GraphQL tells of none. Raises `Gone` and `Transient` as every read does.
        """
        variables = {"owner": self._repo.owner, "name": self._repo.name, "number": number}
        sent = {"query": QUERY, "variables": variables}

        async def attempt() -> Any:
            path = find_graphql(str(self._calls.base))
            answer = json_of(await self._calls.send("POST", path, json=sent))
            return _issue_in(answer)

        try:
            found = await self._calls.repeat(attempt)
        except Rejected as rejected:
            log.warning("edits_not_told", issue=number, problem=str(rejected))
            return None
        if found is None or not found.get("lastEditedAt"):
            return None
        editor = found.get("editor") or {}
        at = datetime.fromisoformat(found["lastEditedAt"])
        is_bot = editor.get("__typename") == "Bot"  # whose login a person may have here, too
        return Edit(by=str(editor.get("login") or GHOST), is_bot=is_bot, at=at)


def _issue_in(answer: dict[str, Any]) -> dict[str, Any] | None:
    """The issue in an answer; None where there is none. Raises `ServerTrouble` for all else.

    GraphQL says with status 200 what is wrong.
    """
    kinds = {str(one.get("type", "")) for one in answer.get("errors") or ()}
    if kinds - {"NOT_FOUND"}:
        raise ServerTrouble(f"GraphQL does not tell of an issue's edits ({', '.join(kinds)})")
    repository = (answer.get("data") or {}).get("repository") or {}
    issue: dict[str, Any] | None = repository.get("issue")
    return issue
