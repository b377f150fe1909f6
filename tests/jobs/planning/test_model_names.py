"""Names of models as people, gateways and clouds write them."""

import json
from pathlib import Path

import pytest

from jobs.planning.model_names import (
    belongs_to,
    find_family,
    find_provider,
    identity,
    is_floating,
    same_model,
    split_provider,
)

GOLDEN = Path(__file__).parents[4] / "shared/data/pharma/golden.json"


@pytest.mark.parametrize(
    ("spelling", "same_as"),
    [
        ("Claude Sonnet 4.6", "claude-sonnet-4-6"),
        ("claude_sonnet_4.6", "claude-sonnet-4-6"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
        ("global.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
        ("anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
        ("anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
        ("eu.anthropic.claude-haiku-4-5-20251001-v1:0:200k", "claude-haiku-4-5-20251001"),
        ("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
        ("amazon-bedrock/anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
        ("bedrock/us-east-1/anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
        ("vertex_ai/europe-west4/claude-haiku-4-5@20251001", "claude-haiku-4-5-20251001"),
        ("openrouter/anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0",
            "claude-haiku-4-5-20251001",
        ),
        ("us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5-20250929"),
        ("publishers/anthropic/models/claude-sonnet-4-5@20250929", "claude-sonnet-4-5-20250929"),
        ("vertex_ai/claude-sonnet-4-5@20250929", "claude-sonnet-4-5-20250929"),
        ("Meta-Llama-3.1-70B", "meta-llama-3.1-70b"),
        ("models/gemini-2.0-flash", "gemini-2.0-flash"),
        ("gemini/gemini-2.0-flash", "gemini-2.0-flash"),
        ("openai:gpt-4o", "GPT 4o"),
    ],
)
def test_spellings_of_one_model_share_an_identity(spelling, same_as):
    assert identity(spelling) == identity(same_as)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("gpt-4o", "gpt-4o-mini"),
        ("acme/llama-3.1-8b", "meta-llama/llama-3.1-8b"),
        ("llama3:8b", "llama3:70b"),
        ("claude-sonnet-4-6", "claude-opus-4-6"),
        ("anthropic.claude-v2", "anthropic.claude-instant-v1"),
        ("acme/deepseek-67-v2", "acme/deepseek-67-v3"),
    ],
)
def test_different_models_keep_different_identities(one, other):
    assert identity(one) != identity(other)


def test_ids_that_differ_only_in_dots_and_dashes_share_an_identity():
    """Which is why a reply on a duplicate names the recorded id."""
    assert identity("gpt-4.1") == identity("gpt-41")
    assert identity("llama-3.1-8b") == identity("llama-31-8b")


def test_a_name_that_is_only_a_prefix_is_left_alone():
    assert identity("anthropic/") == "anthropic/"
    assert identity("us.anthropic.") == "us.anthropic.".replace(".", "")


@pytest.mark.shared
def test_identities_equal_those_of_the_earlier_runner():
    if not GOLDEN.exists():
        pytest.skip("the real test data is not beside this checkout")
    golden = json.loads(GOLDEN.read_text())["normalized_model"]
    assert {name: identity(name) for name in golden} == golden


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("openai:claude-sonnet-4-6", "openai"),
        ("openai/gpt-4o", "openai"),
        ("anthropic/claude-sonnet-4-6", "anthropic"),
        ("gemini/gemini-2.0-flash", "gemini"),
        ("models/gemini-2.0-flash", "gemini"),
        ("claude-sonnet-4-6", "anthropic"),
        ("us.anthropic.claude-sonnet-4-6", "anthropic"),
        ("Claude Sonnet", "anthropic"),
        ("opus", "anthropic"),
        ("gpt-4o", "openai"),
        ("chatgpt-4o-latest", "openai"),
        ("o3-mini", "openai"),
        ("gemini-3-pro-preview", "gemini"),
        ("scripted-demo", None),
        ("llama-3.1-8b", None),
        ("orca-mini", None),
    ],
)
def test_the_provider_follows_from_prefix_then_name(model, provider):
    assert find_provider(model) == provider


def test_the_prefix_models_stays_on_the_id():
    assert split_provider("models/gemini-2.0-flash") == ("gemini", "models/gemini-2.0-flash")
    assert split_provider("openai:gpt-4o") == ("openai", "gpt-4o")
    assert split_provider("gpt-4o") == (None, "gpt-4o")


@pytest.mark.parametrize(
    ("typed", "family"),
    [
        ("sonnet", "sonnet"),
        ("claude-sonnet", "sonnet"),
        ("Claude Opus", "opus"),
        ("claude_haiku", "haiku"),
        ("anthropic/claude-sonnet", "sonnet"),
        ("claude-opus-latest", "opus"),
        ("claude-sonnet-4-6", None),
        ("claude-3-5-sonnet-latest", None),
        ("claude", None),
        ("magnum-opus", None),
    ],
)
def test_only_a_family_alone_is_an_alias(typed, family):
    assert find_family(typed) == family


def test_a_family_is_found_wherever_it_stands_in_an_id():
    assert belongs_to("claude-3-5-sonnet-20241022", "sonnet")
    assert belongs_to("us.anthropic.claude-sonnet-4-6-v1:0", "sonnet")
    assert not belongs_to("claude-opus-4-6", "sonnet")
    assert not belongs_to("magnum-opus-70b", "opus")


def test_a_latest_name_is_moved_by_the_provider():
    assert is_floating("claude-3-5-sonnet-latest")
    assert not is_floating("claude-3-5-sonnet-20241022")


@pytest.mark.parametrize(
    ("sent", "served", "same"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("us.anthropic.claude-sonnet-4-6", "claude-sonnet-4-6", True),
        ("models/gemini-2.0-flash", "gemini-2.0-flash", True),
        ("gemini-2.0-flash", "gemini-2.0-flash-001", True),
        ("gemini-2.0-flash", "gemini-2.0-flash-lite", False),
        ("gpt-4", "gpt-4-001", False),
        ("claude-sonnet-4-6", "claude-haiku-4-5", False),
        ("gpt-4o", "gpt-4o-mini", False),
        ("claude-sonnet-4", "claude-sonnet-4-5-20250929", False),
        ("claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022", False),
    ],
)
def test_an_answer_by_another_model_is_told_from_a_dated_one(sent, served, same):
    assert same_model(sent, served) is same
