"""Which sandbox a setting means, and what is said where it cannot work."""

import shutil
from pathlib import Path

import pytest

from config.settings import Settings
from jobs.errors import Refused, Transient
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.sandboxes import make_sandbox_maker


@pytest.mark.parametrize("name", ["bubblewrap", "docker", "none"])
def test_a_sandbox_is_the_one_that_was_named(name):
    assert make_sandbox_maker(name).name == name


def test_the_default_is_a_protecting_one():
    assert make_sandbox_maker(Settings.model_fields["sandbox"].default).name == "bubblewrap"


def test_what_there_is_not_is_refused_with_what_to_set():
    with pytest.raises(Refused, match=r"no sandbox 'chroot'.*SKILLBENCH_SANDBOX=bubblewrap"):
        make_sandbox_maker("chroot")


def without(*missing: str):
    return lambda program: None if program in missing else shutil.which(program)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("bwrap", "apt-get install bubblewrap"),
        ("prlimit", "install util-linux"),
        ("setsid", "install util-linux"),
    ],
)
async def test_a_missing_program_is_named_and_nothing_else_is_used_instead(
    workspace, missing, said
):
    maker = BubblewrapMaker(find_program=without(missing))
    problem = await maker.problem()
    assert problem is not None
    assert said in problem
    assert "SKILLBENCH_SANDBOX=none" in problem
    with pytest.raises(Refused, match=said):
        async with maker.open(workspace.work, memory_mb=100):
            pytest.fail("a sandbox was opened without its program")


def fake_bwrap(folder: Path, script: str) -> BubblewrapMaker:
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return BubblewrapMaker(
        find_program=lambda name: str(program) if name == "bwrap" else shutil.which(name),
        use_memory_group=False,
    )


async def test_an_old_bubblewrap_is_refused_by_its_version(tmp_path):
    problem = await fake_bwrap(tmp_path, "echo bubblewrap 0.6.1").problem()
    assert problem is not None
    assert "too old (0.6.1): install 0.8 or newer" in problem


async def test_refused_namespaces_are_explained_and_raise_no_session(tmp_path, workspace):
    script = (
        '[ "$1" = --version ] && { echo bubblewrap 0.9.0; exit; }\n'
        "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"
    )
    maker = fake_bwrap(tmp_path, script)
    problem = await maker.problem()
    assert problem is not None
    assert "No permissions to create new namespace" in problem
    assert "kernel.unprivileged_userns_clone=1" in problem
    async with maker.open(workspace.work, memory_mb=100) as sandbox:
        with pytest.raises(Transient, match="No permissions"):
            await sandbox.run(["true"], timeout_s=10)


async def test_a_work_folder_that_has_gone_is_a_platform_failure(box, workspace):
    shutil.rmtree(workspace.work)
    with pytest.raises(Transient, match="no sandbox could be started"):
        await box.run(["true"], timeout_s=10)
