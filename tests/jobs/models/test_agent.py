"""The agent loop over real sockets: what it asks, carries out and remembers."""

import asyncio
import json
from decimal import Decimal

import pytest

from demo.model_api import Call, Reply
from demo.model_api.steps import Reported
from jobs.conversation import ToolOutcome
from tests.jobs.models.talking import Recorder

LS = Call("Bash", {"command": "ls"})
DONE = Reply(text="Done.")


async def test_an_answer_without_a_call_completes_the_conversation(talker):
    talker.api.script(DONE)
    end = await talker.converse()
    assert (end.end, end.last_text, end.turns, end.detail) == ("completed", "Done.", 1, "")
    assert end.served_models == ("claude-sonnet-4-6",)
    assert end.usage.requests == 1


async def test_calls_are_carried_out_until_there_is_none(talker):
    talker.api.script(Reply(calls=(LS,)), Reply(calls=(LS,)), DONE)
    tools = Recorder()
    end = await talker.converse(tools=tools)
    assert (end.end, end.turns, end.tool_calls, end.failed_tool_calls) == ("completed", 3, 2, 0)
    assert tools.calls == [{"command": "ls"}] * 2


async def test_several_calls_of_one_answer_run_one_after_another_in_order(talker):
    calls = tuple(Call("Bash", {"command": f"step {number}"}) for number in range(5))
    talker.api.script(Reply(calls=calls), DONE)
    tools = Recorder()
    await talker.converse(tools=tools)
    assert [call["command"] for call in tools.calls] == [f"step {number}" for number in range(5)]
    assert not tools.overlapped


async def test_the_results_go_back_to_the_model_in_order(talker):
    async def answer(arguments: dict[str, object]) -> ToolOutcome:
        return ToolOutcome(f"ran {arguments['command']}", failed=arguments["command"] == "b")

    calls = (Call("Bash", {"command": "a"}), Call("Bash", {"command": "b"}))
    talker.api.script(Reply(calls=calls), DONE)
    end = await talker.converse(tools=Recorder(answer))
    results = talker.api.requests[-1].last.results
    assert [result.text.removeprefix("Error: ") for result in results] == ["ran a", "ran b"]
    assert [result.failed for result in results] == [False, True]
    assert end.failed_tool_calls == 1


async def test_text_beside_a_call_is_kept_as_the_last_text(talker):
    """A model may say its answer and then only tidy up."""
    talker.api.script(Reply(text="Total is 42", calls=(LS,)), Reply())
    end = await talker.converse(tools=Recorder())
    assert (end.end, end.last_text) == ("completed", "Total is 42")


@pytest.mark.parametrize("arguments", ['{"command": "rm', '["ls"]', "ls", '"ls"'])
async def test_a_call_with_broken_arguments_is_answered_and_not_run(talker, arguments):
    talker.api.script(Reply(calls=(Call("Bash", arguments),)), DONE)
    tools = Recorder()
    end = await talker.converse(tools=tools)
    assert (end.end, end.tool_calls, end.failed_tool_calls) == ("completed", 1, 1)
    assert tools.calls == []
    assert "not a JSON object" in talker.api.requests[-1].last.results[0].text


async def test_a_call_without_tools_is_answered_with_a_failure(talker):
    talker.api.script(Reply(calls=(LS,)), DONE)
    end = await talker.converse(tools=None)
    assert (end.end, end.failed_tool_calls) == ("completed", 1)


async def test_earlier_turns_come_before_the_prompt(talker):
    talker.api.script(DONE)
    await talker.converse(earlier=(("first?", "one"), ("second?", "two")))
    asked = talker.api.requests[0]
    said = [(message.role, message.text) for message in asked.messages]
    assert said == [
        ("user", "first?"),
        ("assistant", "one"),
        ("user", "second?"),
        ("assistant", "two"),
        ("user", "Do it."),
    ]
    assert asked.system == "You work."


