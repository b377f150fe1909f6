"""What the App can do with its check runs, and what people can ask of them."""

from collections.abc import Mapping
from typing import Any

from demo.github.answers import Problem, make_field_error
from demo.github.records import Check
from demo.github.shapes_checks import webhook_check_shape
from demo.github.site import Site
from demo.github.state import Account, Repository

MOST_ANNOTATIONS = 50
LONGEST_TEXT = 65_535
_LONGEST = {"label": 20, "description": 40, "identifier": 20}
"""https://docs.github.com/rest/checks/runs: of one call's annotations, of a text, of a button."""
_MOST_ACTIONS = 3
_STATUSES = {"queued", "in_progress", "completed"}


class CheckActions:
    """Changes to check runs, with their webhooks. Permission is the caller's to check."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def create(self, repository: Repository, name: str, commit: str) -> Check:
        """Begin a check run. Raises `Problem` 422 for a commit that is not there."""
        if commit not in repository.commits:
            raise Problem(422, f"No commit found for SHA: {commit}")
        suites = {check.commit: check.suite_id for check in repository.checks}
        check = Check(
            id=self._site.state.next_id(),
            app_id=self._site.state.app.id,
            suite_id=suites.get(commit) or self._site.state.next_id(),
            name=name,
            commit=commit,
            started_at=self._site.clock(),
        )
        repository.checks.append(check)
        return check

    def change(self, repository: Repository, check: Check, fields: Mapping[str, Any]) -> None:
        """Bring a check run up to date and tell of it. Raises `Problem` 422 past a limit.

        Annotations are added to those that stand; buttons are replaced.
        """
        _refuse_past_limits(fields)
        was_completed = check.status == "completed"
        check.status = str(fields.get("status") or check.status)
        if fields.get("conclusion"):
            check.status, check.conclusion = "completed", str(fields["conclusion"])
        elif check.status != "completed":
            check.conclusion = check.completed_at = None
        if check.status == "completed" and check.completed_at is None:
            check.completed_at = self._site.clock()
        check.details_url = fields.get("details_url", check.details_url)
        check.external_id = str(fields.get("external_id", check.external_id))
        if output := fields.get("output"):
            check.title, check.summary = output["title"], output["summary"]
            check.text = output.get("text") or None
            check.annotations += output.get("annotations", [])
        if "actions" in fields:
            check.actions = list(fields["actions"])
        if check.status == "completed" and not was_completed:
            self.tell(repository, check, self._site.state.app.bot, "completed")

    def press(self, repository: Repository, check: Check, by: Account, identifier: str) -> None:
        """Press a button. Raises `Problem` 404 where there is no such button."""
        if not any(action["identifier"] == identifier for action in check.actions):
            raise Problem(404)
        pressed = {"requested_action": {"identifier": identifier}}
        self.tell(repository, check, by, "requested_action", **pressed)

    def rerequest(self, repository: Repository, check: Check, by: Account) -> None:
        """Ask for the whole check run again."""
        self.tell(repository, check, by, "rerequested")

    def tell(
        self, repository: Repository, check: Check, by: Account, action: str, **parts: Any
    ) -> None:
        """Tell the App: it need not subscribe, since it may write check runs."""
        shape = webhook_check_shape(self._site.addresses, self._site.state.app, repository, check)
        self._site.notify("check_run", action, repository, by, check_run=shape, **parts)


def _refuse_past_limits(fields: Mapping[str, Any]) -> None:
    output = fields.get("output") or {}
    if fields.get("status", "queued") not in _STATUSES:
        raise make_field_error("CheckRun", "status", "invalid")
    if fields.get("status") == "completed" and not fields.get("conclusion"):
        raise Problem(422, "Invalid request.\n\nA completed check run needs a conclusion.")
    if len(output.get("annotations", [])) > MOST_ANNOTATIONS:
        raise Problem(422, "Invalid request.\n\nNo more than 50 annotations are allowed.")
    if any(len(output.get(part) or "") > LONGEST_TEXT for part in ("summary", "text")):
        raise Problem(422, "Invalid request.\n\nA text is too long (maximum is 65535 characters).")
    actions = fields.get("actions") or []
    too_long = any(len(one[part]) > most for one in actions for part, most in _LONGEST.items())
    if len(actions) > _MOST_ACTIONS or too_long:
        raise Problem(422, "Invalid request.\n\nNo more than 3 short actions are allowed.")
