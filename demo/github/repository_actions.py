"""What somebody can do to a repository itself: rename it, open it, close it, delete it."""

from typing import Any

from demo.github.site import Site
from demo.github.state import Account, Repository


class RepositoryActions:
    """Changes that everybody hears of who watches it. Permission is the caller's to check."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def rename(self, repository: Repository, name: str, by: Account) -> None:
        """Give it another name: addresses under the old one redirect."""
        before = repository.name
        repository.former_names.add(repository.full_name.lower())
        repository.name = name
        self._tell(repository, "renamed", by, changes={"repository": {"name": {"from": before}}})

    def set_private(self, repository: Repository, by: Account, *, is_private: bool) -> None:
        """Let only people with a role read it, or everybody."""
        if repository.is_private is not is_private:
            repository.is_private = is_private
            self._tell(repository, "privatized" if is_private else "publicized", by)

    def delete(self, repository: Repository, by: Account) -> None:
        """Delete it, with everything that hangs on it."""
        self._tell(repository, "deleted", by)
        self._site.state.repositories.remove(repository)

    def _tell(self, repository: Repository, action: str, by: Account, **parts: Any) -> None:
        self._site.notify("repository", action, repository, by, **parts)
