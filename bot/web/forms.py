"""What a form of a page sends: few fields, of a bounded size."""

from urllib.parse import parse_qs

from starlette.requests import Request

from bot.webhook import TurnedAway, read_body

LARGEST_FORM = 128 * 1024
"""Bytes: ids of some thousand cases, and a system prompt."""
MOST_FIELDS = 40


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a plain form, the first of each name; none where it cannot be read."""
    try:
        body = await read_body(request, LARGEST_FORM)
        text = body.decode("utf-8", "replace")
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except (TurnedAway, ValueError):
        return {}
    return {name: values[0] for name, values in fields.items()}
