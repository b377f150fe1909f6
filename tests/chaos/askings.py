"""What people ask in a game of chaos, drawn from its seed, and what each must lead to.

Several repositories of several owners, an issue of its own for each asking; every issue's
task holds a word by which the model's requests can be told apart. Nothing here knows what
breaks meanwhile.
"""

import random
import re
from dataclasses import dataclass
from typing import Literal

from demo.github import LocalGitHub, RepositoryHandle
from demo.play import HERE as DEMO

OWNERS = ("north", "east", "south")
PERSON, STRANGER = "maria", "nobody"
FIRST_ISSUE = 101
"""The sample's own eval cases belong to smaller numbers."""
LABEL = "needs-benchmark"
MARKER = "<!-- skillbench:v1 "
Kind = Literal["label", "command", "twins", "both", "help", "stranger", "half"]
LIKELY: tuple[Kind, ...] = (
    "label",
    "label",
    "command",
    "command",
    "twins",
    "both",
    "help",
    "stranger",
    "half",
)

WORD = re.compile(r"\bword-(\d+)\b")

TASK = """\
## Skills
- csv-profile

## Query
Profile the attached table of clinic visits; the reference of this task is word-{number}.

## Expected Output
A short profile in Markdown: rows, columns, missing values.

## Attached Files / Input Context
- csv-profile/examples/visits.csv

## Rubric Criteria (Assertions)
- The file has 14 data rows and 5 columns
- Duplicate rows: 2
"""
UNFINISHED = """\
## Skills
- csv-profile

## Query
Profile the table word-{number}.
"""


@dataclass(eq=False, slots=True)
class Asking:
    """One issue, and what somebody does there."""

    kind: Kind
    number: int
    """The word of its task."""
    at_s: float
    repository: RepositoryHandle
    issue: int
    commands: list[int]
    """Ids of the comments that ask for a run."""
    is_asked: bool = False

    @property
    def name(self) -> str:
        return f"{self.kind} on {self.repository.full_name}#{self.issue}"

    @property
    def is_for_a_run(self) -> bool:
        """Whether a report must stand on the issue; else it is one answer and no report."""
        return self.kind in {"label", "command", "twins", "both"}

    def ask(self) -> None:
        """Do what the person does."""
        self.is_asked = True
        if self.kind in {"label", "half", "both"}:
            self.repository.label(self.issue, LABEL, by=PERSON)
        if self.kind in {"command", "twins", "both"}:
            self._comment("@skillbench run", PERSON)
        if self.kind == "twins":
            self._comment("@skillbench run scripted-demo", PERSON)
        if self.kind == "help":
            self.repository.comment(self.issue, by=PERSON, body="@skillbench help")
        if self.kind == "stranger":
            self.repository.comment(self.issue, by=STRANGER, body="@skillbench run")

    def said(self, bot: str) -> list[str]:
        """Everything the bot has said on the issue."""
        comments = self.repository.issue(self.issue).comments
        return [comment.body for comment in comments if comment.author.login == bot]

    def is_answered(self, bot: str) -> bool:
        """Whether the person has their answer, and nothing is going on any more."""
        issue = self.repository.issue(self.issue)
        ends = {"rocket", "confused"}
        reacted = all(
            any(reaction.content in ends for reaction in comment.reactions)
            for comment in issue.comments
            if comment.id in self.commands
        )
        unlabelled = LABEL not in self.repository.labels(self.issue)
        return self.is_asked and bool(self.said(bot)) and reacted and unlabelled

    def _comment(self, body: str, by: str) -> None:
        self.commands.append(self.repository.comment(self.issue, by=by, body=body).id)


def seed_repositories(github: LocalGitHub) -> list[RepositoryHandle]:
    """The sample skills under several owners, each with the same two people."""
    github.add_person(STRANGER)
    github.add_person(PERSON)
    repositories = [
        github.add_repository(owner, "skills", folder=DEMO / "sample") for owner in OWNERS
    ]
    for repository in repositories:
        github.add_person(PERSON, {repository.full_name: "write"})
    return repositories


def draw_askings(
    rng: random.Random, repositories: list[RepositoryHandle], *, count: int, span_s: float
) -> list[Asking]:
    """Issues opened now, and when somebody will ask something on each; at least one a run."""
    askings = []
    for number in range(count):
        kind: Kind = "label" if number == 0 else rng.choice(LIKELY)
        repository = rng.choice(repositories)
        body = (UNFINISHED if kind == "half" else TASK).format(number=number)
        issue = repository.open_issue(
            author=PERSON, title=f"Task {number}", body=body, number=FIRST_ISSUE + number
        )
        at_s = rng.uniform(0, span_s)
        askings.append(Asking(kind, number, at_s, repository, issue.number, []))
    return sorted(askings, key=lambda asking: asking.at_s)


def unanswered(askings: list[Asking], bot: str) -> list[str]:
    return [asking.name for asking in askings if not asking.is_answered(bot)]
