"""JSON shapes of Git's objects, comments on commits and pull requests. Pure, like `shapes`."""

from demo.github.commits import Commit
from demo.github.shapes import (
    Addresses,
    Json,
    account_shape,
    association,
    issue_page,
    label_shape,
    make_node_id,
    render_time,
)
from demo.github.shapes_code import repository_shape
from demo.github.state import Account, CommitComment, Issue, Pull, Repository


def git_commit_shape(at: Addresses, repository: Repository, commit: Commit) -> Json:
    """A commit as Git has it, without the files it changed."""
    git = f"{at.repository(repository)}/git"
    author = {
        "name": commit.author,
        "email": f"{commit.author}@users.noreply.github.com",
        "date": render_time(commit.at),
    }
    return {
        "sha": commit.sha,
        "node_id": make_node_id("Commit", repository.id),
        "url": f"{git}/commits/{commit.sha}",
        "html_url": at.page(repository, "commit", commit.sha),
        "author": author,
        "committer": author,
        "message": commit.message,
        "tree": {"sha": commit.tree_sha, "url": f"{git}/trees/{commit.tree_sha}"},
        "parents": [
            {
                "sha": sha,
                "url": f"{git}/commits/{sha}",
                "html_url": at.page(repository, "commit", sha),
            }
            for sha in commit.parents
        ],
        "verification": {
            "verified": False,
            "reason": "unsigned",
            "signature": None,
            "payload": None,
            "verified_at": None,
        },
    }


def ref_shape(at: Addresses, repository: Repository, name: str) -> Json:
    """A branch as a reference."""
    git = f"{at.repository(repository)}/git"
    sha = repository.branches[name]
    return {
        "ref": f"refs/heads/{name}",
        "node_id": make_node_id("Ref", repository.id),
        "url": f"{git}/refs/heads/{name}",
        "object": {"type": "commit", "sha": sha, "url": f"{git}/commits/{sha}"},
    }


def commit_comment_shape(at: Addresses, repository: Repository, comment: CommitComment) -> Json:
    """A comment on a commit."""
    page = at.page(repository, "commit", comment.commit)
    return {
        "url": f"{at.repository(repository)}/comments/{comment.id}",
        "html_url": f"{page}#commitcomment-{comment.id}",
        "id": comment.id,
        "node_id": make_node_id("CommitComment", comment.id),
        "user": account_shape(at, comment.author),
        **dict.fromkeys(("position", "line", "path")),
        "commit_id": comment.commit,
        "created_at": render_time(comment.created_at),
        "updated_at": render_time(comment.updated_at),
        "author_association": association(repository, comment.author),
        "body": comment.body,
    }


def pull_row_shape(at: Addresses, repository: Repository, issue: Issue, pull: Pull) -> Json:
    """A pull request as lists show it."""
    base = at.repository(repository)
    url, page = f"{base}/pulls/{issue.number}", issue_page(at, repository, issue)
    issue_url = f"{base}/issues/{issue.number}"
    statuses = f"{base}/statuses/{pull.head_commit}"
    links = {
        "self": url,
        "html": page,
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{base}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": statuses,
    }
    return {
        "url": url,
        "id": issue.id,
        "node_id": make_node_id("PullRequest", issue.id),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue_url,
        "number": issue.number,
        "state": "open" if issue.is_open else "closed",
        "locked": issue.is_locked,
        "title": issue.title,
        "user": account_shape(at, issue.author),
        "body": issue.body,
        "created_at": render_time(issue.created_at),
        "updated_at": render_time(issue.updated_at),
        "closed_at": render_time(issue.closed_at) if issue.closed_at else None,
        "merged_at": render_time(pull.merged_at) if pull.merged_at else None,
        "merge_commit_sha": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "labels": [label_shape(at, repository, label) for label in issue.labels],
        "milestone": None,
        "draft": False,
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": links["review_comment"],
        "comments_url": f"{issue_url}/comments",
        "statuses_url": statuses,
        "head": _head_shape(at, repository, pull),
        "base": _side_shape(at, repository, pull.base, pull.base_commit),
        "_links": {name: {"href": link} for name, link in links.items()},
        "author_association": association(repository, issue.author),
        "auto_merge": None,
        "active_lock_reason": None,
    }


def pull_shape(at: Addresses, repository: Repository, issue: Issue, pull: Pull) -> Json:
    """A pull request in full, as its own address and the payloads of webhooks show it."""
    changed = repository.commits[pull.head_commit].changed_since(
        repository.commits[pull.base_commit]
    )
    merged_by: Account | None = pull.merged_by
    return pull_row_shape(at, repository, issue, pull) | {
        "merged": pull.merged_at is not None,
        "mergeable": True if issue.is_open else None,
        "rebaseable": True if issue.is_open else None,
        "mergeable_state": "clean" if issue.is_open else "unknown",
        "merged_by": account_shape(at, merged_by) if merged_by else None,
        "comments": len(issue.comments),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": 1,
        "additions": 0,
        "deletions": 0,
        "changed_files": sum(len(paths) for paths in changed.values()),
    }


def _head_shape(at: Addresses, repository: Repository, pull: Pull) -> Json:
    """The side that is to be merged; a fork that was deleted is null, and so is nothing else."""
    shape = _side_shape(at, pull.fork or repository, pull.head, pull.head_commit)
    return shape | {"repo": None} if pull.is_fork_gone else shape


def _side_shape(at: Addresses, repository: Repository, branch: str, sha: str) -> Json:
    return {
        "label": f"{repository.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": account_shape(at, repository.owner),
        "repo": repository_shape(at, repository),
    }
