"""`/`: every skill of every repository that a visitor sees, what changed, and what goes on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.web.access import Visitor
from bot.web.choices import (
    SORTS,
    WORDS,
    Choice,
    choose,
    find_begun,
    find_better,
    find_word,
    find_worse,
    take_part,
)
from bot.web.doing import Doing
from bot.web.figures import Figures
from bot.web.fresh import answer_fresh
from bot.web.going_on import GoingOn, Happenings
from bot.web.guard import SEE_OTHER, Guard
from bot.web.shell import HEADERS, render
from config.settings import Settings
from jobs.dashboard.values import RepoFigures, SkillCard

REPOS_A_PAGE = 20
SKILLS_ALONE, SKILLS_AMONG = 50, 12
"""Skills that are shown of a repository: of the only one, and of one among several."""
CHANGES_SHOWN = 5
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Section:
    """A repository with the skills that are shown of it."""

    repo: RepoFigures
    cards: Sequence[SkillCard]
    fitting: int
    """Skills that the choice fits, shown or not."""
    doing: Doing

    @property
    def hidden(self) -> int:
        return self.fitting - len(self.cards)


class Overview:
    """The first page."""

    def __init__(self, figures: Figures, happenings: Happenings, settings: Settings) -> None:
        self._figures = figures
        self._happenings = happenings
        self._settings = settings

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [Route("/", guard.open_page(self.show), methods=["GET"])]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """All of it; a visitor for whom nothing can be here is led to the sign-in."""
        if not visitor.is_known and visitor.public_since is None:
            return RedirectResponse("/sign-in", SEE_OTHER, HEADERS)
        repos = [repo for repo in await self._figures.repos() if visitor.sees(repo)]
        going_on = await self._happenings.find(visitor, repos)
        versions = await self._figures.versions(repos)
        choice = Choice.read(request.query_params)

        async def make() -> Response:
            found = await self._figures.overview(repos)
            return self._render(visitor, choice, found, going_on)

        names = [(repo.full_name, repo.is_private) for repo in repos]
        seen = [*names, *versions, *going_on.version]
        return await answer_fresh(request, visitor, seen, make, now=going_on.at)

    def _render(
        self,
        visitor: Visitor,
        choice: Choice,
        found: Sequence[RepoFigures],
        going_on: GoingOn,
    ) -> Response:
        cards = [card for one in found for card in one.cards]
        sections = _make_sections(found, choice, going_on.doing)
        worse, better = find_worse(cards), find_better(cards)
        return render(
            "overview.html",
            visitor,
            here="/",
            web_url=self._settings.github_web_url,
            mention=self._settings.mention,
            choice=choice,
            sorts=SORTS,
            cards=cards,
            repos=found,
            words=_count_words(cards),
            part=take_part(sections, choice.page, REPOS_A_PAGE),
            fitting=sum(one.fitting for one in sections),
            doing=going_on.doing,
            running=going_on.running,
            worse=worse,
            better=better,
            begun=find_begun(cards),
            most=CHANGES_SHOWN,
            week_ago=going_on.at - WEEK,
            has_versions=any(card.change is not None for card in cards),
            is_counting=any(card.made_at is None or card.is_behind for card in cards),
            spent=sum(one.spend_week_usd for one in found),
            is_partial=any(one.is_spend_partial for one in found),
        )


def _make_sections(found: Sequence[RepoFigures], choice: Choice, doing: Doing) -> list[Section]:
    """Repositories with anything that fits; where nothing is left out, those without skills too."""
    most = SKILLS_ALONE if len(found) == 1 else SKILLS_AMONG
    sections = []
    for one in found:
        cards = choose(one.cards, choice)
        if cards or not choice.is_narrowed:
            sections.append(Section(one, cards[:most], len(cards), doing.of(one.repo)))
    return sections


def _count_words(cards: Sequence[SkillCard]) -> list[tuple[str, int]]:
    """How many skills each word is said of, with those that are not measured; without zeros."""
    counts = Counter(map(find_word, cards))
    return [(word, counts[word]) for word in WORDS if counts[word]]
