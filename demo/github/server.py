"""The local GitHub as one ASGI app: REST under its prefix, uploads, downloads and pages."""

from starlette.applications import Starlette

from demo.github.check_pages import make_check_routes
from demo.github.downloads import make_download_routes
from demo.github.page_forms import PageForms, make_form_routes
from demo.github.pages import Pages, make_page_routes
from demo.github.registration_pages import RegistrationPages, make_registration_routes
from demo.github.rest_app import ENDPOINTS as APP
from demo.github.rest_checks import ENDPOINTS as CHECKS
from demo.github.rest_comments import ENDPOINTS as COMMENTS
from demo.github.rest_compare import ENDPOINTS as COMPARE
from demo.github.rest_events import ENDPOINTS as EVENTS
from demo.github.rest_git import ENDPOINTS as GIT
from demo.github.rest_issues import ENDPOINTS as ISSUES
from demo.github.rest_people import ENDPOINTS as PEOPLE
from demo.github.rest_pulls import ENDPOINTS as PULLS
from demo.github.rest_releases import ENDPOINTS as RELEASES
from demo.github.rest_releases import UPLOAD_ENDPOINTS as UPLOADS
from demo.github.rest_repositories import ENDPOINTS as REPOSITORIES
from demo.github.rest_server import RestServer
from demo.github.sign_in_pages import SignInPages, make_sign_in_routes
from demo.github.site import Site

ENDPOINTS = (
    *(*APP, *CHECKS, *GIT, *REPOSITORIES, *COMPARE),  # one commit's check runs before any commit
    *(*ISSUES, *PEOPLE, *PULLS, *EVENTS, *COMMENTS, *RELEASES),
)


def create_app(site: Site, api_prefix: str, *, hourly_limit: int) -> Starlette:
    """The app over one site. Routes are tried in order: REST first, pages last."""
    rest = RestServer(site, hourly_limit=hourly_limit)
    pages = Pages(site)
    return Starlette(
        routes=[
            *rest.routes(api_prefix, ENDPOINTS),
            *rest.routes("/api/uploads", UPLOADS),
            *rest.routes("/api", [row for row in COMMENTS if row.path == "/graphql"]),
            *make_download_routes(site),
            *make_registration_routes(RegistrationPages(pages)),
            *make_sign_in_routes(SignInPages(pages)),
            *make_form_routes(PageForms(pages)),
            *make_check_routes(pages),
            *make_page_routes(pages),
        ],
        exception_handlers={404: pages.not_found},
    )
