"""JSON shapes of check runs and their annotations. Pure, like `shapes`."""

from collections.abc import Mapping
from typing import Any

from demo.github.records import Check
from demo.github.shapes import Addresses, Json, app_shape, make_node_id, render_time
from demo.github.state import App, Repository


def check_page(at: Addresses, repository: Repository, check: Check) -> str:
    """Address of a check run's page."""
    return at.page(repository, "runs", check.id)


def check_shape(at: Addresses, app: App, repository: Repository, check: Check) -> Json:
    """A check run, as the checks API shows it."""
    url = f"{at.repository(repository)}/check-runs/{check.id}"
    page = check_page(at, repository, check)
    return {
        "id": check.id,
        "node_id": make_node_id("CheckRun", check.id),
        "head_sha": check.commit,
        "external_id": check.external_id,
        "name": check.name,
        "url": url,
        "html_url": page,
        "details_url": check.details_url or page,
        "status": check.status,
        "conclusion": check.conclusion,
        "started_at": render_time(check.started_at),
        "completed_at": render_time(check.completed_at) if check.completed_at else None,
        "output": {
            "title": check.title,
            "summary": check.summary,
            "text": check.text,
            "annotations_count": len(check.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": check.suite_id},
        "app": app_shape(at, app) | {"id": check.app_id},
        "pull_requests": [],
    }


def webhook_check_shape(at: Addresses, app: App, repository: Repository, check: Check) -> Json:
    """A check run in an event, with more of its suite."""
    shape = check_shape(at, app, repository, check)
    suite = {
        "id": check.suite_id,
        "node_id": make_node_id("CheckSuite", check.suite_id),
        "head_branch": _branch_of(repository, check.commit),
        "head_sha": check.commit,
        "status": check.status,
        "conclusion": check.conclusion,
        "url": f"{at.repository(repository)}/check-suites/{check.suite_id}",
        "before": None,
        "after": check.commit,
        "pull_requests": [],
        "app": shape["app"],
        "created_at": shape["started_at"],
        "updated_at": shape["started_at"],
    }
    return shape | {"check_suite": suite}


def _branch_of(repository: Repository, commit: str) -> str | None:
    return next((name for name, sha in repository.branches.items() if sha == commit), None)


def annotation_shape(
    at: Addresses, repository: Repository, check: Check, annotation: Mapping[str, Any]
) -> Json:
    """A remark on lines of a file."""
    path = annotation["path"]
    return {
        "path": path,
        "blob_href": at.page(repository, "blob", check.commit, path),
        "start_line": annotation["start_line"],
        "end_line": annotation["end_line"],
        "start_column": None,
        "end_column": None,
        "annotation_level": annotation["annotation_level"],
        "title": annotation.get("title"),
        "message": annotation["message"],
        "raw_details": None,
    }
