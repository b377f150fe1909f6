"""A container engine for environments with an image."""

from collections.abc import Iterator

import pytest

from tests.jobs.sessions import podman
from tests.jobs.sessions.podman import Engine


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Docker's API, served by podman."""
    if obstacle := podman.find_obstacle():
        pytest.skip(obstacle)
    with podman.serve_podman() as engine:
        yield engine
