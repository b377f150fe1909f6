"""From a model's name as typed to the id that is sent, against a scripted Models API."""

from typing import Any

import pytest

from config.settings import Settings
from demo.model_api import CLAUDE_LIKE, HttpError, ModelServer, ScriptedModelApi, ServedModel
from jobs.errors import Refused, Transient
from jobs.models.catalog import ApiModelCatalog
from jobs.models.doors import Doors
from tests.builders import NOON

KEY = "sk-test-0123456789"


def a_served(name: str, **changes) -> ServedModel:
    return ServedModel(**({"id": name, "created_at": NOON} | changes))


MODELS = (
    *CLAUDE_LIKE,
    a_served("gpt-4o"),
    a_served("gpt-4o-2024-08-06"),
    a_served("us.anthropic.claude-sonnet-4-6", listed=False),
    a_served("claude-sonnet-4-5@20250929", listed=False),
    a_served("claude-2.1", lifecycle="retired", listed=False),
    a_served("claude-3-5-sonnet-20241022", listed=False),
    a_served("models/gemini-2.0-flash"),
    a_served("acme/llama-3.1-8b"),
    a_served("scripted-demo"),
)


def some_settings(server: ModelServer | None = None, **changes: Any) -> Settings:
    """Settings that reach the scripted API and read nothing of this machine's environment."""
    defaults: dict[str, Any] = {
        "anthropic_api_key": KEY,
        "openai_api_key": KEY,
        "gemini_api_key": "",
        "anthropic_base_url": server.anthropic_url if server else "https://api.anthropic.com",
        "openai_base_url": server.openai_url if server else "https://api.openai.com/v1",
    }
    return Settings(_env_file=None, **(defaults | changes))


@pytest.fixture
def api() -> ScriptedModelApi:
    return ScriptedModelApi(models=MODELS, key=KEY)


@pytest.fixture
def catalog(server) -> ApiModelCatalog:
    return ApiModelCatalog(Doors(some_settings(server)))


@pytest.mark.parametrize("asked", ["sonnet", "claude-sonnet", "Claude Sonnet", "claude_sonnet"])
async def test_a_family_is_its_newest_member_by_date_of_creation(catalog, asked):
    """Not by its digits: the date in the oldest Sonnet's id is no minor version."""
    model = await catalog.resolve(asked)
    assert (model.asked, model.sent) == (asked, "claude-sonnet-4-6")
    assert (model.identity, model.provider) == ("claudesonnet46", "anthropic")


async def test_an_alias_and_the_id_behind_it_are_one_model(catalog):
    alias, full = await catalog.resolve("opus"), await catalog.resolve("claude-opus-4-8")
    assert (alias.sent, alias.identity) == (full.sent, full.identity)
    assert alias.asked == "opus"


async def test_a_family_is_known_by_the_line_that_the_api_names():
    newer = a_served("claude-next", line="sonnet")
    async with ScriptedModelApi(models=(*MODELS, newer), key=KEY).serve() as server:
        catalog = ApiModelCatalog(Doors(some_settings(server)))
        assert (await catalog.resolve("sonnet")).sent == "claude-next"


async def test_a_retired_model_is_not_the_newest():
    retired = a_served("claude-sonnet-9", lifecycle="retired")
    async with ScriptedModelApi(models=(*MODELS, retired), key=KEY).serve() as server:
        catalog = ApiModelCatalog(Doors(some_settings(server)))
        assert (await catalog.resolve("sonnet")).sent == "claude-sonnet-4-6"


@pytest.mark.parametrize(
    ("asked", "sent", "provider"),
    [
        ("us.anthropic.claude-sonnet-4-6", "us.anthropic.claude-sonnet-4-6", "anthropic"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5@20250929", "anthropic"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", "anthropic"),
        ("anthropic/claude-opus-4-8", "claude-opus-4-8", "anthropic"),
        (" claude-opus-4-8 ", "claude-opus-4-8", "anthropic"),
        ("gpt-4o", "gpt-4o", "openai"),
        ("openai:gpt-4o", "gpt-4o", "openai"),
        ("openai/gpt-4o", "gpt-4o", "openai"),
        ("openai:acme/llama-3.1-8b", "acme/llama-3.1-8b", "openai"),
        ("acme/llama-3.1-8b", "acme/llama-3.1-8b", "openai"),
    ],
)
async def test_an_id_that_exists_is_sent_as_it_was_typed(catalog, asked, sent, provider):
    """An id is asked for by itself: providers serve models that they do not list."""
    model = await catalog.resolve(asked)
    assert (model.sent, model.provider) == (sent, provider)


