"""`skillbench demo` as a process: what it prints is of use once it has been printed."""

import asyncio
import os
import re
import shlex
import sys
from pathlib import Path

from bot.cli.settings import WRONG_USAGE
from demo.play import DONE
from tests.bot.cli.processes import ROOT, environment

LONG_S = 120.0


async def started(*words: str, home: Path, **variables: str) -> asyncio.subprocess.Process:
    """`skillbench WORDS` with its output to read."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words),
        cwd=home,
        env=environment(home, {}) | {"PYTHONUNBUFFERED": "1"} | variables,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def test_a_demo_that_ends_after_the_report_tells_how_it_came_out(tmp_path: Path) -> None:
    process = await started("demo", "--once", home=tmp_path)
    printed, _ = await asyncio.wait_for(process.communicate(), LONG_S)
    said = printed.decode()
    assert process.returncode == DONE, said
    [told] = re.findall(r"^The report is there: (.+)$", said, re.MULTILINE)
    assert "with the skill by" in told
    assert "http" not in said.partition("The report is there")[2]
    assert "`make demo` alone keeps its page open" in said


async def test_beside_a_demo_the_command_line_asks_its_model_with_the_printed_lines(
    tmp_path: Path,
) -> None:
    demo = await started("demo", home=tmp_path)
    assert demo.stdout is not None
    try:
        lines: list[str] = []
        async with asyncio.timeout(LONG_S):
            while not lines or ".venv/bin/skillbench" not in lines[-1]:
                line = (await demo.stdout.readline()).decode()
                assert line, "".join(lines)
                lines.append(line)
        assert any(line.startswith("The page: http://127.0.0.1:") for line in lines)
        variables = dict(word.split("=", 1) for word in shlex.split(lines[-2])[1:])
        words = shlex.split(lines[-1])[1:]
        words[1] = os.fspath(ROOT / words[1])
        beside = tmp_path / "beside"
        beside.mkdir()
        run = await started(*words, home=beside, SKILLBENCH_SANDBOX="none", **variables)
        said, _ = await asyncio.wait_for(run.communicate(), LONG_S)
        assert run.returncode == 0, said.decode()
        keyless = await started(*words, home=beside)
        said, _ = await asyncio.wait_for(keyless.communicate(), LONG_S)
        assert keyless.returncode == WRONG_USAGE
        assert b"set `ANTHROPIC_API_KEY` where skillbench runs" in said
    finally:
        demo.terminate()
        await asyncio.wait_for(demo.communicate(), LONG_S)
