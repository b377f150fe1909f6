"""Pull requests of one repository as tests act on them: from a branch of its own, or a fork."""

from pathlib import Path

from demo.github.check_actions import CheckActions
from demo.github.code_actions import CodeActions
from demo.github.commits import load_folder
from demo.github.pull_actions import PullActions, PullDraft
from demo.github.records import Check
from demo.github.repository_handle import RepositoryHandle
from demo.github.site import Site
from demo.github.state import Pull, Repository


class PullHandle:
    """What people do with pull requests. Nothing here checks what a person may do."""

    def __init__(self, site: Site, repository: RepositoryHandle) -> None:
        self._site = site
        self._repository = repository.repository
        self._actions = PullActions(site)

    def open(  # noqa: PLR0913 -- a pull request has this many parts
        self,
        folder: Path,
        *,
        by: str,
        branch: str,
        title: str = "Change",
        body: str = "",
        fork: RepositoryHandle | None = None,
    ) -> int:
        """Commit a folder as the whole tree of a branch and ask for its merge; its number."""
        base = self._repository.default_branch
        place = fork.repository if fork is not None else self._repository
        start = self._repository.branches[base]
        place.commits[start] = self._repository.commits[start]
        place.branches.setdefault(branch, start)
        account = self._site.account(by)
        code = CodeActions(self._site)
        commit = code.push(place, account, load_folder(folder), message=title, branch=branch)
        self._repository.commits[commit.sha] = commit  # as refs/pull/N/head has it
        draft = PullDraft(
            title=title, body=body, head=branch, base=base, fork=fork.repository if fork else None
        )
        return self._actions.open(self._repository, account, draft).number

    def push(self, number: int, folder: Path, *, by: str) -> str:
        """Commit a folder as the whole new tree of the head; gives the commit's id."""
        issue, account = self._repository.issues[number], self._site.account(by)
        return self._actions.push(self._repository, issue, account, load_folder(folder)).sha

    def retarget(self, number: int, base: str, *, by: str) -> None:
        """Let it be merged into another branch."""
        issue = self._repository.issues[number]
        self._actions.retarget(self._repository, issue, self._site.account(by), base)

    def close(self, number: int, *, by: str) -> None:
        issue = self._repository.issues[number]
        self._actions.close(self._repository, issue, self._site.account(by))

    def delete_fork(self, number: int) -> None:
        """Delete the repository that the head lies in; the pull request stays."""
        self.pull(number).is_fork_gone = True

    def pull(self, number: int) -> Pull:
        return self._repository.pulls[number]

    def head(self, number: int) -> str:
        """Full id of the head's newest commit."""
        return self.pull(number).head_commit

    def checks(self, commit: str) -> list[Check]:
        """The check runs of a commit, oldest first."""
        return [check for check in self._repository.checks if check.commit == commit]

    def press(self, check: Check, identifier: str, *, by: str) -> None:
        """Press a button of a check run."""
        place: Repository = self._repository
        CheckActions(self._site).press(place, check, self._site.account(by), identifier)
