"""A repository whose skill has two versions, for stories about comparing them."""

import shutil
from pathlib import Path

from demo.github import LocalGitHub, RepositoryHandle
from demo.play import HERE, seed_samples

SAID_NOW = "Say in the first line how many entries there are."


class TwoVersions:
    """Seeds the samples, then pushes another version of the skill `release-notes`."""

    def __init__(self, scratch: Path) -> None:
        self._folder = scratch / "pushed"
        self.first = ""
        """The commit with the first version."""
        self.second = ""

    def __call__(self, github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        self.first = _head(repository)
        shutil.copytree(HERE / "sample", self._folder)
        self.change("release-notes/SKILL.md", f"\n{SAID_NOW}\n")
        self.second = self.push(repository)
        return repository

    def change(self, path: str, text: str) -> None:
        """Add a text to a file of the next commit."""
        file = self._folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(before + text, encoding="utf-8")

    def push(self, repository: RepositoryHandle) -> str:
        return repository.push(self._folder, message="Change the skill")


def _head(repository: RepositoryHandle) -> str:
    head = repository.repository.head
    assert head is not None
    return head.sha
