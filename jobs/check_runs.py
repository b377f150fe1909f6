"""Check runs: what stands beside a commit, with buttons that ask for more.

The values hold to GitHub's limits (https://docs.github.com/rest/checks/runs), so that what can
be built can be shown. A check run is found again by its tag, as a comment is.
"""

from typing import Annotated, Literal, Protocol, Self

from pydantic import Field, model_validator

from jobs.requests import Value

CHECK_NAME = "skillbench"
"""Name of the check run that pushes and pull requests share, as branch rules know it."""
LONGEST_TEXT = 65_535
"""Characters of a summary or of the text below it."""
MOST_ACTIONS = 3

Status = Literal["queued", "in_progress", "completed"]
Conclusion = Literal[
    "success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"
]
Line = Annotated[int, Field(ge=1)]


class Annotation(Value):
    """A remark on lines of a file of the commit, the first line being 1."""

    path: str
    start_line: Line
    end_line: Line
    level: Literal["notice", "warning", "failure"]
    title: str = Field(max_length=255)
    message: str = Field(min_length=1, max_length=65_536)


class CheckAction(Value):
    """A button; `identifier` comes back in the event `check_run.requested_action`."""

    label: str = Field(min_length=1, max_length=20)
    description: str = Field(min_length=1, max_length=40)
    identifier: str = Field(min_length=1, max_length=20)


class CheckRun(Value):
    """A check run as it shall stand; `summary` and `text` are Markdown."""

    name: str = CHECK_NAME
    commit: str = Field(min_length=7)
    status: Status
    conclusion: Conclusion | None = None
    """Of a completed one, and of no other."""
    title: str = Field(min_length=1, max_length=255)
    summary: str = Field(max_length=LONGEST_TEXT)
    text: str = Field(default="", max_length=LONGEST_TEXT)
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[CheckAction, ...] = Field(default=(), max_length=MOST_ACTIONS)
    details_url: str | None = None

    @model_validator(mode="after")
    def _ends_with_a_conclusion(self) -> Self:
        if (self.status == "completed") is not (self.conclusion is not None):
            raise ValueError("a check run has a conclusion when it is completed, and only then")
        return self


class CheckRuns(Protocol):
    """Shows check runs on commits of one repository."""

    async def show_check(self, check: CheckRun, *, tag: str) -> str:
        """Create the check run, or bring the App's own of this tag and commit up to date.

        Gives the address of its page. Twice is once. Raises `Gone` where the commit or the
        repository is not there, `Transient` while GitHub is not, and `Refused` where the App
        lacks the permission *Checks: write*.
        """
