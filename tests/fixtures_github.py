"""Fixtures of the local GitHub: one App key a session, one GitHub a test."""

from collections.abc import Callable, Iterator

import pytest

from demo.github import LocalGitHub, make_private_key
from tests.openapi import check_exchanges


@pytest.fixture(scope="session")
def app_key() -> str:
    """A private key of an App, as PEM text; made once, since making it takes a moment."""
    return make_private_key()


@pytest.fixture
def gh(app_key: str) -> LocalGitHub:
    """An empty local GitHub with its App."""
    return LocalGitHub(private_key_pem=app_key)


@pytest.fixture
def openapi_checked() -> Iterator[Callable[[LocalGitHub], LocalGitHub]]:
    """Give it a local GitHub: at the test's end every exchange with it must be as described."""
    watched: list[LocalGitHub] = []

    def watch(github: LocalGitHub) -> LocalGitHub:
        watched.append(github)
        return github

    yield watch
    for github in watched:
        check_exchanges(github.requests)
