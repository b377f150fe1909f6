"""REST: releases and their assets. Downloads go by the asset's page address, or from here."""

from demo.github.answers import Answer, Problem, make_field_error, not_found
from demo.github.code_actions import ReleaseDraft, Upload
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes_code import asset_shape, release_shape
from demo.github.state import Asset, Release, Repository


def _list_releases(call: Call) -> Answer:
    repository = call.repository()
    newest_first = repository.releases[::-1]
    return make_page(call, newest_first, lambda r: release_shape(call.at, repository, r))


def _create_release(call: Call) -> Answer:
    repository = call.repository()
    fields = call.fields()
    tag = call.text("tag_name")
    if not tag:
        raise make_field_error("Release", "tag_name", "missing_field")
    draft = ReleaseDraft(
        tag=tag,
        target=call.text("target_commitish", repository.default_branch),
        name=call.text("name", tag),
        body=call.text("body", ""),
        is_draft=bool(fields.get("draft")),
        is_prerelease=bool(fields.get("prerelease")),
    )
    release = call.code.create_release(repository, call.bot, draft)
    shape = release_shape(call.at, repository, release)
    return Answer(201, shape, {"location": shape["url"]})


def _get_release(call: Call) -> Answer:
    repository = call.repository()
    return Answer(200, release_shape(call.at, repository, call.release(repository)))


def _get_release_by_tag(call: Call) -> Answer:
    """Drafts have no tag yet and are not found by it."""
    repository = call.repository()
    for release in repository.releases:
        if release.tag == call.params["tag"] and not release.is_draft:
            return Answer(200, release_shape(call.at, repository, release))
    raise not_found()


def _list_assets(call: Call) -> Answer:
    repository = call.repository()
    release = call.release(repository)
    return make_page(
        call, release.assets, lambda asset: asset_shape(call.at, repository, release, asset)
    )


def _upload_asset(call: Call) -> Answer:
    repository = call.repository()
    release = call.release(repository)
    if "name" not in call.query:
        raise make_field_error("ReleaseAsset", "name", "missing_field")
    if not call.headers.get("content-type"):
        raise Problem(400, "Content-Type header is missing")
    upload = Upload(
        content=call.raw,
        name=call.query["name"],
        label=call.query.get("label"),
        content_type=call.headers["content-type"],
    )
    asset = call.code.attach(release, call.bot, upload)
    return Answer(201, asset_shape(call.at, repository, release, asset))


def _asset(call: Call, repository: Repository) -> tuple[Release, Asset]:
    for release in repository.releases:
        for asset in release.assets:
            if asset.id == call.params["asset"]:
                return release, asset
    raise not_found()


def _get_asset(call: Call) -> Answer:
    repository = call.repository()
    release, asset = _asset(call, repository)
    if "application/octet-stream" in call.headers.get("accept", ""):
        asset.downloads += 1
        return Answer(200, raw=asset.content, media_type=asset.content_type)
    return Answer(200, asset_shape(call.at, repository, release, asset))


def _delete_asset(call: Call) -> Answer:
    release, asset = _asset(call, call.repository())
    if release.is_immutable:
        raise Problem(422, "Cannot delete assets of an immutable release.")
    release.assets.remove(asset)
    return Answer(204)


_RELEASES = "/repos/{owner}/{repo}/releases"

ENDPOINTS = (
    Endpoint("GET", _RELEASES, _list_releases, "contents:read"),
    Endpoint("POST", _RELEASES, _create_release, "contents:write"),
    Endpoint("GET", _RELEASES + "/tags/{tag:path}", _get_release_by_tag, "contents:read"),
    Endpoint("GET", _RELEASES + "/assets/{asset:int}", _get_asset, "contents:read"),
    Endpoint("DELETE", _RELEASES + "/assets/{asset:int}", _delete_asset, "contents:write"),
    Endpoint("GET", _RELEASES + "/{release:int}", _get_release, "contents:read"),
    Endpoint("GET", _RELEASES + "/{release:int}/assets", _list_assets, "contents:read"),
)

UPLOAD_ENDPOINTS = (
    Endpoint("POST", _RELEASES + "/{release:int}/assets", _upload_asset, "contents:write"),
)
"""Served under the uploads address only, as on GitHub; the API answers 404 to an upload."""
