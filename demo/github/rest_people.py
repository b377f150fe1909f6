"""REST: what somebody who has signed in to the App is told of themselves and of what they reach.

Explicit access alone counts, as with GitHub: that everybody may read a public repository puts it
into nobody's list.
"""

from demo.github.answers import Answer, Problem, not_found
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import Json, installation_shape, public_account_shape
from demo.github.shapes_code import collaborator_shape, repository_shape
from demo.github.state import Account, Installation, Repository


def _person(call: Call) -> Account:
    if not isinstance(call.caller, Account):
        raise Problem(403)
    return call.caller


def _get_own_user(call: Call) -> Answer:
    return Answer(200, public_account_shape(call.at, _person(call)))


def _reached(call: Call, installation: Installation) -> list[Repository]:
    person = _person(call)
    return [
        one
        for one in call.site.state.repositories
        if installation.covers(one)
        and (one.owner is person or one.roles.get(person.login.lower(), "none") != "none")
    ]


def _list_installations(call: Call) -> Answer:
    state = call.site.state
    found = [one for one in state.installations if _reached(call, one)]
    page = make_page(call, found, lambda one: installation_shape(call.at, state.app, one))
    body = {"total_count": len(found), "installations": page.body}
    return Answer(200, body, page.headers)


def _list_repositories(call: Call) -> Answer:
    person, wanted = _person(call), call.params["installation"]
    installation = next((i for i in call.site.state.installations if i.id == wanted), None)
    if installation is None:
        raise not_found()
    if installation.suspended_at is not None:
        raise Problem(403, "This installation has been suspended")
    found = _reached(call, installation)

    def shape(one: Repository) -> Json:
        user = collaborator_shape(call.at, one, person)["user"]
        return repository_shape(call.at, one) | {"permissions": user["permissions"]}

    page = make_page(call, found, shape)
    body = {"total_count": len(found), "repositories": page.body}
    return Answer(200, body, page.headers)


ENDPOINTS = (
    Endpoint("GET", "/user", _get_own_user, "person"),
    Endpoint("GET", "/user/installations", _list_installations, "person"),
    Endpoint(
        "GET",
        "/user/installations/{installation:int}/repositories",
        _list_repositories,
        "person",
    ),
)
