"""A judge of the tested model's own family is known by both names."""

import pytest

from jobs.judging.family import find_families, find_relatives, find_shared_family


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-opus-4-7", "Claude"),
        ("us.anthropic.claude-sonnet-4-6-v1:0", "Claude"),
        ("anthropic/claude-haiku", "Claude"),
        ("opus", "Claude"),
        ("gpt-4o-2024-08-06", "GPT"),
        ("openai/gpt-5.2", "GPT"),
        ("chatgpt-4o-latest", "GPT"),
        ("o3-mini", "GPT"),
        ("ft:gpt-4o-mini:acme::abc", "GPT"),
        ("gpt-oss-120b", "GPT"),
        ("models/gemini-2.5-pro", "Gemini"),
        ("google/gemma-3-27b-it", "Gemini"),
        ("meta-llama/Llama-3.3-70B-Instruct", "Llama"),
        ("Qwen/Qwen3-235B-A22B", "Qwen"),
        ("deepseek-ai/DeepSeek-V3", "DeepSeek"),
        ("grok-4", "Grok"),
        ("mistral-large-latest", "Mistral"),
        ("moonshotai/kimi-k2", "Kimi"),
        ("zai-org/GLM-4.6", "GLM"),
    ],
)
def test_a_name_tells_the_family(model: str, family: str) -> None:
    assert find_families(model) == {family}


@pytest.mark.parametrize("model", ["scripted-demo", "my-model", "proto3", "foo3", "", "gnova-pro"])
def test_of_an_unknown_name_no_family_is_guessed(model: str) -> None:
    assert find_families(model) == frozenset()


def test_families_are_shared_or_not() -> None:
    assert find_shared_family("claude-opus-4-7", "claude-sonnet-4-6") == "Claude"
    assert find_shared_family("o3", "gpt-5.2") == "GPT"
    assert find_shared_family("gpt-5.2", "claude-sonnet-4-6") == ""
    assert find_shared_family("deepseek-chat", "deepseek-r1-distill-llama-70b") == "DeepSeek"
    assert find_shared_family("scripted-demo-judge", "scripted-demo") == ""


def test_an_unknown_model_is_of_its_own_kind() -> None:
    assert find_shared_family("my-model", "My Model") == "My Model"


def test_relatives_are_named_once() -> None:
    judges = ["claude-opus-4-7", "gpt-5.2", "claude-haiku-4-5"]
    assert find_relatives(judges, ["claude-sonnet-4-6", "gemini-2.5-pro"]) == ["Claude"]
    assert find_relatives(judges, ["gemini-2.5-pro"]) == []
