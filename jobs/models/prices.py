"""What a request costs, from the price list of the genai-prices package.

Each request is priced for itself, because some models charge more beyond a length that a
single request must reach. A model that is not on the list has no price: never zero, and
never that of a model with a similar name.
"""

from decimal import Decimal
from functools import lru_cache

from jobs.models.door import Tokens
from jobs.planning.model_names import Provider

_LISTS: dict[Provider, str] = {"anthropic": "anthropic", "openai": "openai", "gemini": "google"}
_ONE_OF_EACH = Tokens(input=1, output=1, cache_read=1, cache_write=1)


@lru_cache(maxsize=256)  # each request is priced several times over, while somebody waits
def find_price(model: str, provider: Provider, tokens: Tokens) -> Decimal | None:
    """USD for one request; None where the model's price or what it used is not known."""
    # Reading the list takes a third of a second, which the web process never needs.
    from genai_prices import Usage, calc_price  # noqa: PLC0415

    if not tokens.reported:
        return None
    usage = Usage(  # on the list's terms, input includes what the cache served and took
        input_tokens=tokens.input + tokens.cache_read + tokens.cache_write,
        cache_read_tokens=tokens.cache_read,
        cache_write_tokens=tokens.cache_write,
        cache_write_1h_tokens=min(tokens.cache_write_1h, tokens.cache_write),
        output_tokens=tokens.output,
    )
    # Bedrock's ids (us.anthropic.claude-…) have prices of their own.
    lists = ["aws"] if ".anthropic." in f".{model}" else [_LISTS[provider]]
    for name in lists:
        try:
            return calc_price(usage, model.removeprefix("models/"), provider_id=name).total_price
        except (LookupError, ValueError):
            continue
    return None


def price_known(model: str, provider: Provider) -> bool:
    """Whether requests to a model can be priced."""
    return find_price(model, provider, _ONE_OF_EACH) is not None
