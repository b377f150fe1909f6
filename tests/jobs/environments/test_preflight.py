"""Pre-flight with the machine's real R and Python: what is there, and what is not."""

import re
from pathlib import Path

import pytest

from jobs.environments.environments import SandboxEnvironments
from jobs.environments.pinned import Packages
from jobs.environments.preflight import check_packages, render_missing
from jobs.errors import Refused
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.workspace import Workspace
from tests.jobs.environments.making import (
    MEMORY_MB,
    an_environment,
    make_environments,
    needs_r,
)


@pytest.fixture
def environments(tmp_path: Path) -> SandboxEnvironments:
    return make_environments(tmp_path)


async def refusal(environments: SandboxEnvironments, setup: str = "", **packages) -> str:
    with pytest.raises(Refused) as refused:
        await environments.prepare(an_environment(setup, **packages))
    return str(refused.value)


@needs_r
async def test_r_packages_that_are_there_are_told_with_their_versions(environments):
    prepared = await environments.prepare(an_environment(r=("jsonlite", "digest")))
    r, jsonlite, digest = prepared.facts
    assert re.fullmatch(r"R \d+\.\d+\.\d+", r)
    assert re.fullmatch(r"jsonlite \d+(\.\d+)+", jsonlite)
    assert re.fullmatch(r"digest \d+(\.\d+)+", digest)


@needs_r
async def test_every_missing_item_is_listed_at_once_with_its_reason(environments):
    said = await refusal(
        environments,
        r=("jsonlite", "gsDesign"),
        python=("no-such-thing",),
        commands=("no-such-command", "sh"),
    )
    assert said.startswith("the environment `r-check` lacks what it is said to hold:\n")
    assert "- `gsDesign` (R package): there is no package called ‘gsDesign’\n" in said
    assert "- `no-such-thing` (Python package): no distribution and no module" in said
    assert "- `no-such-command` (command): there is no such command\n" in said
    assert "jsonlite" not in said
    assert "`sh`" not in said


@needs_r
async def test_a_package_that_is_there_and_cannot_be_loaded_is_missing(environments):
    """What an R package needs may be missing although its folder is there."""
    script = """
package=/opt/environment/R/broken
mkdir -p $package/Meta
printf 'Package: broken\\nVersion: 1.0\\n' > $package/DESCRIPTION
"""
    said = await refusal(environments, script, r=("broken",))
    assert "- `broken` (R package): " in said


async def test_a_distribution_counts_by_its_own_name_and_a_module_by_its_import(environments):
    """`scikit-learn` is imported as `sklearn`; either name is understood."""
    script = """
cd "$PYTHONPATH"
mkdir scikit_learn-1.4.2.dist-info sklearn
printf 'Metadata-Version: 2.1\\nName: scikit-learn\\nVersion: 1.4.2\\n' \\
  > scikit_learn-1.4.2.dist-info/METADATA
echo '__version__ = "1.4.2"; print("loaded, without a line end", end="")' > sklearn/__init__.py
"""
    prepared = await environments.prepare(
        an_environment(script, python=("scikit-learn", "sklearn", "json"))
    )
    python, *rest = prepared.facts
    assert re.fullmatch(r"Python 3\.\d+\.\d+.*", python)
    assert rest[:2] == ["scikit-learn 1.4.2", "sklearn 1.4.2"]
    assert rest[2].startswith("json")


async def test_the_sessions_own_folders_are_no_modules(environments):
    """Python would take `output/` in the working folder for a package."""
    assert "`output` (Python package)" in await refusal(environments, python=("output",))


async def test_a_module_that_ends_the_check_is_told_with_what_came_after(environments):
    """The rest could not be looked at; nothing is taken for present."""
    script = 'echo "import os; os._exit(3)" > "$PYTHONPATH/rude.py"'
    said = await refusal(environments, script, python=("rude", "json5x"))
    assert "- `rude` (Python package): it could not be looked at: the check ended with" in said
    assert "`json5x`" in said


async def test_a_check_that_does_not_end_is_ended(environments, tmp_path):
    script = 'echo "import time; time.sleep(1000)" > "$PYTHONPATH/slow.py"'
    prepared = await environments.prepare(an_environment(script))
    workspace = Workspace.make(tmp_path / "tried")
    maker = BubblewrapMaker(use_memory_group=False)
    async with maker.open(
        workspace.work,
        memory_mb=MEMORY_MB,
        binds=prepared.binds,
        environment=prepared.variables,
    ) as sandbox:
        with pytest.raises(Refused, match="did not end within 2 seconds"):
            await check_packages(sandbox, Packages(python=("slow",)), name="slow", timeout_s=2.0)
    await workspace.remove()


async def test_without_r_or_python_that_is_said_first_and_every_package_after_it(tmp_path):
    """Nobody has to guess why packages are missing that were never looked for."""
    workspace = Workspace.make(tmp_path)
    maker = BubblewrapMaker(use_memory_group=False)
    nowhere = {"PATH": "/opt/nowhere"}
    async with maker.open(workspace.work, memory_mb=MEMORY_MB, environment=nowhere) as sandbox:
        with pytest.raises(Refused) as refused:
            await check_packages(sandbox, Packages(r=("jsonlite",), python=("numpy",)), name="bare")
    said = str(refused.value)
    assert "- R itself (`Rscript`): there is no such command\n" in said
    assert "- `jsonlite` (R package): R is missing\n" in said
    assert "- Python itself (`python3`): there is no such command\n" in said
    assert "- `numpy` (Python package): Python is missing\n" in said
    await workspace.remove()


HOSTILE = ("-e", "$(touch /box/owned)", "`id`", "a\nsh", 'x"); touch("y', "..", "'; id; '", "a\tok")


@needs_r
async def test_a_name_is_never_code(environments):
    """Each is looked for as it is written, and is not there."""
    for kind in ("r", "python", "commands"):
        said = await refusal(environments, **{kind: HOSTILE})
        assert said.count("\n- ") >= len(HOSTILE)
        assert "uid=" not in said
        assert "`sh`" not in said


def test_a_very_long_list_is_cut_with_a_count():
    said = render_missing("many", [f"`p{number}`" for number in range(100)])
    assert "- `p59`\n- and 40 more\n" in said
