"""Charts as images, for pages, READMEs and comments.

A stranger sees those of public repositories, where the operator shows them, through GitHub's image
proxy. It keeps a picture for as long as `cache-control` says, for a year where nothing is said, and
shows a picture whatever its status, so what is no picture is answered in plain text.
https://github.com/atmos/camo, https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-anonymized-urls
"""

from typing import get_args

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bot.charts.gallery import Gallery, name_of
from bot.charts.subject import OF_SKILL, Subject, subject_of_repo, subject_of_skill
from bot.redis_clients import REDIS_AWAY
from bot.store.seen_repos import SeenRepo
from bot.web.access import Access
from bot.web.figures import Figures
from bot.web.fresh import OWN, has_tag
from jobs.dashboard.addresses import LONGEST_PART, ChartKind, Picture, Theme
from jobs.errors import Transient

TYPES = {"svg": "image/svg+xml; charset=utf-8", "png": "image/png"}
SEALED = {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
    "cross-origin-resource-policy": "same-origin",
}
"""Opened by itself, a picture may do nothing; its lines have styles of their own. Another site must
not learn, in the browser of somebody who may see all, which pictures are there and which are not.
"""
FRESH = "public, max-age=300"
"""For what everybody may see; five minutes, so that a badge follows a run soon."""
AGAIN_S = 5
NONE = "There is no such chart, or you may not see it. Kinds: " + ", ".join(get_args(ChartKind))


class Charts:
    """The pictures of one server."""

    def __init__(self, access: Access, figures: Figures, gallery: Gallery) -> None:
        self._access = access
        self._figures = figures
        self._gallery = gallery

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/charts/{owner}/{name}/{kind}.{picture}", self.show, methods=["GET"]),
            Route("/charts/{rest:path}", _show_none, methods=["GET"]),
        ]

    async def show(self, request: Request) -> Response:
        """A picture, or 304 where whoever asks has it."""
        try:
            return await self._show(request)
        except (Transient, *REDIS_AWAY):
            headers = SEALED | {"cache-control": "no-store", "retry-after": str(AGAIN_S)}
            return PlainTextResponse("Not now; try again soon.", 503, headers)

    async def _show(self, request: Request) -> Response:
        asked, names = request.query_params, request.path_params
        theme, picture = _read_theme(asked.get("theme", "light")), _read_picture(names["picture"])
        kind, path = _read_kind(names["kind"]), asked.get("skill", "")
        if theme is None or picture is None or kind is None or len(path) > LONGEST_PART:
            return _none()
        visitor = await self._access.visitor(request)
        repo = await self._figures.repo(f"{names['owner']}/{names['name']}")
        if repo is None or not visitor.sees(repo):
            return _none()
        subject = await self._find(repo, kind, path)
        if subject is None:
            return _none()
        name = name_of(subject, theme, picture)
        tag = f'W/"{name}"'
        is_public = visitor.sees_as_public(repo)
        headers = SEALED | {
            "etag": tag,
            "cache-control": FRESH if is_public else OWN,
        }
        if is_public:
            headers["cross-origin-resource-policy"] = "cross-origin"
        else:
            headers["vary"] = "cookie"
        if has_tag(request, tag):
            return Response(status_code=304, headers=headers)
        content = await self._gallery.picture(name, subject, theme, picture)
        return Response(content, headers=headers, media_type=TYPES[picture])

    async def _find(self, repo: SeenRepo, kind: ChartKind, path: str) -> Subject | None:
        """What is to be drawn. Raises `Transient` where it is still being made: a picture of what
        is not known yet would say that nothing was measured.
        """
        if path:
            figures = await self._figures.skill(repo, path)
            if figures is None:
                return None
            lacks_triggers = figures.is_partial and not figures.triggers
            if figures.card.made_at is None or (kind == "triggers" and lacks_triggers):
                raise Transient("figures are being made")
            return subject_of_skill(kind, figures)
        if kind in OF_SKILL:
            return None
        [found] = await self._figures.overview([repo])
        if any(card.made_at is None for card in found.cards):
            raise Transient("figures are being made")
        return subject_of_repo(found)


def _read_theme(text: str) -> Theme | None:
    return next((one for one in get_args(Theme) if one == text), None)


def _read_picture(text: str) -> Picture | None:
    return next((one for one in get_args(Picture) if one == text), None)


def _read_kind(text: str) -> ChartKind | None:
    return next((one for one in get_args(ChartKind) if one == text), None)


async def _show_none(_: Request) -> Response:
    return _none()


def _none() -> Response:
    """The same for what is not there and for what is not for the visitor."""
    return PlainTextResponse(NONE, 404, SEALED | {"cache-control": OWN})
