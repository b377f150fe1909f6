"""What a request costs, by the price list, and what has no price."""

from decimal import Decimal

import pytest

from jobs.models.door import Tokens
from jobs.models.prices import find_price, price_known

MILLION = 1_000_000


def test_each_kind_of_token_has_its_own_price():
    """A cache that is read is cheaper than input, one that is written is dearer."""
    fresh = find_price("claude-sonnet-4-6", "anthropic", Tokens(input=1000))
    read = find_price("claude-sonnet-4-6", "anthropic", Tokens(cache_read=1000))
    written = find_price("claude-sonnet-4-6", "anthropic", Tokens(cache_write=1000))
    output = find_price("claude-sonnet-4-6", "anthropic", Tokens(output=1000))
    assert fresh == Decimal("0.003")
    assert read == fresh / 10
    assert written == fresh * Decimal("1.25")
    assert output == fresh * 5


def test_what_the_cache_keeps_for_an_hour_costs_more():
    """Twice the input's price; where a list has none for it, as much as five minutes."""
    fresh = find_price("claude-sonnet-4-6", "anthropic", Tokens(input=1000))
    mixed = Tokens(cache_write=1500, cache_write_1h=1000)
    assert fresh is not None
    assert find_price("claude-sonnet-4-6", "anthropic", mixed) == fresh * (2 + Decimal("0.625"))
    odd = Tokens(cache_write=1000, cache_write_1h=5000)
    assert find_price("claude-sonnet-4-6", "anthropic", odd) == fresh * 2
    assert find_price("gpt-4.1", "openai", mixed) == find_price(
        "gpt-4.1", "openai", Tokens(cache_write=1500)
    )


def test_a_long_request_is_priced_by_its_own_length():
    """Which is why requests are never summed up before they are priced."""
    short = find_price("gemini-2.5-pro", "gemini", Tokens(input=150_000))
    long = find_price("gemini-2.5-pro", "gemini", Tokens(input=300_000))
    assert short is not None
    assert long is not None
    assert long > 2 * short


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("gpt-4o", "openai"),
        ("models/gemini-2.0-flash", "gemini"),
        ("us.anthropic.claude-sonnet-4-6", "anthropic"),
        ("claude-sonnet-4-5@20250929", "anthropic"),
    ],
)
def test_known_models_have_a_price(model, provider):
    assert price_known(model, provider)


@pytest.mark.parametrize(
    ("model", "provider"),
    [("scripted-demo", "anthropic"), ("claude-sonnet-99", "anthropic"), ("llama-3.1-8b", "openai")],
)
def test_a_model_that_is_not_on_the_list_has_no_price(model, provider):
    assert find_price(model, provider, Tokens(input=MILLION)) is None
    assert not price_known(model, provider)


def test_an_estimate_is_not_priced():
    assert find_price("gpt-4o", "openai", Tokens(input=MILLION, reported=False)) is None
