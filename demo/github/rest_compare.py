"""REST: two commits held side by side, with the one that both come from."""

from demo.github.answers import Answer, not_found
from demo.github.commits import Commit
from demo.github.rest_call import Call, Endpoint
from demo.github.shapes_code import commit_shape
from demo.github.state import Repository


def find_merge_base(repository: Repository, one: Commit, other: Commit) -> Commit | None:
    """The newest commit that both sides hold; None where they have nothing in common."""
    held = set(_history(repository, one))
    return next(
        (repository.commits[sha] for sha in _history(repository, other) if sha in held), None
    )


def _history(repository: Repository, start: Commit) -> list[str]:
    """A commit and all before it, nearest first."""
    found: dict[str, None] = {}
    waiting = [start.sha]
    while waiting:
        sha = waiting.pop(0)
        if sha not in found:
            found[sha] = None
            waiting += repository.commits[sha].parents
    return list(found)


def _compare(call: Call) -> Answer:
    """Without the list of files, which nobody asks for."""
    repository = call.repository()
    names = call.params["basehead"].split("...")
    if len(names) != 2:
        raise not_found()
    base, head = (repository.find_commit(name) for name in names)
    if base is None or head is None:
        raise not_found()
    common = find_merge_base(repository, base, head)
    if common is None:
        raise not_found()
    behind, ahead = (
        [sha for sha in _history(repository, side) if sha not in _history(repository, common)]
        for side in (base, head)
    )
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    url = f"{call.at.repository(repository)}/compare/{call.params['basehead']}"
    page = call.at.page(repository, "compare", call.params["basehead"])
    commits = [commit_shape(call.at, repository, repository.commits[sha]) for sha in ahead[::-1]]
    shape = {
        "url": url,
        "html_url": page,
        "permalink_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": commit_shape(call.at, repository, base),
        "merge_base_commit": commit_shape(call.at, repository, common),
        "status": status.get((bool(ahead), bool(behind)), "diverged"),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(commits),
        "commits": commits,
    }
    return Answer(200, shape)


ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/compare/{basehead}", _compare, "contents:read"),
)
