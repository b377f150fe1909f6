"""What `doctor` can say of Claude Code before anybody asks for a run."""

from contextlib import asynccontextmanager

import pytest

from jobs.claude_code.cli import ClaudeCli
from jobs.claude_code.readiness import find_problem
from jobs.errors import Refused, Transient
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.program import Program, ProgramEnd


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


async def test_a_sandbox_without_python_is_told_with_what_to_install(tmp_path):
    class Bare:
        """As on a system whose only Python lies in somebody's home folder."""

        async def run_program(self, program: Program) -> ProgramEnd:
            errors = b"prlimit: failed to execute python3: No such file or directory"
            return ProgramEnd(exit_code=127, errors=errors, timed_out=False, killed_for="")

    class BareMaker:
        @asynccontextmanager
        async def open(self, *_, **__):
            yield Bare()

    problem = await find_problem(a_program(tmp_path, ""), BareMaker())
    assert "apt-get install python3" in (problem or "")
