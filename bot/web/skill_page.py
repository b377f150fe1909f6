"""`/repos/<owner>/<name>/skill?path=`: what is known of one skill, as pictures and as numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.figures import Figures
from bot.web.fresh import answer_fresh, find_repo, not_there
from bot.web.guard import Guard
from bot.web.shell import render
from bot.web.showing import show_points, show_skill
from config.settings import Settings
from jobs.dashboard.addresses import LONGEST_PART, badge_markdown
from jobs.dashboard.values import (
    AssertionNote,
    HeatCell,
    SkillCard,
    SkillFigures,
    TriggerPoint,
    VersionPoint,
)
from jobs.reporting.numbers import plural

RUNS_SHOWN = 20
VERSIONS_SHOWN = 60
EVALS_SHOWN = 100
ASSERTIONS_SHOWN = 40
"""Rows of each table; the API has all of them."""


@dataclass(frozen=True, slots=True)
class HeatTable:
    """Eval cases by models, as rows."""

    models: Sequence[str]
    rows: Sequence[tuple[str, Sequence[HeatCell | None]]]
    total: int
    """Eval cases that there are."""

    @classmethod
    def of(cls, cells: Sequence[HeatCell]) -> "HeatTable":
        models = sorted({cell.model for cell in cells})
        evals = list(dict.fromkeys(cell.eval_id for cell in cells))
        found = {(cell.eval_id, cell.model): cell for cell in cells}
        shown = evals[:EVALS_SHOWN]
        rows = [(one, [found.get((one, model)) for model in models]) for one in shown]
        return cls(models, rows, len(evals))


@dataclass(frozen=True, slots=True)
class Shown:
    """The figures of a skill, cut to what a page holds."""

    versions: Sequence[VersionPoint]
    """The newest first, as tables begin with them."""
    triggers: Sequence[TriggerPoint]
    heat: HeatTable
    discriminating: Sequence[AssertionNote]
    weak: Sequence[AssertionNote]

    @classmethod
    def of(cls, found: SkillFigures) -> "Shown":
        kinds = {
            kind: [one for one in found.assertions if one.kind == kind][:ASSERTIONS_SHOWN]
            for kind in ("discriminating", "weak")
        }
        return cls(
            versions=found.versions[::-1][:VERSIONS_SHOWN],
            triggers=found.triggers[::-1][:VERSIONS_SHOWN],
            heat=HeatTable.of(found.cells),
            discriminating=kinds["discriminating"],
            weak=kinds["weak"],
        )


class SkillPage:
    """The page of a skill."""

    def __init__(self, figures: Figures, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._figures = figures
        self._settings = settings
        self._clock = clock

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [Route("/repos/{owner}/{name}/skill", guard.open_page(self.show), methods=["GET"])]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """Everything about the skill that the address names by its path."""
        repo = await find_repo(request, visitor, self._figures)
        path = request.query_params.get("path", "")
        if repo is None or not path or len(path) > LONGEST_PART:
            return not_there(visitor)
        base = self._settings.public_url or str(request.base_url).rstrip("/")

        async def make() -> Response:
            found = await self._figures.skill(repo, path)
            if found is None:
                return not_there(visitor)
            return await self._render(visitor, repo, found, base)

        versions = [repo.is_private, base, await self._figures.version(repo, path)]
        return await answer_fresh(request, visitor, versions, make, now=self._clock())

    async def _render(
        self, visitor: Visitor, repo: SeenRepo, found: SkillFigures, base: str
    ) -> Response:
        card = found.card
        return render(
            "skill.html",
            visitor,
            here="",
            web_url=self._settings.github_web_url,
            mention=self._settings.mention,
            repo=repo,
            card=card,
            newest=card.latest,
            headline=_find_headline(card),
            found=found,
            shown=Shown.of(found),
            others=[one for one in found.sets if one != card.latest],
            runs=await self._figures.runs(repo, skill=card.skill, most=RUNS_SHOWN),
            badge=badge_markdown(base, repo.full_name, card.skill),
        )


def _find_headline(card: SkillCard) -> str:
    """What the newest set says, in a sentence."""
    skill, newest = show_skill(card), card.latest
    if card.made_at is None:
        return f"The figures of {skill} are being counted."
    if newest is None:
        return f"{skill} has no score yet."
    points = show_points(newest.whiskers.difference)
    evals = plural(newest.evals, "eval case")
    rest = ", which do not count" if newest.word == "invalid" else ""
    return f"{skill} with {newest.model}: {points} points against no skill over {evals}{rest}."
