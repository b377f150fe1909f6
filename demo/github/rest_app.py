"""REST: the App itself, its installations and tokens, its hook's log, users and limits."""

from datetime import timedelta
from urllib.parse import urlencode

from demo.github.answers import Answer, not_found
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import (
    Json,
    app_shape,
    installation_shape,
    public_account_shape,
    render_time,
)
from demo.github.shapes_code import repository_shape
from demo.github.state import Installation, Repository
from demo.github.webhooks import Delivery

_LOG_KEPT = timedelta(days=3)
"""https://docs.github.com/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks"""


def _get_app(call: Call) -> Answer:
    app = call.site.state.app
    shape = app_shape(call.at, app)
    return Answer(200, shape | {"installations_count": len(call.site.state.installations)})


def _convert_manifest(call: Call) -> Answer:
    """A code is good once; it needs no credential, for it is one."""
    found = call.site.registrations.pop(call.params["code"], None)
    if found is None:
        raise not_found()
    shape = app_shape(call.at, found.app) | {
        "client_id": found.app.client_id,
        "client_secret": found.client_secret,
        "webhook_secret": found.webhook_secret,
        "pem": found.pem,
    }
    return Answer(201, shape)


def _list_installations(call: Call) -> Answer:
    state = call.site.state
    return make_page(
        call, state.installations, lambda row: installation_shape(call.at, state.app, row)
    )


def _installation(call: Call) -> Installation:
    wanted = call.params["installation"]
    found = next((i for i in call.site.state.installations if i.id == wanted), None)
    if found is None:
        raise not_found()
    return found


def _get_installation(call: Call) -> Answer:
    return Answer(200, installation_shape(call.at, call.site.state.app, _installation(call)))


def _get_repository_installation(call: Call) -> Answer:
    state = call.site.state
    repository = state.find_repository(call.params["owner"], call.params["repo"])
    found = state.find_installation(repository.owner) if repository else None
    if repository is None or found is None or not found.covers(repository):
        raise not_found()
    return Answer(200, installation_shape(call.at, state.app, found))


def _repositories_of(call: Call, installation: Installation) -> list[Repository]:
    return [r for r in call.site.state.repositories if installation.covers(r)]


def _create_token(call: Call) -> Answer:
    installation = _installation(call)
    repositories = _repositories_of(call, installation)
    token = call.site.tokens.issue(installation, call.fields(), repositories)
    body: Json = {
        "token": token.text,
        "expires_at": render_time(token.expires_at),
        "permissions": dict(token.permissions),
        "repository_selection": "all" if token.repository_ids is None else "selected",
    }
    if token.repository_ids is not None:
        body["repositories"] = [
            repository_shape(call.at, r) for r in repositories if r.id in token.repository_ids
        ]
    return Answer(201, body)


def _list_repositories(call: Call) -> Answer:
    repositories = [
        r for r in _repositories_of(call, call.token.installation) if call.token.covers(r)
    ]
    page = make_page(call, repositories, lambda r: repository_shape(call.at, r))
    selection = "all" if call.token.repository_ids is None else "selected"
    body = {
        "total_count": len(repositories),
        "repository_selection": selection,
        "repositories": page.body,
    }
    return Answer(200, body, page.headers)


def _delivery_shape(delivery: Delivery) -> Json:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": render_time(delivery.delivered_at),
        "redelivery": delivery.is_redelivery,
        "duration": delivery.duration_s,
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }


def _list_deliveries(call: Call) -> Answer:
    """Newest first, by cursor: the id of the first delivery of the next page.

    An attempt is in the log once it was made, for three days.
    """
    oldest = call.site.clock() - _LOG_KEPT
    newest_first = [
        delivery
        for delivery in call.site.webhooks.deliveries[::-1]
        if delivery.status != "pending" and delivery.delivered_at >= oldest
    ]
    cursor = call.query.get("cursor", "")
    if cursor.isdecimal():
        newest_first = [d for d in newest_first if d.id <= int(cursor)]
    wanted = call.query.get("per_page", "30")
    per_page = min(int(wanted), 100) if wanted.isdecimal() and int(wanted) else 30
    headers = {}
    if len(newest_first) > per_page:
        query = urlencode({"per_page": per_page, "cursor": newest_first[per_page].id})
        headers = {"link": f'<{call.at.api}{call.path}?{query}>; rel="next"'}
    return Answer(200, [_delivery_shape(d) for d in newest_first[:per_page]], headers)


def _delivery(call: Call) -> Delivery:
    wanted = call.params["delivery"]
    found = next((d for d in call.site.webhooks.deliveries if d.id == wanted), None)
    if found is None:
        raise not_found()
    return found


def _get_delivery(call: Call) -> Answer:
    delivery = _delivery(call)
    shape = _delivery_shape(delivery) | {
        "url": call.site.webhooks.url or "",
        "request": {"headers": delivery.headers, "payload": delivery.payload},
        "response": {"headers": delivery.response_headers, "payload": delivery.response_body},
    }
    return Answer(200, shape)


def _redeliver(call: Call) -> Answer:
    call.site.webhooks.redeliver(_delivery(call))
    return Answer(202, {})


def _get_hook_config(call: Call) -> Answer:
    hook = call.site.webhooks
    secret = {"secret": "********"} if hook.secret else {}
    body = {"url": hook.url or "", "content_type": "json", "insecure_ssl": "0", **secret}
    return Answer(200, body)


def _get_user(call: Call) -> Answer:
    account = call.site.state.find_account(call.params["login"])
    if account is None:
        raise not_found()
    return Answer(200, public_account_shape(call.at, account))


def _get_rate_limit(call: Call) -> Answer:
    core = {
        "limit": int(call.visible["x-ratelimit-limit"]),
        "remaining": int(call.visible["x-ratelimit-remaining"]),
        "reset": int(call.visible["x-ratelimit-reset"]),
        "used": int(call.visible["x-ratelimit-used"]),
        "resource": "core",
    }
    search = {"limit": 30, "remaining": 30, "reset": core["reset"], "used": 0, "resource": "search"}
    resources = {"core": core, "search": search, "graphql": core | {"resource": "graphql"}}
    return Answer(200, {"resources": resources, "rate": core})


def _revoke_token(call: Call) -> Answer:
    call.site.tokens.issued.remove(call.token)
    return Answer(204)


ENDPOINTS = (
    Endpoint("GET", "/app", _get_app, "app"),
    Endpoint("POST", "/app-manifests/{code}/conversions", _convert_manifest, "nobody"),
    Endpoint("GET", "/app/installations", _list_installations, "app"),
    Endpoint("GET", "/app/installations/{installation:int}", _get_installation, "app"),
    Endpoint("POST", "/app/installations/{installation:int}/access_tokens", _create_token, "app"),
    Endpoint("GET", "/app/hook/config", _get_hook_config, "app"),
    Endpoint("GET", "/app/hook/deliveries", _list_deliveries, "app"),
    Endpoint("GET", "/app/hook/deliveries/{delivery:int}", _get_delivery, "app"),
    Endpoint("POST", "/app/hook/deliveries/{delivery:int}/attempts", _redeliver, "app"),
    Endpoint("GET", "/repos/{owner}/{repo}/installation", _get_repository_installation, "app"),
    Endpoint("GET", "/installation/repositories", _list_repositories, "any"),
    Endpoint("DELETE", "/installation/token", _revoke_token, "any"),
    Endpoint("GET", "/users/{login}", _get_user, "any"),
    Endpoint("GET", "/rate_limit", _get_rate_limit, "any"),
)
