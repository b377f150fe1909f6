"""A limit that is reached ends the conversation with its own name, and keeps the work."""

import asyncio
from decimal import Decimal

import pytest

from demo.model_api import Call, Drop, Reply, Stall
from demo.model_api.steps import Reported
from jobs.conversation import ToolOutcome
from tests.jobs.models.talking import Recorder

LS = Call("Bash", {"command": "ls"})
WORKING = Reply(text="Still at it.", calls=(LS,))


async def test_turns(talker):
    talker.api.script(WORKING, forever=True)
    tools = Recorder()
    end = await talker.converse(tools=tools, limits={"turns": 3})
    assert (end.end, end.turns, end.last_text) == ("max_turns", 3, "Still at it.")
    assert len(tools.calls) == 3, "the last answer was paid for, so its calls are work"
    assert "3 turns" in end.detail


async def test_wall_time_while_a_tool_runs(talker):
    cancelled = asyncio.Event()

    async def hang(_: dict[str, object]) -> ToolOutcome:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    talker.api.script(WORKING, forever=True)
    end = await talker.converse(tools=Recorder(hang), limits={"wall_s": 0.5})
    assert (end.end, end.last_text) == ("timeout", "Still at it.")
    assert cancelled.is_set()


async def test_wall_time_while_the_model_is_alive_but_slow(talker):
    talker.api.script(Reply(text="A long story.", pause_s=0.2), forever=True)
    end = await talker.converse(limits={"wall_s": 0.5, "idle_s": 5})
    assert end.end == "timeout"


async def test_wall_time_that_ran_out_in_silence_is_the_platform_s(talker):
    """The model never sent anything, so nothing can be said about its work."""
    talker.api.script(Stall(), forever=True)
    end = await talker.converse(limits={"wall_s": 0.3, "idle_s": 5})
    assert end.end == "stalled"


async def test_output_tokens_over_several_answers(talker):
    reply = Reply(text="More.", calls=(LS,), tokens=Reported(input=10, output=400))
    talker.api.script(reply, forever=True)
    end = await talker.converse(tools=Recorder(), limits={"output_tokens": 1_000})
    assert (end.end, end.turns) == ("max_tokens", 3)
    assert talker.api.requests[-1].max_tokens == 200, "no request asks for more than is left"


async def test_an_answer_cut_at_its_own_limit(talker):
    talker.api.script(Reply(text="word " * 1_000, calls=(LS,)))
    tools = Recorder()
    end = await talker.converse(tools=tools, max_answer_tokens=100)
    assert end.end == "max_tokens"
    assert tools.calls == []
    assert end.last_text.startswith("word word")


async def test_the_torso_of_a_cut_call_is_not_carried_out(talker):
    torso = Call("Bash", '{"command": "rm -r build')
    talker.api.script(Reply(calls=(torso,), stop="max_tokens"))
    tools = Recorder()
    end = await talker.converse(tools=tools)
    assert (end.end, tools.calls) == ("max_tokens", [])


async def test_money(talker):
    dear = Reply(calls=(LS,), tokens=Reported(input=100_000, output=1_000))
    talker.api.script(dear, forever=True)
    model = "claude-sonnet-4-6" if talker.vendor == "anthropic" else "gpt-4.1"
    end = await talker.converse(
        tools=Recorder(),
        model=talker.model(model),
        limits={"cost_usd": Decimal("0.5"), "total_tokens": 10_000_000},
    )
    assert end.end == "max_cost"
    affordable = {"anthropic": 1, "openai": 2}[talker.vendor]
    assert end.turns == affordable, "one more would cost as much again, and pass the limit"
    assert end.usage.cost_usd is not None
    assert Decimal("0.2") < end.usage.cost_usd <= Decimal("0.5")
    assert "0.50 USD" in end.detail


async def test_no_answer_may_be_longer_than_the_money_that_is_left(talker):
    """The provider is told how much it may write: what an answer costs is known too late."""
    talker.api.script(Reply(text="word " * 4_000))
    model = "claude-sonnet-4-6" if talker.vendor == "anthropic" else "gpt-4.1"
    end = await talker.converse(
        model=talker.model(model), limits={"cost_usd": Decimal("0.015")}, max_answer_tokens=32_000
    )
    [asked] = talker.api.requests
    assert asked.max_tokens == {"anthropic": 999, "openai": 1_874}[talker.vendor], "less the prompt"
    assert (end.end, end.last_text[:9]) == ("max_cost", "word word")


async def test_what_a_broken_answer_cost_counts_before_it_is_asked_for_again(claude):
    """Each of eight attempts is billed for what it was sent."""
    dear = Reply(text="word " * 50, tokens=Reported(input=100_000, output=10))
    claude.api.fail(Drop(after_events=3), times=8)
    claude.api.script(dear, forever=True)
    end = await claude.converse(
        prompt="word " * 30_000, limits={"cost_usd": Decimal("0.3"), "total_tokens": 10_000_000}
    )
    assert end.end == "error"
    assert end.usage.cost_usd is not None
    assert end.usage.cost_usd <= Decimal("0.3")


async def test_tokens_bound_a_model_of_unknown_price(talker):
    reply = Reply(calls=(LS,), tokens=Reported(input=0, output=10, cache_read=45_000))
    talker.api.script(reply, forever=True)
    end = await talker.converse(
        tools=Recorder(), model=talker.model("scripted-demo"), limits={"total_tokens": 100_000}
    )
    assert (end.end, end.turns) == ("max_cost", 2)
    assert end.usage.total_tokens <= 100_000
    assert "100,000 tokens" in end.detail


@pytest.mark.parametrize("limits", [{"total_tokens": 20_000}, {"cost_usd": Decimal("0.03")}])
async def test_a_prompt_that_alone_passes_a_limit_is_not_sent(talker, limits):
    """About 25,000 tokens: at 3 USD a million, or 2, more than either limit."""
    model = talker.model("claude-sonnet-4-6" if talker.vendor == "anthropic" else "gpt-4.1")
    end = await talker.converse(prompt="word " * 20_000, model=model, limits=limits)
    assert talker.api.requests == []
    assert end.end == "max_tokens", "no doing of the agent's: nothing was left, so it is not scored"
    assert "the prompt alone is about 25,00" in end.detail
    assert "nothing was sent" in end.detail
    assert end.usage.total_tokens == 0


async def test_a_prompt_just_below_a_limit_is_sent(talker):
    talker.api.script(Reply(text="Done."))
    await talker.converse(prompt="word " * 20_000, limits={"total_tokens": 40_000})
    assert len(talker.api.requests) == 1
