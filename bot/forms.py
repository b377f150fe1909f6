"""What a form of a page sends: few fields, of a bounded size."""

from urllib.parse import parse_qs

from starlette.requests import Request

from bot.webhook import TurnedAway, read_body

MOST_FIELDS = 40


async def read_form(request: Request, largest: int) -> dict[str, str]:
    """The fields of a plain form, the first of each name.

    None where it cannot be read: it has more than `largest` bytes, too many fields, or is no form.
    """
    try:
        body = await read_body(request, largest)
        text = body.decode("utf-8", "replace")
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except (TurnedAway, ValueError):
        return {}
    return {name: values[0] for name, values in fields.items()}
