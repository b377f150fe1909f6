"""Open issues by their labels, whole, as the jobs read them."""

from collections.abc import Sequence

from bot.github.calls import Calls
from bot.github.issues import issue_of
from bot.github.reads import base_of
from jobs.ports import Issue
from jobs.requests import Repo


async def list_labelled(calls: Calls, repo: Repo, labels: Sequence[str]) -> list[Issue]:
    """Open issues that bear at least one of the labels, by number; every page.

    GitHub gives those that bear all labels of one question, so each label is a question.
    """
    found: dict[int, Issue] = {}
    for label in labels:
        params = {"labels": label, "state": "open"}
        async for entry in calls.pages(f"{base_of(repo)}/issues", params=params):
            if "pull_request" not in entry:
                found[int(entry["number"])] = issue_of(entry)
    return [found[number] for number in sorted(found)]
