"""Sessions whose program misbehaves, in the real sandbox: each gets the end that is true."""

import asyncio

import pytest

from demo.model_api import CLAUDE_LIKE, ScriptedModelApi, Stall
from jobs.errors import Transient
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.values import Arm, SessionEnd
from tests.jobs.claude_code.sessions import (
    ASKS,
    GOOD,
    a_session_spec,
    fake_cli,
    make_launcher,
    run_fake,
    run_session,
)


async def test_a_good_session_is_completed(tmp_path):
    ran = await run_fake(tmp_path, GOOD)
    assert (ran.result.end, ran.result.detail) == (SessionEnd.COMPLETED, "")
    assert ran.output("response.md") == "Total is 42\n"
    assert ran.result.launcher_version == "2.1.197"
    assert ran.result.tools == ("Bash", "Edit", "Glob", "Read", "Skill", "Write")


@pytest.mark.parametrize(
    ("result", "end"),
    [
        ('is_error=True, result="API Error: 429 slow down"', "rate_limited"),
        ('is_error=False, result="API Error: 429 slow down"', "rate_limited"),
        ('is_error=True, result="API Error: Rejected (429)"', "rate_limited"),
        ('is_error=True, result="slow down", api_error_status=529', "rate_limited"),
        ('is_error=True, result="API Error: 500 slow down"', "error"),
        ('is_error=False, result="API Error: 500 slow down"', "error"),
        ('is_error=True, result="API Error: 401 slow down"', "error"),
        ('is_error=True, result="slow down: unable to connect"', "error"),
    ],
)
async def test_an_api_error_is_no_success_whatever_the_exit_code_says(tmp_path, result, end):
    """Exit code 0, subtype `success`, the error text where the answer should be."""
    ran = await run_fake(tmp_path, f"started(); result({result})")
    assert ran.result.end == end
    assert ran.names == []
    assert not ran.result.scored
    assert "slow down" not in ran.result.detail


async def test_text_before_an_empty_result_is_the_answer(tmp_path):
    body = (
        'started(); said(text("Total is 42"), call("t1", command="true")); answered("t1"); result()'
    )
    ran = await run_fake(tmp_path, body)
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.output("response.md") == "Total is 42\n"


async def test_nothing_said_and_nothing_left_is_no_output(tmp_path):
    ran = await run_fake(tmp_path, "started(); result()")
    assert ran.result.end is SessionEnd.NO_OUTPUT
    assert ran.result.scored


@pytest.mark.parametrize(
    "begin",
    [
        'said(call("t1")); answered("t1")',
        'said(call("t1")); time.sleep(0.5); answered("t1")',
        "time.sleep(0.2)",
        "pass",
    ],
)
async def test_a_stream_that_stops_is_stalled_and_keeps_what_was_done(tmp_path, begin):
    """Long before the time limit; and tried a second time, since the platform failed."""
    body = f'started(); open("output/part.txt", "w").write("half")\n{begin}\ntime.sleep(600)'
    async with asyncio.timeout(30):
        ran = await run_fake(tmp_path, body, limits={"idle_s": 0.4, "wall_s": 500.0})
    assert ran.result.end is SessionEnd.STALLED
    assert ran.names == ["part.txt"]
    assert ran.result.retries == 1
    assert ran.result.wall_s < 20


async def test_a_stalled_session_leaves_the_other_one_alone(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    stalled, good = await asyncio.gather(
        run_fake(tmp_path / "a", "started(); time.sleep(600)", limits={"idle_s": 0.4}),
        run_fake(tmp_path / "b", GOOD),
    )
    assert (stalled.result.end, good.result.end) == (SessionEnd.STALLED, SessionEnd.COMPLETED)


async def test_a_command_that_runs_long_is_no_silence(tmp_path):
    """A simulation may say nothing for minutes; that is not the model's silence."""
    body = f'started(); said(call("t1")); time.sleep(1.2); answered("t1"); {GOOD[11:]}'
    ran = await run_fake(tmp_path, body, limits={"idle_s": 0.4})
    assert ran.result.end is SessionEnd.COMPLETED


async def test_a_pause_before_another_attempt_is_no_silence(tmp_path):
    retry = 'say(type="system", subtype="api_retry", attempt=1, error_status=529, '
    body = f"started(); {retry}retry_delay_ms=5000); time.sleep(1.2); {GOOD[11:]}"
    ran = await run_fake(tmp_path, body, limits={"idle_s": 0.4})
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.retries == 1


@pytest.mark.parametrize("last", ["sys.stdout.flush()", "os.fork()"])
async def test_a_program_that_stays_after_its_result_is_ended(tmp_path, last):
    async with asyncio.timeout(30):
        ran = await run_fake(tmp_path, f"{GOOD}; {last}; time.sleep(600)")
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.output("response.md") == "Total is 42\n"


async def test_a_program_that_reads_its_input_to_the_end_first_starts(tmp_path):
    body = f'prompt = sys.stdin.read()\n{GOOD}\nopen("output/prompt", "w").write(prompt)'
    ran = await run_fake(tmp_path, body)
    assert ran.result.end is SessionEnd.COMPLETED
    assert "Count the words of the poem." in ran.output("prompt")


async def test_a_program_that_never_reads_its_input_works_too(tmp_path):
    case = a_session_spec(tmp_path).run.eval_case.model_copy(update={"prompt": "x" * 900_000})
    ran = await run_fake(tmp_path, GOOD, eval_case=case)
    assert ran.result.end is SessionEnd.COMPLETED


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('started(); said(text("a")); os.kill(os.getpid(), 9)', id="killed"),
        pytest.param('started(); said(text("a")); os._exit(0)', id="silent and content"),
        pytest.param('started(); said(text("a")); os._exit(3)', id="silent"),
        pytest.param('started(); print(\'{"type": "result", "resu\', end="")', id="cut"),
        pytest.param("sys.exit(1)", id="never started"),
        pytest.param("started(); result(subtype='error_during_execution')", id="its own failure"),
    ],
)
async def test_an_end_without_a_result_is_an_error_and_tried_again(tmp_path, body):
    ran = await run_fake(tmp_path, body)
    assert ran.result.end is SessionEnd.ERROR
    assert ran.result.detail
    assert ran.result.retries == 1


