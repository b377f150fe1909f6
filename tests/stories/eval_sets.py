"""Repositories with many eval cases of one skill, and waiting for what is asked of them."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from demo.github import LocalGitHub, RepositoryHandle
from demo.play import HERE, PERSON, seed_samples
from tests.stories.scene import Scene

Seed = Callable[[LocalGitHub], RepositoryHandle]
CASE = """\
## Skills
- csv-profile

## Query
Profile the attached table.

## Expected Output
A short profile.

## Attached Files
- data/table-{number}.csv

## Rubric Criteria
- {assertion}
"""


def tables(count: int, *, shared: bool = False) -> Seed:
    """The samples and so many more eval cases of a skill, each about a table of its own.

    `shared` tables are one fixture.
    """

    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent) / "tree"
            shutil.copytree(HERE / "sample", folder)
            for number in range(1, count + 1):
                rows = 3 if shared else number + 3
                lines = ["name,age", *(f"n{row},{row}" for row in range(rows))]
                (folder / "data" / f"table-{number}.csv").write_text("\n".join(lines) + "\n")
            repository.push(folder, by=PERSON)
        for number in range(1, count + 1):
            rows = 3 if shared else number + 3
            assertion = f"The file has {rows} data rows and 2 columns"
            body = CASE.format(number=number, assertion=assertion)
            issue = repository.open_issue(author=PERSON, title=f"Table {number}", body=body)
            repository.label(issue.number, "eval", by=PERSON)
        return repository

    return seed


async def ended(scene: Scene, command: str, issue: int = 2) -> str:
    """Ask and wait for a good end; gives the last report, or the comment where there is none."""
    asked = scene.comment(issue, command)
    await scene.reacted(issue, asked, "rocket")
    reports = scene.reports(issue)
    return reports[-1] if reports else scene.bot_comments(issue)[-1]
