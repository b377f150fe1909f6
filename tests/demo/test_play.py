"""`skillbench demo` as a process: what it prints is of use once it has been printed."""

import asyncio
import re
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from bot.cli.settings import WRONG_USAGE
from demo.play import DONE, Setting, seed_samples, staged
from jobs.errors import Error
from tests.bot.cli.processes import ROOT, environment

LONG_S = 120.0
OF_SAMPLE = "Average score 58.8%; pass rate 66.7%"
"""What the sample dataset comes to: two answers fail, and three more are not whole."""


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


async def test_a_worker_that_cannot_begin_is_told_at_once(tmp_path: Path) -> None:
    """Nobody waits ten minutes for a report that cannot come."""
    changes = {"github_private_key": SecretStr("")}
    setting = Setting(seed=seed_samples, sandbox="none", changes=changes)
    with pytest.raises(Error, match="SKILLBENCH_GITHUB_PRIVATE_KEY"):
        async with asyncio.timeout(LONG_S), staged(tmp_path, setting) as stage:
            await stage.working


@asynccontextmanager
async def playing_on(home: Path) -> AsyncIterator[list[str]]:
    """A demo that goes on while the block runs; gives the lines that it has printed."""
    demo = await started("demo", home=home)
    assert demo.stdout is not None
    try:
        lines: list[str] = []
        async with asyncio.timeout(LONG_S):
            while not lines or "skillbench dataset" not in lines[-1]:
                line = (await demo.stdout.readline()).decode()
                assert line, "".join(lines)
                lines.append(line)
        yield lines
    finally:
        demo.terminate()
        await asyncio.wait_for(demo.communicate(), LONG_S)


async def test_beside_a_demo_the_command_line_asks_its_model_with_the_printed_lines(
    tmp_path: Path,
) -> None:
    async with playing_on(tmp_path) as lines:
        assert any(line.startswith("The page: http://127.0.0.1:") for line in lines)
        *_, exported, comparison, run_of_dataset = lines
        variables = dict(word.split("=", 1) for word in shlex.split(exported)[1:])
        beside = tmp_path / "beside"
        beside.mkdir()

        async def typed(line: str, **variables: str) -> tuple[int | None, str]:
            words = [word.replace("demo/sample", f"{ROOT}/demo/sample") for word in line.split()]
            process = await started(*words[1:], home=beside, **variables)
            said, _ = await asyncio.wait_for(process.communicate(), LONG_S)
            return process.returncode, said.decode()

        code, said = await typed(comparison, SKILLBENCH_SANDBOX="none", **variables)
        assert code == DONE, said
        code, said = await typed(run_of_dataset, **variables)
        assert code == DONE, said
        assert OF_SAMPLE in said
        for line in (comparison, run_of_dataset):
            code, said = await typed(line)
            assert code == WRONG_USAGE
            assert "set `ANTHROPIC_API_KEY` where skillbench runs" in said


async def test_the_dataset_of_a_demo_runs_from_its_page_and_from_a_comment(tmp_path: Path) -> None:
    async with playing_on(tmp_path) as lines, httpx.AsyncClient(timeout=LONG_S) as client:
        printed = "".join(lines)
        [tasks] = re.findall(r"^datasets +(http://127\.0\.0\.1:\d+/tasks)$", printed, re.MULTILINE)
        [github] = re.findall(r"^local GitHub +(http://\S+)$", printed, re.MULTILINE)
        issue = f"{github}/issues/2"

        async def until(address: str, what: str, times: int = 1) -> None:
            async with asyncio.timeout(LONG_S):
                while (await client.get(address)).text.count(what) < times:
                    await asyncio.sleep(0.1)

        form = (await client.get(f"{tasks}/new")).raise_for_status().text
        assert "front-desk/sample (llm_api)" in form
        [key] = set(re.findall(r'name="key" value="(\w+)"', form))
        asked = await client.post(tasks, data={"dataset": "front-desk/sample", "key": key})
        assert asked.status_code == httpx.codes.SEE_OTHER
        await until(str(asked.url.join(asked.headers["location"])), OF_SAMPLE)

        comment = {"body": "@skillbench dataset front-desk sample"}
        posted = await client.post(f"{issue}/comments", data=comment)
        assert posted.status_code == httpx.codes.SEE_OTHER
        await until(issue, OF_SAMPLE)
        await until(tasks, "8 of 8", times=2)
