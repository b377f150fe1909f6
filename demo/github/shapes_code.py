"""JSON shapes of repositories, commits, files and releases. Pure, like `shapes`."""

import base64
import textwrap
from pathlib import PurePosixPath
from urllib.parse import quote

from demo.github.commits import Commit, Entry
from demo.github.shapes import Addresses, Json, account_shape, make_node_id, render_time
from demo.github.state import Account, Asset, Release, Repository

_TEMPLATES = {
    "archive": "/{archive_format}{/ref}",
    "assignees": "/assignees{/user}",
    "blobs": "/git/blobs{/sha}",
    "branches": "/branches{/branch}",
    "collaborators": "/collaborators{/collaborator}",
    "comments": "/comments{/number}",
    "commits": "/commits{/sha}",
    "compare": "/compare/{base}...{head}",
    "contents": "/contents/{+path}",
    "contributors": "/contributors",
    "deployments": "/deployments",
    "downloads": "/downloads",
    "events": "/events",
    "forks": "/forks",
    "git_commits": "/git/commits{/sha}",
    "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}",
    "hooks": "/hooks",
    "issue_comment": "/issues/comments{/number}",
    "issue_events": "/issues/events{/number}",
    "issues": "/issues{/number}",
    "keys": "/keys{/key_id}",
    "labels": "/labels{/name}",
    "languages": "/languages",
    "merges": "/merges",
    "milestones": "/milestones{/number}",
    "notifications": "/notifications{?since,all,participating}",
    "pulls": "/pulls{/number}",
    "releases": "/releases{/id}",
    "stargazers": "/stargazers",
    "statuses": "/statuses/{sha}",
    "subscribers": "/subscribers",
    "subscription": "/subscription",
    "tags": "/tags",
    "teams": "/teams",
    "trees": "/git/trees{/sha}",
}

_LARGEST_INLINE = 1_000_000
"""Bytes up to which the contents API gives a file's text."""


def repository_shape(at: Addresses, repository: Repository) -> Json:
    """A repository, full enough for its own endpoint, lists and webhooks alike."""
    base, page = at.repository(repository), at.page(repository)
    host = at.web.partition("//")[2]
    open_issues = sum(issue.is_open for issue in repository.issues.values())
    return {
        "id": repository.id,
        "node_id": make_node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.is_private,
        "visibility": "private" if repository.is_private else "public",
        "owner": account_shape(at, repository.owner),
        "html_url": page,
        "description": repository.description or None,
        "fork": False,
        "url": base,
        **{f"{name}_url": base + template for name, template in _TEMPLATES.items()},
        "git_url": f"git://{host}/{repository.full_name}.git",
        "ssh_url": f"git@{host}:{repository.full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "topics": [],
        "default_branch": repository.default_branch,
        "size": sum(len(e.content) for e in _entries(repository).values()) // 1024,
        **dict.fromkeys(("forks", "forks_count", "network_count", "subscribers_count"), 0),
        **dict.fromkeys(("stargazers_count", "watchers", "watchers_count"), 0),
        **dict.fromkeys(("open_issues", "open_issues_count"), open_issues),
        **dict.fromkeys(("has_issues", "has_projects", "has_wiki", "has_downloads"), True),
        **dict.fromkeys(("has_pages", "has_discussions"), False),
        "archived": repository.is_archived,
        "disabled": repository.is_disabled,
        "is_template": False,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "pushed_at": render_time(repository.pushed_at),
        "created_at": render_time(repository.created_at),
        "updated_at": render_time(repository.pushed_at),
    }


def _entries(repository: Repository) -> dict[str, Entry]:
    return dict(repository.head.entries) if repository.head else {}


def collaborator_shape(at: Addresses, repository: Repository, account: Account) -> Json:
    """What an account may do in a repository, in the old four words and the new six."""
    role = repository.role_of(account)
    permission = {"maintain": "write", "triage": "read"}.get(role, role)
    ladder = ["read", "triage", "write", "maintain", "admin"]
    rank = ladder.index(role) if role in ladder else -1
    names = {"pull": 0, "triage": 1, "push": 2, "maintain": 3, "admin": 4}
    permissions = {name: rank >= needed for name, needed in names.items()}
    user = account_shape(at, account) | {"permissions": permissions, "role_name": role}
    return {"permission": permission, "role_name": role, "user": user}