async def test_gemini_is_reached_through_its_own_endpoint(server):
    settings = some_settings(server, gemini_api_key=KEY)
    catalog = ApiModelCatalog(Doors(settings, gemini_base_url=server.openai_url))
    listed_so = await catalog.resolve("models/gemini-2.0-flash")
    in_short = await catalog.resolve("gemini-2.0-flash")
    assert (listed_so.sent, listed_so.provider) == ("models/gemini-2.0-flash", "gemini")
    assert (in_short.sent, in_short.identity) == ("gemini-2.0-flash", listed_so.identity)


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("claude-sonnet-4-6@20260101", "claude-sonnet-4-6"),
        ("claude-2.1", "claude-opus-4-8"),
        ("Claude Sonnet 4.6", "claude-sonnet-4-6"),
        ("claude-sonet-4-6", "claude-sonnet-4-6"),
        ("gpt-4o-0806", "gpt-4o-2024-08-06"),
    ],
)
async def test_a_model_that_is_not_served_is_refused_with_the_nearest(catalog, asked, near):
    with pytest.raises(Refused) as refusal:
        await catalog.resolve(asked)
    assert f"`{asked}`" in str(refusal.value)
    assert f"`{near}`" in str(refusal.value)


async def test_a_family_without_members_is_refused(catalog):
    with pytest.raises(Refused, match="serves no model `mythos`"):
        await catalog.resolve("mythos")


@pytest.mark.parametrize("asked", ["", "  ", "x" * 300, "gpt-4o\n@everyone", "gpt\u202e4o"])
async def test_what_is_no_name_is_refused_without_asking_anybody(api, catalog, asked):
    with pytest.raises(Refused, match="model name"):
        await catalog.resolve(asked)
    assert api.look_ups == []


async def test_a_name_cannot_break_out_of_the_code_it_is_shown_in(catalog):
    with pytest.raises(Refused) as refusal:
        await catalog.resolve("claude-`@everyone`")
    assert "`claude-'@everyone'`" in str(refusal.value)


@pytest.mark.parametrize(
    ("asked", "variable"),
    [
        ("claude-sonnet", "ANTHROPIC_API_KEY"),
        ("gpt-4o", "OPENAI_API_KEY"),
        ("gemini-2.0-flash", "GEMINI_API_KEY"),
        ("some-unheard-of-model", "ANTHROPIC_API_KEY"),
    ],
)
async def test_a_provider_without_a_key_is_refused_by_its_variable(asked, variable):
    nothing = some_settings(anthropic_api_key="", openai_api_key="")
    with pytest.raises(Refused, match=variable):
        await ApiModelCatalog(Doors(nothing)).resolve(asked)


@pytest.mark.parametrize("asked", ["claude-sonnet", "gpt-4o"])
async def test_a_key_that_is_not_accepted_is_told_without_showing_it(server, asked):
    wrong = "sk-wrong-4711"
    settings = some_settings(server, anthropic_api_key=wrong, openai_api_key=wrong)
    with pytest.raises(Refused, match="does not accept the key") as refusal:
        await ApiModelCatalog(Doors(settings)).resolve(asked)
    assert "4711" not in str(refusal.value)


@pytest.mark.parametrize("asked", ["claude-sonnet", "claude-opus-4-8", "gpt-4o"])
@pytest.mark.parametrize("status", [429, 500, 529])
async def test_a_provider_that_fails_for_now_refuses_nothing(api, catalog, asked, status):
    api.fail_look_ups(HttpError(status=status))
    with pytest.raises(Transient):
        await catalog.resolve(asked)


async def test_a_gateway_without_a_list_of_models_is_trusted_with_an_id(api, catalog):
    api.fail_look_ups(HttpError(status=404, type="not_found_error"))
    assert (await catalog.resolve("claude-opus-4-8")).sent == "claude-opus-4-8"
    with pytest.raises(Refused):
        await catalog.resolve("opus")


async def test_a_plan_of_many_runs_asks_once(api, server):
    now = 1000.0
    catalog = ApiModelCatalog(Doors(some_settings(server)), monotonic=lambda: now)
    for asked in ("sonnet", "opus", "claude-opus-4-8", "sonnet", "claude-opus-4-8"):
        await catalog.resolve(asked)
    assert api.look_ups == ["", "claude-opus-4-8"]
    now += 61
    await catalog.resolve("sonnet")
    assert len(api.look_ups) == 3, "and again when the answer is old"


async def test_whether_a_price_is_known_is_told_beforehand(catalog):
    assert catalog.price_known(await catalog.resolve("sonnet"))
    assert not catalog.price_known(await catalog.resolve("scripted-demo"))
