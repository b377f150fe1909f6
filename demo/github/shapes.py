"""JSON shapes of accounts, Apps, issues and comments, complete as GitHub's description has them.

Pure: records in, JSON out. Addresses come from one value, since they depend on where the
server happens to listen. Nothing here decides who may see what.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from demo.github.records import Label
from demo.github.state import (
    Account,
    App,
    Comment,
    Installation,
    Issue,
    Reaction,
    Repository,
)

Json = dict[str, Any]

CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where this GitHub is reached: REST, uploads and pages."""

    api: str
    uploads: str
    web: str

    def repository(self, repository: Repository) -> str:
        return f"{self.api}/repos/{repository.full_name}"

    def page(self, repository: Repository, *parts: object) -> str:
        """A page of a repository."""
        return "/".join([self.web, repository.full_name, *map(str, parts)])


def render_time(at: datetime) -> str:
    """An instant as GitHub writes it, to the second, in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def make_node_id(kind: str, number: int) -> str:
    """A global id in GitHub's older form: kind and number, in base 64."""
    return base64.b64encode(f"0{len(kind)}:{kind}{number}".encode()).decode()


def account_shape(at: Addresses, account: Account) -> Json:
    """A simple user."""
    url = f"{at.api}/users/{account.login}"
    page = account.login
    if account.kind == "Bot":
        page = f"apps/{account.login.removesuffix('[bot]')}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": make_node_id(account.kind, account.id),
        "avatar_url": f"{at.web}/avatars/{account.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{at.web}/{page}",
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": account.kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def public_account_shape(at: Addresses, account: Account) -> Json:
    """A user as `GET /users/…` shows it to others."""
    return account_shape(at, account) | {
        "name": None,
        "company": None,
        "blog": "",
        "location": None,
        "email": None,
        "hireable": None,
        "bio": None,
        "twitter_username": None,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": render_time(account.created_at),
        "updated_at": render_time(account.created_at),
    }


def app_shape(at: Addresses, app: App) -> Json:
    """The App, as itself and as the author of what it wrote."""
    return {
        "id": app.id,
        "client_id": app.client_id,
        "slug": app.slug,
        "node_id": make_node_id("Integration", app.id),
        "owner": account_shape(at, app.owner),
        "name": app.name,
        "description": None,
        "external_url": f"{at.web}/apps/{app.slug}",
        "html_url": f"{at.web}/apps/{app.slug}",
        "created_at": render_time(app.created_at),
        "updated_at": render_time(app.created_at),
        "permissions": dict(app.permissions),
        "events": list(app.events),
    }


def installation_shape(at: Addresses, app: App, installation: Installation) -> Json:
    """An installation of the App."""
    suspended = installation.suspended_at
    return {
        "id": installation.id,
        "account": account_shape(at, installation.account),
        "repository_selection": "all" if installation.repository_ids is None else "selected",
        "access_tokens_url": f"{at.api}/app/installations/{installation.id}/access_tokens",
        "repositories_url": f"{at.api}/installation/repositories",
        "html_url": f"{at.web}/settings/installations/{installation.id}",
        "app_id": app.id,
        "client_id": app.client_id,
        "app_slug": app.slug,
        "target_id": installation.account.id,
        "target_type": installation.account.kind,
        "permissions": dict(app.permissions),
        "events": list(app.events),
        "created_at": render_time(installation.created_at),
        "updated_at": render_time(suspended or installation.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": account_shape(at, installation.account) if suspended else None,
        "suspended_at": render_time(suspended) if suspended else None,
    }


def label_shape(at: Addresses, repository: Repository, label: Label) -> Json:
    return {
        "id": label.id,
        "node_id": make_node_id("Label", label.id),
        "url": f"{at.repository(repository)}/labels/{quote(label.name, safe='')}",
        "name": label.name,
        "color": label.color,
        "default": False,
        "description": label.description,
    }


def reaction_shape(at: Addresses, reaction: Reaction) -> Json:
    return {
        "id": reaction.id,
        "node_id": make_node_id("Reaction", reaction.id),
        "user": account_shape(at, reaction.account),
        "content": reaction.content,
        "created_at": render_time(reaction.created_at),
    }


def _reaction_counts(url: str, reactions: Sequence[Reaction]) -> Json:
    counts = {content: sum(r.content == content for r in reactions) for content in CONTENTS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def association(repository: Repository, account: Account) -> str:
    """GitHub's word for what an account has to do with a repository."""
    if account is repository.owner:
        return "OWNER"
    return "COLLABORATOR" if account.login.lower() in repository.roles else "NONE"


def issue_shape(at: Addresses, app: App, repository: Repository, issue: Issue) -> Json:
    """An issue, as the issues API and the payloads of webhooks show it."""
    base = at.repository(repository)
    url = f"{base}/issues/{issue.number}"
    shape: Json = {
        "url": url,
        "repository_url": base,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": issue_page(at, repository, issue),
        "id": issue.id,
        "node_id": make_node_id("Issue", issue.id),
        "number": issue.number,
        "title": issue.title,
        "user": account_shape(at, issue.author),
        "labels": [label_shape(at, repository, label) for label in issue.labels],
        "state": "open" if issue.is_open else "closed",
        "state_reason": issue.state_reason,
        "locked": issue.is_locked,
        "active_lock_reason": None,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(issue.comments),
        "created_at": render_time(issue.created_at),
        "updated_at": render_time(issue.updated_at),
        "closed_at": render_time(issue.closed_at) if issue.closed_at else None,
        "author_association": association(repository, issue.author),
        "body": issue.body,
        "reactions": _reaction_counts(url, issue.reactions),
        "performed_via_github_app": app_shape(at, app) if issue.author is app.bot else None,
    }
    if issue.is_pull_request:
        page = issue_page(at, repository, issue)
        shape["draft"] = False
        shape["pull_request"] = {
            "url": f"{base}/pulls/{issue.number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": None,
        }
    return shape


def issue_page(at: Addresses, repository: Repository, issue: Issue) -> str:
    """Address of the page of an issue or pull request."""
    return at.page(repository, "pull" if issue.is_pull_request else "issues", issue.number)


def comment_shape(
    at: Addresses, app: App, repository: Repository, issue: Issue, comment: Comment
) -> Json:
    """A comment on an issue or pull request."""
    base = at.repository(repository)
    url = f"{base}/issues/comments/{comment.id}"
    return {
        "url": url,
        "html_url": f"{issue_page(at, repository, issue)}#issuecomment-{comment.id}",
        "issue_url": f"{base}/issues/{issue.number}",
        "id": comment.id,
        "node_id": make_node_id("IssueComment", comment.id),
        "user": account_shape(at, comment.author),
        "created_at": render_time(comment.created_at),
        "updated_at": render_time(comment.updated_at),
        "author_association": association(repository, comment.author),
        "body": comment.body,
        "reactions": _reaction_counts(url, comment.reactions),
        "performed_via_github_app": app_shape(at, app) if comment.author is app.bot else None,
        "minimized": {"reason": comment.minimized} if comment.minimized else None,
    }