def commit_shape(at: Addresses, repository: Repository, commit: Commit) -> Json:
    """A commit with the files it changed."""
    base = at.repository(repository)
    url = f"{base}/commits/{commit.sha}"
    author = {
        "name": commit.author,
        "email": f"{commit.author}@users.noreply.github.com",
        "date": render_time(commit.at),
    }
    parent = repository.commits.get(commit.parents[0]) if commit.parents else None
    changed = commit.changed_since(parent)
    files = [
        _changed_file_shape(at, repository, commit, path, status)
        for status, paths in changed.items()
        for path in paths
    ][:300]  # GitHub's page of files
    return {
        "sha": commit.sha,
        "node_id": make_node_id("Commit", repository.id),
        "url": url,
        "html_url": at.page(repository, "commit", commit.sha),
        "comments_url": f"{url}/comments",
        "commit": {
            "url": f"{base}/git/commits/{commit.sha}",
            "author": author,
            "committer": author,
            "message": commit.message,
            "comment_count": 0,
            "tree": {"sha": commit.tree_sha, "url": f"{base}/git/trees/{commit.tree_sha}"},
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        "author": None,
        "committer": None,
        "parents": [
            {
                "sha": sha,
                "url": f"{base}/commits/{sha}",
                "html_url": at.page(repository, "commit", sha),
            }
            for sha in commit.parents
        ],
        "stats": {"total": len(files), "additions": len(files), "deletions": 0},
        "files": files,
    }


def _changed_file_shape(
    at: Addresses, repository: Repository, commit: Commit, path: str, status: str
) -> Json:
    base = at.repository(repository)
    entry = commit.entries.get(path)
    return {
        "sha": entry.sha if entry else None,
        "filename": path,
        "status": status,
        **dict.fromkeys(("additions", "deletions", "changes"), 0),
        "blob_url": at.page(repository, "blob", commit.sha, quote(path)),
        "raw_url": at.page(repository, "raw", commit.sha, quote(path)),
        "contents_url": f"{base}/contents/{quote(path)}?ref={commit.sha}",
    }


def tree_shape(
    at: Addresses, repository: Repository, commit: Commit, folder: str, *, recursive: bool
) -> Json:
    """A folder's listing; a link is a blob of mode 120000, as Git has it."""
    base = at.repository(repository)
    prefix = f"{folder}/" if folder else ""
    rows: list[Json] = []
    for path in sorted([*commit.folders, *commit.entries]):
        relative = path.removeprefix(prefix)
        if not path.startswith(prefix) or not relative or ("/" in relative and not recursive):
            continue
        if entry := commit.entries.get(path):
            row = {"mode": entry.mode, "type": "blob", "sha": entry.sha, "size": len(entry.content)}
            row["url"] = f"{base}/git/blobs/{entry.sha}"
        else:
            row = {"mode": "040000", "type": "tree", "sha": commit.folders[path]}
            row["url"] = f"{base}/git/trees/{commit.folders[path]}"
        rows.append({"path": relative, **row})
    sha = commit.folders[folder]
    return {"sha": sha, "url": f"{base}/git/trees/{sha}", "tree": rows, "truncated": False}


def content_shape(at: Addresses, repository: Repository, commit: Commit, path: str) -> Json:
    """One entry of the contents API, without the text that only a single file carries."""
    base = at.repository(repository)
    entry = commit.entries.get(path)
    kind = "dir" if entry is None else "symlink" if entry.mode == "120000" else "file"
    sha = entry.sha if entry else commit.folders[path]
    url = f"{base}/contents/{quote(path)}?ref={commit.sha}"
    git_url = f"{base}/git/{'blobs' if entry else 'trees'}/{sha}"
    page = at.page(repository, "blob" if entry else "tree", commit.sha, quote(path))
    raw = at.page(repository, "raw", commit.sha, quote(path))
    return {
        "name": PurePosixPath(path).name,
        "path": path,
        "sha": sha,
        "size": len(entry.content) if entry else 0,
        "url": url,
        "html_url": page,
        "git_url": git_url,
        "download_url": raw if entry else None,
        "type": kind,
        "_links": {"self": url, "git": git_url, "html": page},
    }


def file_shape(at: Addresses, repository: Repository, commit: Commit, path: str) -> Json:
    """A single file or link of the contents API, with its text or target."""
    shape = content_shape(at, repository, commit, path)
    entry = commit.entries[path]
    if entry.mode == "120000":
        return shape | {"target": entry.content.decode(errors="replace")}
    if len(entry.content) > _LARGEST_INLINE:
        return shape | {"encoding": "none", "content": ""}
    text = base64.b64encode(entry.content).decode()
    return shape | {"encoding": "base64", "content": "\n".join([*textwrap.wrap(text, 60), ""])}


def asset_shape(at: Addresses, repository: Repository, release: Release, asset: Asset) -> Json:
    """A release's file."""
    page = at.page(repository, "releases", "download", quote(release.tag, safe=""))
    return {
        "url": f"{at.repository(repository)}/releases/assets/{asset.id}",
        "browser_download_url": f"{page}/{quote(asset.name)}",
        "id": asset.id,
        "node_id": make_node_id("ReleaseAsset", asset.id),
        "name": asset.name,
        "label": asset.label,
        "state": "uploaded",
        "content_type": asset.content_type,
        "size": len(asset.content),
        "digest": asset.digest,
        "download_count": asset.downloads,
        "created_at": render_time(asset.created_at),
        "updated_at": render_time(asset.created_at),
        "uploader": account_shape(at, asset.uploader),
    }


def release_shape(at: Addresses, repository: Repository, release: Release) -> Json:
    """A release with its assets and the address that takes uploads."""
    base = at.repository(repository)
    url = f"{base}/releases/{release.id}"
    uploads = f"{at.uploads}/repos/{repository.full_name}/releases/{release.id}/assets"
    tag = quote(release.tag, safe="")
    return {
        "url": url,
        "html_url": at.page(repository, "releases", "tag", tag),
        "assets_url": f"{url}/assets",
        "upload_url": f"{uploads}{{?name,label}}",
        "tarball_url": None if release.is_draft else f"{base}/tarball/{tag}",
        "zipball_url": None if release.is_draft else f"{base}/zipball/{tag}",
        "id": release.id,
        "node_id": make_node_id("Release", release.id),
        "tag_name": release.tag,
        "target_commitish": release.target,
        "name": release.name,
        "body": release.body,
        "draft": release.is_draft,
        "prerelease": release.is_prerelease,
        "immutable": release.is_immutable,
        "created_at": render_time(release.created_at),
        "published_at": None if release.is_draft else render_time(release.created_at),
        "author": account_shape(at, release.author),
        "assets": [asset_shape(at, repository, release, asset) for asset in release.assets],
    }
