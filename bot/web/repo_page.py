"""`/repos/<owner>/<name>`: one repository with all its skills, its newest runs, what goes on."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.choices import Choice, choose, take_part
from bot.web.figures import Figures
from bot.web.fresh import answer_fresh, find_repo, not_there
from bot.web.going_on import GoingOn, Happenings
from bot.web.guard import Guard
from bot.web.shell import render
from config.settings import Settings

SKILLS_A_PAGE = 50
RUNS_SHOWN = 10


class RepoPage:
    """The page of a repository."""

    def __init__(self, figures: Figures, happenings: Happenings, settings: Settings) -> None:
        self._figures = figures
        self._happenings = happenings
        self._settings = settings

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [Route("/repos/{owner}/{name}", guard.open_page(self.show), methods=["GET"])]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """All skills, in the order that the address asks for."""
        repo = await find_repo(request, visitor, self._figures)
        if repo is None:
            return not_there(visitor)
        going_on = await self._happenings.find(visitor, [repo], repo.full_name)
        versions = [repo.is_private, await self._figures.version(repo), *going_on.version]
        choice = Choice.read(request.query_params)

        async def make() -> Response:
            return await self._render(visitor, repo, choice, going_on)

        return await answer_fresh(request, visitor, versions, make, now=going_on.at)

    async def _render(
        self, visitor: Visitor, repo: SeenRepo, choice: Choice, going_on: GoingOn
    ) -> Response:
        [found] = await self._figures.overview([repo])
        cards = choose(found.cards, choice)
        return render(
            "repo.html",
            visitor,
            here="",
            web_url=self._settings.github_web_url,
            mention=self._settings.mention,
            choice=choice,
            repo=found,
            part=take_part(cards, choice.page, SKILLS_A_PAGE),
            doing=going_on.doing,
            is_counting=any(card.made_at is None or card.is_behind for card in found.cards),
            running=going_on.running,
            stale=[card for card in found.cards if card.stale],
            runs=await self._figures.runs(repo, most=RUNS_SHOWN),
        )
