"""Environments made ready: once for each digest, alike for both arms, refused where unfit."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.environments.environments import SandboxEnvironments
from jobs.environments.pinned import Environment
from jobs.errors import Refused, Transient
from jobs.sessions.box import Bind
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.prepared import PLAIN
from jobs.sessions.unconfined import UnconfinedMaker
from tests.jobs.environments.making import an_environment, kept, make_environments

RANDOM = "head -c 16 /dev/urandom > /opt/environment/random; echo done"
"""Whoever runs this a second time has another folder."""


class Machine(BubblewrapMaker):
    """A machine whose Python has modules of its own."""

    def __init__(self, modules: Path) -> None:
        super().__init__(use_memory_group=False)
        self._modules = modules

    def open(self, work, *, binds=(), environment=None, **more):
        own = Bind(self._modules, "/opt/machine")
        variables = {**(environment or {}), "PYTHONPATH": "/opt/machine"}
        return super().open(work, binds=[*binds, own], environment=variables, **more)


@pytest.fixture
def environments(tmp_path: Path) -> SandboxEnvironments:
    return make_environments(tmp_path)


async def test_without_an_environment_the_sandbox_is_as_it_is(environments):
    assert await environments.prepare(None) is PLAIN


async def test_an_environment_of_hosts_and_packages_alone_makes_nothing(environments):
    wanted = an_environment(hosts=("cran.r-project.org",), commands=("sh",))
    prepared = await environments.prepare(wanted)
    assert prepared.name == "r-check"
    assert prepared.hosts == ("cran.r-project.org",)
    assert prepared.facts == ("sh (command)",)
    assert (prepared.binds, dict(prepared.variables), prepared.image) == ((), {}, "")
    assert kept(environments) == []


async def test_a_script_runs_once_for_all_who_ask_at_the_same_time_and_later(environments):
    """Its digest in the identity tells: a second run would have made another folder."""
    wanted = an_environment(RANDOM)
    first, *others = await asyncio.gather(*(environments.prepare(wanted) for _ in range(3)))
    later = await environments.prepare(wanted)
    assert {one.identity for one in (*others, later)} == {first.identity}
    assert kept(environments) == [wanted.digest]


async def test_two_workers_on_one_data_folder_use_one_result(tmp_path):
    """Both may build; both get what stood there first."""
    wanted = an_environment(RANDOM)
    one, other = (make_environments(tmp_path) for _ in range(2))
    first, second = await asyncio.gather(one.prepare(wanted), other.prepare(wanted))
    assert first.identity == second.identity
    assert kept(one) == [wanted.digest]


async def test_what_was_built_elsewhere_from_the_same_definition_is_told_apart(tmp_path):
    """Packages that came on another day are another world."""
    wanted = an_environment(RANDOM)
    one, other = (make_environments(tmp_path / name) for name in ("one", "other"))
    first, second = await one.prepare(wanted), await other.prepare(wanted)
    assert first.identity != second.identity


async def test_machines_that_have_other_versions_of_a_package_are_told_apart(tmp_path):
    """What is looked for on the machine itself belongs to the world that a session meets."""
    told = []
    for version in ("1.0", "2.0", "1.0"):
        module = tmp_path / f"{len(told)}" / "tool.py"
        module.parent.mkdir()
        module.write_text(f"__version__ = '{version}'\n")
        environments = make_environments(module.parent, maker=Machine(module.parent))
        told.append((await environments.prepare(an_environment(python=("tool",)))).identity)
    assert told[0] != told[1]
    assert told[0] == told[2]


async def test_pre_flight_looks_again_each_time(environments, tmp_path):
    """What the machine had yesterday may be gone, and what was missing may be there."""
    script = "ln -s /usr/local/bin/skillbench-test-tool /opt/environment/bin/tool"
    wanted = an_environment(script, commands=("tool",))
    for _ in range(2):
        with pytest.raises(Refused, match="`tool`"):
            await environments.prepare(wanted)
    assert kept(environments) == [wanted.digest]


async def test_a_cancelled_preparation_leaves_nothing(environments):
    """A worker that is told to stop kills the script and removes what it made."""
    preparing = asyncio.create_task(environments.prepare(an_environment("sleep 1000")))
    async with asyncio.timeout(10):
        while not kept(environments):
            await asyncio.sleep(0.01)
    preparing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await preparing
    assert kept(environments) == []


async def test_a_worker_killed_during_the_setup_is_followed_by_one_that_prepares_anew(tmp_path):
    """Kill -9: the half-built folder is never used, and goes with the next start."""
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from tests.jobs.environments.making import *\n"
        "environments = make_environments(Path(sys.argv[1]))\n"
        "script = 'touch /opt/environment/begun; sleep 1000'\n"
        "asyncio.run(environments.prepare(an_environment(script)))\n"
    )
    root = Path(__file__).parents[3]
    environments = make_environments(tmp_path)
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=root) as worker:
        async with asyncio.timeout(30):
            while not list(tmp_path.glob("environments/building-*/work/environment/begun")):
                await asyncio.sleep(0.02)
        worker.kill()
    assert [name[:9] for name in kept(environments)] == ["building-"]
    environments.folders.sweep()
    wanted = an_environment(RANDOM)
    await environments.prepare(wanted)
    assert kept(environments) == [wanted.digest]


@pytest.mark.parametrize(
    ("maker", "environment", "needs", "remedy"),
    [
        (None, an_environment(image="r:4"), "needs an image", "add a `setup` script"),
        (
            None,
            an_environment(name="r-pharma", image="r:4"),
            "needs an image",
            "define one of that name with a `setup` script",
        ),
        (UnconfinedMaker(), an_environment("true"), "needs a setup script", "=bubblewrap"),
        (UnconfinedMaker(), an_environment(image="r:4"), "needs an image", "=docker"),
        (UnconfinedMaker(), an_environment("true", image="r:4"), "needs a setup", "=bubblewrap"),
    ],
)
async def test_what_the_sandbox_cannot_be_is_refused_with_who_can_change_it(
    tmp_path, maker, environment, needs, remedy
):
    environments = make_environments(tmp_path, maker=maker)
    with pytest.raises(Refused) as refused:
        await environments.prepare(environment)
    assert needs in str(refused.value)
    assert remedy in str(refused.value)


async def test_packages_can_be_looked_for_without_a_sandbox_too(tmp_path):
    environments = make_environments(tmp_path, maker=UnconfinedMaker())
    prepared = await environments.prepare(an_environment(commands=("sh",)))
    assert prepared.facts == ("sh (command)",)


async def test_with_both_a_script_and_an_image_each_kind_takes_its_own(environments):
    prepared = await environments.prepare(an_environment("true", image="r:4"))
    assert prepared.image == ""
    assert len(prepared.binds) == 1


async def test_trouble_with_a_platform_is_not_the_maintainers(tmp_path):
    """An engine that is away is asked again later, as with sessions."""

    class Away(UnconfinedMaker):
        name = "docker"

    async def away(_: Environment) -> str:
        raise Transient("No Docker Engine answers")

    environments = make_environments(tmp_path, maker=Away(), find_image_id=away)
    with pytest.raises(Transient):
        await environments.prepare(an_environment(image="r:4"))
