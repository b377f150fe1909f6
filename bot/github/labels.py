"""Labels: put on and taken off, and made with a colour and a sentence when missing.

Adding twice is once by GitHub's own rule, and so is removing; nothing is looked up but
whether a label exists, since GitHub would otherwise make a grey one without a word.
"""

from collections.abc import Sequence
from functools import partial
from urllib.parse import quote

from bot.github.calls import Calls
from bot.github.failures import NotFound, Rejected
from bot.github.issues import IssueCalls
from bot.github.reads import base_of
from jobs.ports import LabelLooks
from jobs.requests import Repo


class Labels:
    """The label part of `jobs.ports.IssueWriter`."""

    def __init__(self, calls: Calls, issues: IssueCalls, repo: Repo) -> None:
        self._calls = calls
        self._issues = issues
        self._base = base_of(repo)
        self._known: set[str] = set()
        """Labels seen in this repository, in lower case; as old as this object at most."""

    async def change_labels(
        self, issue: int, *, add: Sequence[LabelLooks] = (), remove: Sequence[str] = ()
    ) -> None:
        """Add, then remove, so that an issue between two states bears both, never none."""
        for label in add:
            await self.ensure(label)
        if names := [label.name for label in add]:
            path = f"/issues/{issue}/labels"
            await self._calls.write(
                lambda: self._issues.send(issue, "POST", path, json={"labels": names})
            )
        for name in remove:
            await self._calls.write(partial(self._take_off, issue, name))

    async def make_labels(self, labels: Sequence[LabelLooks]) -> None:
        """Make those that are missing, as they are described here; the others stay as they are."""
        there = {
            str(label["name"]).lower() async for label in self._calls.pages(f"{self._base}/labels")
        }
        for label in labels:
            if label.name.lower() not in there:
                await self._calls.write(partial(self._make, label))
        self._known |= there | {label.name.lower() for label in labels}

    async def _take_off(self, issue: int, name: str) -> None:
        path = f"/issues/{issue}/labels/{quote(name, safe='')}"
        try:
            await self._issues.send(issue, "DELETE", path)
        except NotFound:
            return  # the issue is there (see `explain`), so it is the label that is not

    async def ensure(self, label: LabelLooks) -> None:
        """Make a label if it is missing; one that is there keeps its looks."""
        name = label.name
        if name.lower() in self._known:
            return
        try:
            await self._calls.read(f"{self._base}/labels/{quote(name, safe='')}")
        except NotFound:
            await self._calls.write(lambda: self._make(label))
        self._known.add(name.lower())

    async def _make(self, label: LabelLooks) -> None:
        body = label.model_dump()
        try:
            await self._calls.send("POST", f"{self._base}/labels", json=body)
        except Rejected as rejected:
            if "already_exists" not in rejected.codes:
                raise
