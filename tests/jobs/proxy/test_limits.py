"""The session's limits, held by the proxy whoever in the sandbox asks."""

import asyncio
from decimal import Decimal

import pytest

from demo.model_api import DEMO_MODELS, MODEL, HttpError, Reply, ScriptedModelApi
from demo.model_api.steps import Reported
from tests.jobs.proxy.opened import opened_proxy

LARGE = Reply(text="42", tokens=Reported(input=1_000, output=600))


@pytest.mark.parametrize(
    ("limits", "end"),
    [
        pytest.param({"total_tokens": 1_500}, "max_cost", id="tokens"),
        pytest.param({"output_tokens": 500}, "max_tokens", id="output tokens"),
        pytest.param({"cost_usd": Decimal("0.013")}, "max_cost", id="cost"),
        pytest.param({"turns": 1}, "max_turns", id="turns"),
    ],
)
async def test_a_limit_that_is_used_up_lets_no_request_through(api, server, tmp_path, limits, end):
    api.script(LARGE, forever=True)
    async with opened_proxy(tmp_path, server.anthropic_url, limits=limits) as opened:
        assert (await opened.ask()).status_code == 200
        assert opened.proxy.refused_for is None
        refused = await opened.ask()
    assert refused.status_code == 429
    assert refused.headers["x-should-retry"] == "false"
    assert "the session is over" in refused.json()["error"]["message"]
    assert opened.proxy.refused_for is not None
    assert opened.proxy.refused_for[0] == end
    assert len(api.requests) == 1


async def test_requests_at_the_same_moment_do_not_share_the_last_of_a_limit(api, server, tmp_path):
    api.script(LARGE, forever=True)
    limits = {"total_tokens": 1_500}
    async with opened_proxy(tmp_path, server.anthropic_url, limits=limits) as opened:
        answers = await asyncio.gather(*(opened.ask() for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [429] * 7
    assert len(api.requests) == 1


async def test_an_answer_is_capped_at_the_tokens_that_are_left(api, server, tmp_path):
    api.script(Reply(text="a", tokens=Reported(input=10, output=700)), forever=True)
    limits = {"output_tokens": 1_000}
    async with opened_proxy(tmp_path, server.anthropic_url, limits=limits) as opened:
        await opened.ask(max_tokens=900)
        await opened.ask(max_tokens=900)
    assert [asked.max_tokens for asked in api.requests] == [900, 300]


async def test_a_model_without_a_price_is_limited_by_tokens_alone(tmp_path):
    api = ScriptedModelApi(models=DEMO_MODELS)
    api.script(LARGE, forever=True)
    limits = {"cost_usd": Decimal("0.000001"), "total_tokens": 4_000}
    async with (
        api.serve() as server,
        opened_proxy(tmp_path, server.anthropic_url, limits=limits, sent=MODEL) as opened,
    ):
        answers = [await opened.ask(model=MODEL) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert opened.usage.cost_usd is None


async def test_failed_requests_use_nothing_up(api, server, tmp_path):
    api.fail(HttpError(status=529), times=3)
    api.script(LARGE)
    limits = {"total_tokens": 1_500}
    async with opened_proxy(tmp_path, server.anthropic_url, limits=limits) as opened:
        for _ in range(3):
            assert (await opened.ask()).status_code == 529
        assert (await opened.ask()).status_code == 200


async def test_a_first_request_that_alone_passes_a_limit_is_not_passed_on(api, server, tmp_path):
    limits = {"total_tokens": 10_000}
    async with opened_proxy(tmp_path, server.anthropic_url, limits=limits) as opened:
        asked = {"messages": [{"role": "user", "content": "word " * 10_000}]}
        refused = await opened.ask(**asked)
    assert refused.status_code == 429
    assert "nothing was sent" in refused.json()["error"]["message"]
    assert opened.proxy.refused_for[0] == "max_tokens"
    assert api.requests == []
