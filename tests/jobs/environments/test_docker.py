"""Environments with an image, on a real engine."""

from pathlib import Path

import pytest

from jobs.environments.environments import SandboxEnvironments
from jobs.environments.images import find_image_id
from jobs.errors import Refused, Transient
from jobs.sessions.docker import DockerMaker
from tests.jobs.environments.making import an_environment, make_environments, run_prepared
from tests.jobs.sessions.podman import IMAGE, Engine


@pytest.fixture
def environments(engine: Engine, tmp_path: Path) -> SandboxEnvironments:
    return make_environments(
        tmp_path,
        maker=DockerMaker(image="localhost/none:latest", host=engine.host),
        find_image_id=lambda wanted: find_image_id(wanted, engine.host),
    )


async def test_an_image_is_taken_by_its_id_and_looked_into(environments):
    """A tag that moves between the two arms moves neither of them."""
    prepared = await environments.prepare(an_environment(image=IMAGE, commands=("ls", "wc")))
    assert prepared.facts == (f"image {prepared.image[:19]}", "ls (command)", "wc (command)")
    assert prepared.identity == prepared.image
    assert IMAGE not in prepared.image
    said = await run_prepared(environments, prepared, "busybox | head -n 1")
    assert said.output.startswith(b"BusyBox")


async def test_what_an_image_lacks_is_listed(environments):
    with pytest.raises(Refused) as refused:
        await environments.prepare(an_environment(image=IMAGE, r=("gsDesign",), commands=("no",)))
    said = str(refused.value)
    assert "- R itself (`Rscript`): there is no such command" in said
    assert "- `gsDesign` (R package): R is missing" in said
    assert "- `no` (command): there is no such command" in said


async def test_an_image_that_cannot_be_pulled_is_refused_by_its_name(environments):
    with pytest.raises(Refused) as refused:
        await environments.prepare(an_environment(image="localhost/missing:1"))
    said = str(refused.value)
    assert "the image `localhost/missing:1` of the environment `r-check` is not on" in said
    assert "docker pull localhost/missing:1" in said


async def test_a_setup_script_needs_the_other_kind(environments):
    with pytest.raises(Refused) as refused:
        await environments.prepare(an_environment("true"))
    assert "add an `image`" in str(refused.value)
    assert "SKILLBENCH_SANDBOX=bubblewrap" in str(refused.value)


async def test_an_engine_that_is_away_is_asked_again_later(tmp_path):
    with pytest.raises(Transient, match="No Docker Engine answers"):
        await find_image_id(an_environment(image="r:4"), f"unix://{tmp_path}/none")