async def test_usage_reported_twice_in_a_stream_is_counted_once(talker):
    """The opening event and the closing one bear the same figures: totals, not parts."""
    once = Reported(input=1_000, output=200, cache_read=3_000, cache_write=400)
    talker.api.script(
        Reply(text="Looking.", calls=(LS,), tokens=once), Reply(text="Done.", tokens=once)
    )
    usage = (await talker.converse(tools=Recorder())).usage
    written = 400 if talker.vendor == "anthropic" else 0  # the other protocol has no word for it
    assert usage.requests == 2
    assert usage.output_tokens == 400
    assert usage.cache_read_tokens == 6_000
    assert usage.cache_write_tokens == 2 * written
    assert usage.input_tokens == 2 * (1_400 - written)


async def test_each_request_is_priced(claude):
    tokens = Reported(input=1_000_000, output=100_000)
    claude.api.script(Reply(text="Done.", tokens=tokens))
    end = await claude.converse(model=claude.model("claude-haiku-4-5-20251001"))
    assert end.usage.cost_usd == Decimal("1.5")  # 1 USD and 5 USD a million


async def test_a_model_without_a_known_price_costs_nothing_known(talker):
    talker.api.script(DONE)
    end = await talker.converse(model=talker.model("scripted-demo"))
    assert end.usage.cost_usd is None
    assert end.usage.output_tokens > 0


async def test_every_model_that_answers_is_named(talker):
    """A platform that swaps the model in the middle is found out by what it reports."""
    talker.api.script(
        Reply(calls=(LS,), served_model="claude-sonnet-4-6"),
        Reply(calls=(LS,), served_model="claude-haiku-4-5-20251001"),
        Reply(text="Done.", served_model="claude-sonnet-4-6"),
    )
    end = await talker.converse(tools=Recorder())
    assert end.served_models == ("claude-sonnet-4-6", "claude-haiku-4-5-20251001")


async def test_the_prompt_is_cached_turn_by_turn(claude):
    calls = tuple(Call("Bash", {"command": str(number)}) for number in range(30))
    claude.api.script(Reply(calls=calls), Reply(calls=(LS,)), DONE)
    end = await claude.converse(tools=Recorder())
    first, *_, last = (asked.body for asked in claude.api.requests)
    assert first["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert first["tools"][-1]["cache_control"] == {"type": "ephemeral"}
    for body in (first, last):
        assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
        assert json.dumps(body).count('"cache_control"') <= 4
    assert end.usage.cache_read_tokens > 0


async def test_the_transcript_tells_the_conversation_in_order(talker):
    talker.api.script(Reply(text="A look.", calls=(LS,)), DONE)
    await talker.converse(tools=Recorder())
    kinds = [event.kind for event in talker.sink.events]
    assert kinds == [
        *("prompt", "text", "usage", "tool_call", "tool_result"),
        *("text", "usage", "end"),
    ]
    assert talker.sink.of("end") == [{"end": "completed", "detail": ""}]
    assert talker.sink.of("prompt")[0]["prompt"] == "Do it."


async def test_cancelling_ends_the_conversation_at_once(talker):
    started = asyncio.Event()

    async def hang(_: dict[str, object]) -> ToolOutcome:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    talker.api.script(Reply(calls=(LS,)), DONE)
    task = asyncio.create_task(talker.converse(tools=Recorder(hang)))
    async with asyncio.timeout(10):
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_provider_without_a_key_ends_in_words_that_name_the_variable(claude):
    end = await claude.converse(settings=claude.settings(anthropic_api_key=""))
    assert end.end == "error"
    assert "ANTHROPIC_API_KEY" in end.detail
    assert end.usage.requests == 0


async def test_a_defect_in_a_tool_box_is_an_end_and_no_exception(talker):
    async def explode(_: dict[str, object]) -> ToolOutcome:
        raise RuntimeError("sk-secret")

    talker.api.script(Reply(calls=(LS,)), DONE)
    end = await talker.converse(tools=Recorder(explode))
    assert end.end == "error"
    assert "sk-secret" not in end.detail
