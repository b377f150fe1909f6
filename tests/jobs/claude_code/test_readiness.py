"""What `doctor` can say of Claude Code before anybody asks for a run."""

from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from jobs.claude_code.cli import ClaudeCli
from jobs.claude_code.command import NO_BASH
from jobs.claude_code.readiness import find_problem
from jobs.errors import Refused, Transient
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.prepared import Prepared
from jobs.sessions.program import Program, ProgramEnd
from jobs.sessions.reach import NO_PYTHON
from tests.jobs.claude_code.sessions import make_launcher


def a_program(folder, script: str) -> ClaudeCli:
    path = folder / "claude"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return ClaudeCli(path)


async def test_the_real_program_in_the_real_sandbox_has_no_problem(claude):
    assert await find_problem(claude, BubblewrapMaker()) is None


async def test_a_program_that_is_too_old_is_told_with_the_version_that_is_needed(tmp_path):
    cli = a_program(tmp_path, "echo '2.0.14 (Claude Code)'")
    problem = await find_problem(cli, BubblewrapMaker())
    assert problem == "Claude Code 2.0.14 is too old: 2.1.197 or newer is needed."


async def test_a_program_that_fails_is_told_with_its_own_words(tmp_path):
    cli = a_program(tmp_path, "echo 'GLIBC_2.99 not found' >&2; exit 1")
    problem = await find_problem(cli, BubblewrapMaker())
    assert (
        problem == f"Claude Code ({cli.binary}) does not start in a sandbox: GLIBC_2.99 not found"
    )


@pytest.mark.parametrize("error", [Transient("no namespaces"), Refused("no bubblewrap")])
async def test_a_sandbox_that_cannot_start_is_told(tmp_path, error):
    class Broken:
        @asynccontextmanager
        async def open(self, *_, **__):
            raise error
            yield

    problem = await find_problem(a_program(tmp_path, ""), Broken())
    assert problem == f"no sandbox for Claude Code can be started: {error}"


@dataclass
class BareMaker:
    """Sandboxes in which a program cannot be run, for a reason of the sandbox's own."""

    name: str
    errors: bytes
    identity: str = ""

    @asynccontextmanager
    async def open(self, *_, **__):
        yield self

    async def run_program(self, program: Program) -> ProgramEnd:
        return ProgramEnd(exit_code=127, errors=self.errors, timed_out=False, killed_for="")


@pytest.mark.parametrize(
    ("name", "errors", "words"),
    [
        ("bubblewrap", NO_PYTHON.encode(), "apt-get install python3"),
        ("docker", NO_PYTHON.encode(), "python3 in the image"),
        ("docker", NO_BASH.encode(), "bash in the image"),
        ("bubblewrap", NO_BASH.encode(), "install it on the worker's machine"),
        ("docker", b"/opt/claude cannot be run: No such file or directory", "glibc"),
    ],
)
async def test_a_sandbox_that_lacks_something_is_told_with_what_to_add(
    tmp_path, name, errors, words
):
    """A system whose only Python lies in somebody's home folder; an image without one."""
    problem = await find_problem(a_program(tmp_path, ""), BareMaker(name, errors))
    assert words in (problem or "")


async def test_an_environment_without_what_claude_code_needs_is_refused_before_a_run(tmp_path):
    launcher = make_launcher(a_program(tmp_path, "echo 1.0.3"))
    with pytest.raises(Refused, match=r"2\.1\.197 or newer is needed"):
        await launcher.prove(Prepared(), tmp_path / "scratch")
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_what_may_pass_is_not_held_against_the_environment(tmp_path):
    class Away(BubblewrapMaker):
        def open(self, *_, **__):
            raise Transient("the engine is away")

    launcher = make_launcher(a_program(tmp_path, ""), sandboxes=Away())
    with pytest.raises(Transient):
        await launcher.prove(Prepared(), tmp_path / "scratch")
