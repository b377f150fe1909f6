"""Check runs of ours: each tag once on a commit, found again by its `external_id`.

As with comments: look, then write, so that a step that is done again finds what it did.
GitHub adds the annotations of an update to those that stand already and takes none back, so
only what is missing is sent; where others stand, a new check run takes the old one's place,
since GitHub shows the newest of a name.
"""

from functools import partial
from typing import Any

from bot.github.calls import Calls, json_of
from bot.github.failures import Forbidden, Rejected
from bot.github.issues import IsOwn
from bot.github.pull_calls import NOT_GRANTED
from bot.github.reads import base_of
from jobs.check_runs import Annotation, CheckRun
from jobs.errors import Gone, Refused
from jobs.requests import Repo

ANNOTATIONS_A_CALL = 50
"""https://docs.github.com/rest/checks/runs, "annotations"."""

Json = dict[str, Any]


class CheckRuns:
    """Implements `jobs.check_runs.CheckRuns`."""

    def __init__(self, calls: Calls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)
        self._is_own = is_own

    async def show_check(self, check: CheckRun, *, tag: str) -> str:
        """Create the check run, or bring the one with this tag up to date."""
        try:
            return await self._show(check, tag)
        except Forbidden as forbidden:
            if NOT_GRANTED not in str(forbidden):
                raise
            raise Refused(
                f"The App may not show check runs in {self._repo.full_name}: grant it the "
                "repository permission *Checks: write* and accept that on the installation's page."
            ) from None
        except Rejected as rejected:
            if "No commit found" in rejected.said:
                raise Gone(f"{self._repo.full_name} has no commit {check.commit}") from None
            raise

    async def _show(self, check: CheckRun, tag: str) -> str:
        """Create it or find it, then send what it lacks; its end with the last annotations."""
        wanted = [_annotation_shape(one) for one in check.annotations]
        kept, standing = await self._calls.write(partial(self._find_or_create, check, tag, wanted))
        path = f"{self._base}/check-runs/{kept['id']}"
        while len(wanted) - standing > ANNOTATIONS_A_CALL:
            batch = wanted[standing : standing + ANNOTATIONS_A_CALL]
            await self._update(path, {"output": _output_of(check, batch)})
            standing += ANNOTATIONS_A_CALL
        body = _body_of(check, wanted[standing:])
        if standing < len(wanted) or not _says_the_same(kept, body):
            await self._update(path, body)
        return str(kept["html_url"])

    async def _update(self, path: str, body: Json) -> None:
        """Not blindly repeated where it adds annotations: the caller's next look counts them."""
        await self._calls.write(partial(self._calls.send, "PATCH", path, json=body))

    async def _find_or_create(
        self, check: CheckRun, tag: str, wanted: list[Json]
    ) -> tuple[Json, int]:
        """Ours with this tag, and how many of the wanted annotations it bears.

        The newest, unless it bears annotations that are not wanted.
        """
        params = {"check_name": check.name, "filter": "all"}
        path = f"{self._base}/commits/{check.commit}/check-runs"
        found = [
            run
            async for run in self._calls.pages(path, params=params, within="check_runs")
            if run.get("external_id") == tag and await self._is_our_own(run)
        ]
        newest = max(found, key=lambda run: int(run["id"]), default=None)
        if newest is not None and (standing := await self._count_common(newest, wanted)) >= 0:
            return newest, standing
        first = wanted[:ANNOTATIONS_A_CALL]
        body = _body_of(check, first)
        if len(wanted) > len(first):
            body = {"status": "in_progress", "output": body["output"]}
        names = {"name": check.name, "head_sha": check.commit, "external_id": tag}
        path = f"{self._base}/check-runs"
        made = json_of(await self._calls.send("POST", path, json=names | body))
        return dict(made) | {"is_new": True}, len(first)

    async def _count_common(self, run: Json, wanted: list[Json]) -> int:
        """How many of the wanted annotations stand; -1 where others do, or more."""
        count = int(run["output"]["annotations_count"])
        if not 0 < count <= len(wanted):
            return 0 if count == 0 else -1
        path = f"{self._base}/check-runs/{run['id']}/annotations"
        standing = [_known(one) async for one in self._calls.pages(path)]
        return count if standing == [_known(one) for one in wanted[:count]] else -1

    async def _is_our_own(self, run: Json) -> bool:
        """By the App's id, never by a name: other Apps may call their check runs the same."""
        return await self._is_own(
            {"user": {"type": "Bot"}, "performed_via_github_app": run.get("app") or {}}
        )


def _annotation_shape(annotation: Annotation) -> Json:
    return {
        "path": annotation.path,
        "start_line": annotation.start_line,
        "end_line": annotation.end_line,
        "annotation_level": annotation.level,
        "title": annotation.title,
        "message": annotation.message,
    }


def _known(annotation: Json) -> tuple[Any, ...]:
    """What tells an annotation from others, the same of one sent and one listed."""
    parts = ("path", "start_line", "end_line", "annotation_level", "title", "message")
    return tuple(annotation.get(part) or "" for part in parts)


def _output_of(check: CheckRun, annotations: list[Json]) -> Json:
    output: Json = {"title": check.title, "summary": check.summary, "text": check.text}
    if annotations:
        output["annotations"] = annotations
    return output


def _body_of(check: CheckRun, annotations: list[Json]) -> Json:
    """The whole check run but for its name, commit and tag; buttons are replaced as a whole."""
    body: Json = {
        "status": check.status,
        "output": _output_of(check, annotations),
        "actions": [action.model_dump() for action in check.actions],
    }
    if check.conclusion is not None:
        body["conclusion"] = check.conclusion
    if check.details_url is not None:
        body["details_url"] = check.details_url
    return body


def _says_the_same(kept: Json, body: Json) -> bool:
    """Whether nothing need be sent. GitHub lists no buttons: where there are some, who knows."""
    output = kept["output"]
    same_words = all(
        (output.get(part) or "").replace("\r\n", "\n") == body["output"][part]
        for part in ("title", "summary", "text")
    )
    same_end = kept["status"] == body["status"] and kept["conclusion"] == body.get("conclusion")
    return same_words and same_end and ("is_new" in kept or not body["actions"])