async def test_a_program_that_is_no_program_is_an_error(tmp_path):
    cli = fake_cli(tmp_path, "")
    cli.binary.write_bytes(b"\x7fELF but not really")
    ran = await run_session(make_launcher(cli), a_session_spec(tmp_path))
    assert ran.result.end is SessionEnd.ERROR
    assert ran.result.detail.startswith("Claude Code did not start (exit code")


async def test_a_second_attempt_that_works_counts(tmp_path):
    class FailingOnce(BubblewrapMaker):
        """A sandbox that cannot start the first time."""

        opened = 0

        def open(self, *args, **kwargs):
            self.opened += 1
            if self.opened == 1:
                raise Transient("no sandbox today")
            return super().open(*args, **kwargs)

    launcher = make_launcher(fake_cli(tmp_path, GOOD), sandboxes=FailingOnce())
    ran = await run_session(launcher, a_session_spec(tmp_path))
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.retries == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ('skills=["word-count", "stray"]', "stray"),
        ('skills=["Word-Count"]', "Word-Count"),
        ('tools=["Bash", "Read"]', "the tools Bash, Read"),
        ('tools=["Bash","Edit","Glob","Read","Skill","Write","WebFetch"]', "WebFetch"),
        ('mcp_servers=[{"name": "mail"}]', "mail"),
        ('plugins=[{"name": "extra"}]', "extra"),
        ('claude_code_version="2.0.9"', "2.1.197 or newer"),
        ('claude_code_version=""', "2.1.197 or newer"),
    ],
)
async def test_a_session_that_is_not_the_one_that_was_meant_is_ended_at_once(
    tmp_path, changes, words
):
    """Before it can spend anything: a stray skill or tool would spoil the comparison."""
    body = f"started({changes}); time.sleep(600)"
    async with asyncio.timeout(30):
        ran = await run_fake(tmp_path, body)
    assert ran.result.end is SessionEnd.ERROR
    assert words in ran.result.detail


async def test_a_skill_that_was_not_found_voids_the_session(tmp_path):
    ran = await run_fake(tmp_path, GOOD, arm=Arm.WITH_SKILL)
    assert ran.result.end is SessionEnd.ERROR
    assert ran.result.detail == "Claude Code did not find the skill word-count"


async def test_time_that_runs_out_is_scored_with_what_was_done(tmp_path):
    body = """
started(); open("output/part.txt", "w").write("half")
for number in range(6000):
    said(text("working"), id=str(number)); time.sleep(0.1)
"""
    ran = await run_fake(tmp_path, body, limits={"wall_s": 2.5})
    assert (ran.result.end, ran.result.scored) == (SessionEnd.TIMEOUT, True)
    assert ran.names == ["part.txt", "response.md"]


async def test_time_that_runs_out_while_the_api_fails_is_not_the_agents(tmp_path):
    body = """
started(); said(text("a"))
while True:
    say(type="system", subtype="api_retry", attempt=1, error_status=429); time.sleep(0.1)
"""
    ran = await run_fake(tmp_path, body, limits={"wall_s": 2.5})
    assert ran.result.end is SessionEnd.RATE_LIMITED


async def test_a_session_that_is_cancelled_leaves_nothing(tmp_path):
    api = ScriptedModelApi(models=CLAUDE_LIKE)
    stall = Stall()
    api.fail(stall)
    async with api.serve() as server, asyncio.timeout(30):
        launcher = make_launcher(
            fake_cli(tmp_path, f"{ASKS}\nurlopen(request)"), server.anthropic_url
        )
        running = asyncio.create_task(launcher.run(a_session_spec(tmp_path)))
        await stall.gate.reached.wait()
        assert len(list((tmp_path / "scratch").iterdir())) == 1
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert list((tmp_path / "scratch").iterdir()) == []
