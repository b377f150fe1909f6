"""Sessions whose event stream is odd, in the real sandbox: what is read from it is true."""

import pytest

from demo.model_api import Reply
from demo.model_api.steps import Reported
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


async def test_lines_of_megabytes_garbage_and_a_missing_line_break_lose_nothing(tmp_path):
    body = """
started()
said(text("x" * 3_000_000))
print("Warning: something from a library", flush=True)
os.write(1, b"\\xff\\xfe{\\n")
print("and on the other stream", file=sys.stderr, flush=True)
said(text("Total is 42"), id="msg_2")
sys.stdout.write(json.dumps({"type": "result", "subtype": "success", "result": "Total is 42"}))
"""
    ran = await run_fake(tmp_path, body)
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.turns == 2
    assert ran.result.transcript_truncated
    [end] = ran.events("end")
    assert end["unreadable_lines"] == 2
    assert end["unreadable"][0] == "Warning: something from a library"
    assert "on the other stream" in end["errors"]


async def test_an_answer_cut_at_the_limit_is_not_scored_without_a_file(tmp_path):
    body = 'started(); said(text("half"), stop_reason="max_tokens"); result(result="half")'
    ran = await run_fake(tmp_path, body)
    assert ran.result.end is SessionEnd.MAX_TOKENS
    assert not ran.result.scored


async def test_an_answer_cut_at_the_limit_is_scored_with_a_file(tmp_path):
    body = (
        'started(); open("output/a.txt", "w").write("42")\n'
        'said(text("half"), stop_reason="max_tokens"); result(result="half")'
    )
    ran = await run_fake(tmp_path, body)
    assert (ran.result.end, ran.result.scored) == (SessionEnd.MAX_TOKENS, True)


async def test_the_output_limit_is_in_the_programs_own_environment(tmp_path):
    body = f'{GOOD}\nopen("output/env", "w").write(json.dumps(dict(os.environ)))'
    ran = await run_fake(tmp_path, body, limits={"output_tokens": 7_777})
    assert '"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "7777"' in ran.output("env")


async def test_usage_repeated_on_every_part_of_a_message_counts_once(tmp_path):
    usage = 'usage={"input_tokens": 100, "output_tokens": 30, "cache_read_input_tokens": 7}'
    body = f"""
started()
said(text("a"), {usage})
said(text("b"), {usage})
said(call("t1"), {usage})
answered("t1")
said(text("c"), id="msg_2", {usage})
result(result="c", usage={{"input_tokens": 200, "output_tokens": 60}})
"""
    ran = await run_fake(tmp_path, body)
    usage = ran.result.usage
    assert (usage.requests, usage.input_tokens, usage.output_tokens) == (2, 200, 60)
    assert usage.cache_read_tokens == 14
    assert ran.result.turns == 2


@pytest.mark.parametrize("last", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
async def test_usage_is_known_even_if_the_program_dies(api, server, tmp_path, last):
    """It told of nothing; the proxy saw what it asked and what that cost."""
    api.script(Reply(text="42", tokens=Reported(input=100, output=40)), forever=True)
    cli = fake_cli(tmp_path, f"{ASKS}\nurlopen(request).read(); {last}")
    ran = await run_session(make_launcher(cli, server.anthropic_url), a_session_spec(tmp_path))
    assert ran.result.end is SessionEnd.ERROR
    usage = ran.result.usage
    assert ran.result.retries == 1  # both attempts are paid for
    assert (usage.requests, usage.input_tokens, usage.output_tokens) == (2, 200, 80)
    assert ran.result.served_models == ("claude-sonnet-4-6",)


@pytest.mark.parametrize("more", ["", ", errors=[]", ', result=None, stop_reason="tool_use"'])
async def test_the_limit_of_turns_keeps_what_was_done(tmp_path, more):
    body = f"""
started(); open("output/part.txt", "w").write("half")
said(text("working"), call("t1")); answered("t1")
say(type="result", subtype="error_max_turns", is_error=True, num_turns=3{more})
sys.exit(1)
"""
    ran = await run_fake(tmp_path, body)
    assert ran.result.end is SessionEnd.MAX_TURNS
    assert ran.result.scored
    assert ran.names == ["part.txt", "response.md"]


async def test_the_programs_own_limit_of_cost_is_a_limit_of_cost(tmp_path):
    body = 'started(); say(type="result", subtype="error_max_budget_usd", is_error=True)'
    assert (await run_fake(tmp_path, body)).result.end is SessionEnd.MAX_COST


async def test_messages_of_another_model_than_was_asked_for_are_shown(tmp_path):
    """The first event still names the one that was asked for."""
    body = 'started(); said(text("a"), model="claude-haiku-4-5"); result(result="a")'
    ran = await run_fake(tmp_path, body)
    assert ran.result.served_models == ("claude-haiku-4-5",)


async def test_messages_of_two_models_are_both_shown(tmp_path):
    body = """
started()
said(text("a"), id="1"); said(text("b"), id="2", model="claude-haiku-4-5")
result(result="b")
"""
    ran = await run_fake(tmp_path, body)
    assert ran.result.served_models == ("claude-sonnet-4-6", "claude-haiku-4-5")


@pytest.mark.parametrize(
    ("call", "failed", "loaded"),
    [
        ('"Skill", skill="word-count"', False, True),
        ('"Skill", skill="word-count"', True, False),
        ('"Skill", skill="another"', False, False),
        ('"Read", file_path="/box/.claude/skills/word-count/SKILL.md"', False, True),
        ('"Read", file_path="input/input_001.csv"', False, False),
        ('"Bash", command="cat .claude/skills/word-count/SKILL.md"', False, True),
        ('"Bash", command="cd .claude/skills/*/ && cat SKILL.md"', False, True),
        ('"Bash", command="echo word-count"', False, False),
    ],
)
async def test_whether_the_skill_was_loaded_is_told_by_what_happened(
    tmp_path, call, failed, loaded
):
    shown = "Count with `wc -w`, and never by eye: people lose track after thirty words."
    words = shown if "cd .claude" in call else "ok"
    body = f"""
started(skills=["word-count"])
said(call("t1", {call}))
answered("t1", {words!r}, is_error={failed})
result(result="done")
"""
    ran = await run_fake(tmp_path, body, arm=Arm.WITH_SKILL)
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.skill_loaded is loaded
    assert (ran.result.tool_calls, ran.result.failed_tool_calls) == (1, int(failed))
