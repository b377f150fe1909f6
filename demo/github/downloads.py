"""Files over HTTP: tarballs, release assets, raw files, avatars, the pages' own style.

What a repository holds is never served as something a browser would run: raw files are
plain text, everything else is a download.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from demo.github.commits import make_tarball
from demo.github.site import Site
from demo.github.state import Repository

_STATIC = Path(__file__).parent / "static"
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HARMLESS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
}


def find_repository(site: Site, request: Request) -> Repository:
    """The repository of a page's address. Raises `HTTPException` 404."""
    repository = site.state.find_repository(
        request.path_params["owner"], request.path_params["repo"]
    )
    if repository is None:
        raise HTTPException(404)
    return repository


def make_download_routes(site: Site) -> list[Route]:
    """Everything that is a file and not a page."""

    def bound(
        serve: Callable[[Site, Request], Awaitable[Response]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await serve(site, request)

        return endpoint

    return [
        Route("/_codeload/{owner}/{repo}/legacy.tar.gz/{ref:path}", bound(_serve_tarball)),
        Route("/_static/{name}", bound(_serve_static)),
        Route("/avatars/{account:int}", bound(_serve_avatar)),
        Route("/{owner}/{repo}/raw/{ref}/{path:path}", bound(_serve_raw)),
        Route("/{owner}/{repo}/releases/download/{tag:path}/{name}", bound(_serve_asset)),
    ]


async def _serve_tarball(site: Site, request: Request) -> Response:
    repository = find_repository(site, request)
    if repository.is_private:
        granted = site.download_tokens.get(request.query_params.get("token", ""))
        if granted is None or granted[0] != repository.full_name or site.clock() >= granted[1]:
            raise HTTPException(404)
    commit = repository.find_commit(request.path_params["ref"])
    if commit is None:
        raise HTTPException(404)
    owner, name = repository.owner.login, repository.name
    if commit.sha not in repository.tarballs:
        packed = await asyncio.to_thread(make_tarball, owner, name, commit)
        repository.tarballs[commit.sha] = packed
    file_name = f"{owner}-{name}-{commit.sha[:7]}.tar.gz"
    headers = {"content-disposition": f"attachment; filename={file_name}"}
    return Response(
        repository.tarballs[commit.sha], headers=headers, media_type="application/x-gzip"
    )


async def _serve_asset(site: Site, request: Request) -> Response:
    repository = find_repository(site, request)
    for release in repository.releases:
        if release.tag != request.path_params["tag"]:
            continue
        for asset in release.assets:
            if asset.name == request.path_params["name"]:
                asset.downloads += 1
                headers = {"content-disposition": f'attachment; filename="{asset.name}"'}
                kind = "application/octet-stream"
                return Response(asset.content, headers=headers | _HARMLESS, media_type=kind)
    raise HTTPException(404)


async def _serve_raw(site: Site, request: Request) -> Response:
    repository = find_repository(site, request)
    commit = repository.find_commit(request.path_params["ref"])
    entry = commit.entries.get(request.path_params["path"]) if commit else None
    if entry is None:
        raise HTTPException(404)
    return Response(entry.content, headers=_HARMLESS, media_type="text/plain; charset=utf-8")


async def _serve_static(_site: Site, request: Request) -> Response:
    found = _load_static().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    content, media_type = found
    return Response(content, headers={"cache-control": "no-cache"}, media_type=media_type)


@lru_cache(maxsize=1)
def _load_static() -> dict[str, tuple[bytes, str]]:
    return {path.name: (path.read_bytes(), _MEDIA_TYPES[path.suffix]) for path in _STATIC.iterdir()}


async def _serve_avatar(_site: Site, request: Request) -> Response:
    drawing = _render_avatar(request.path_params["account"])
    headers = {"cache-control": "max-age=3600"}
    return Response(drawing, headers=headers, media_type="image/svg+xml")


def _render_avatar(account_id: int) -> str:
    """A symmetric pattern of five by five squares, the same for an account every time."""
    digest = hashlib.sha256(str(account_id).encode()).digest()
    hue = digest[0] * 360 // 256
    squares = "".join(
        f'<rect x="{x}" y="{y}" width="1.02" height="1.02"/>'
        for y in range(5)
        for x in range(5)
        if digest[1 + y * 3 + min(x, 4 - x)] % 2
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 7 7">'
        '<rect x="-1" y="-1" width="7" height="7" fill="#f0f2f4"/>'
        f'<g fill="hsl({hue} 52% 52%)">{squares}</g></svg>'
    )
