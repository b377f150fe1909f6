"""`…/diff?with=RUN`: two runs side by side: conditions, scores, assertions, files."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.figures import Figures
from bot.web.fresh import answer_fresh, find_repo, not_there
from bot.web.guard import Guard
from bot.web.run_alike import AssertionChange, compare_assertions, compare_lines
from bot.web.run_changes import Change
from bot.web.run_files import FilePair, FileReader, pair_files
from bot.web.run_page import HERE
from bot.web.run_reader import FoundRun, RunReader
from bot.web.run_score import ALL_TRIALS
from bot.web.run_values import RunDetails
from bot.web.shell import render

MEAN = " (mean)"
MOST_CHANGES = 4
"""Texts of each arm whose difference is shown."""
MOST_NAMED = 50
MOST_LISTED = 30
"""Runs that are offered to choose from."""


class ChangedFile(NamedTuple):
    """A file of one arm in both runs; `tested` of the pair is this run's."""

    pair: FilePair
    change: Change | None


class RunCompare:
    """Two runs."""

    def __init__(self, reader: RunReader, figures: Figures, clock: Callable[[], datetime]) -> None:
        self._reader = reader
        self._figures = figures
        self._clock = clock
        self._files = FileReader(reader)

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [Route(f"{HERE}/diff", guard.open_page(self.show), methods=["GET"])]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """The run beside another one, or a choice of such."""
        repo = await find_repo(request, visitor, self._figures)
        run_id = str(request.path_params["run"])
        found = await self._reader.find(repo, run_id) if repo else None
        if repo is None or found is None:
            return not_there(visitor)
        details = await self._reader.describe(found, repo)
        named = request.query_params.get("with", "").strip()
        if not named:
            return await self._offer(visitor, repo, details)
        there, other_id = await self._place(named, repo, visitor)
        other = await self._reader.find(there, other_id) if there else None
        if there is None or other is None:
            return not_there(visitor)
        others = await self._reader.describe(other, there)

        async def make() -> Response:
            return await self._show_both(visitor, (found, other), (details, others), repo)

        versions = [details.model_dump_json(), others.model_dump_json()]
        return await answer_fresh(request, visitor, versions, make, now=self._clock())

    async def _place(
        self, named: str, repo: SeenRepo, visitor: Visitor
    ) -> tuple[SeenRepo | None, str]:
        """The repository and the id of a run: `RUN` of this one, `owner/name/RUN` of another."""
        full_name, _, run_id = named.rpartition("/")
        if not full_name:
            return repo, run_id
        there = await self._figures.repo(full_name)
        return (there if there and visitor.sees(there) else None), run_id

    async def _offer(self, visitor: Visitor, repo: SeenRepo, details: RunDetails) -> Response:
        found = await self._figures.runs(repo, skill=details.row.skill, most=MOST_LISTED + 1)
        rows = [row for row in found.rows if row.run != details.row.run]
        alike = sorted(rows, key=lambda row: row.eval_id != details.row.eval_id)
        return render(
            "run_diff.html", visitor, here="", repo=repo, details=details, others=None,
            rows=alike[:MOST_LISTED],
        )  # fmt: skip

    async def _show_both(
        self,
        visitor: Visitor,
        found: tuple[FoundRun, FoundRun],
        details: tuple[RunDetails, RunDetails],
        repo: SeenRepo,
    ) -> Response:
        this, other = details
        files = {
            title: await self._compare_files(found, details, position)
            for position, title in enumerate(this.titles)
        }
        conditions = compare_lines(dict(this.conditions), dict(other.conditions))
        scores = [
            compare_lines(_column(this, tested=tested), _column(other, tested=tested))
            for tested in (True, False)
        ]
        assertions: Sequence[AssertionChange] = compare_assertions(this, other)
        return render(
            "run_diff.html",
            visitor,
            here="",
            repo=repo,
            details=this,
            others=other,
            conditions=[one for one in conditions if one.differs],
            scores=list(zip(*scores, strict=True)),
            changed=[one for one in assertions if one.differs],
            unchanged=sum(not one.differs for one in assertions),
            files=files,
            most_named=MOST_NAMED,
            has_trials=bool(this.trials or other.trials),
        )

    async def _compare_files(
        self,
        found: tuple[FoundRun, FoundRun],
        details: tuple[RunDetails, RunDetails],
        position: int,
    ) -> Sequence[ChangedFile]:
        """The files of the first or second arm, those that differ with what differs."""
        if not (found[0].sources and found[1].sources):
            return ()  # what is not kept is not known to differ
        both = [
            one.find_session(which.arms[position], which.trial)
            for one, which in zip(found, details, strict=True)
        ]
        pairs = [one for one in pair_files(*both) if one.state != "same"]
        changed: list[ChangedFile] = []
        shown = 0
        for pair in pairs:
            change = None
            if pair.state == "differs" and shown < MOST_CHANGES and both[0] and both[1]:
                texts = [
                    await self._files.text(one, session, pair.path)
                    for one, session in zip(found, (both[0], both[1]), strict=True)
                ]
                if texts[0] is not None and texts[1] is not None:
                    change = await self._files.change(texts[1], texts[0])
                    shown += 1
            changed.append(ChangedFile(pair, change))
        return changed


def _column(details: RunDetails, *, tested: bool) -> Mapping[str, str]:
    """One arm's lines, those of one trial and of several under the same names."""
    return {
        line.name.removesuffix(MEAN).removesuffix(ALL_TRIALS): (
            line.tested if tested else line.other
        )
        for line in details.scorecard
    }
