"""The models that are served, with the dates by which an alias is resolved.

`scripted-demo` and its judge stand on no price list, so a run with them has no known cost:
that is how it should be, since nobody was paid.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

MODEL = "scripted-demo"
JUDGE_MODEL = "scripted-demo-judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model as the listing shows it."""

    id: str
    created_at: datetime
    line: str | None = None
    """Family, as newer listings name it."""
    lifecycle: str = "active"
    listed: bool = True
    """False: known by its id alone, as some providers have them."""


def _day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


DEMO_MODELS = (
    ServedModel(id=MODEL, created_at=_day(2026, 1, 1)),
    ServedModel(id=JUDGE_MODEL, created_at=_day(2026, 1, 1)),
)

CLAUDE_LIKE = (
    ServedModel(id="claude-opus-4-8", created_at=_day(2026, 4, 2)),
    ServedModel(id="claude-sonnet-4-6", created_at=_day(2026, 2, 17)),
    ServedModel(id="claude-haiku-4-5-20251001", created_at=_day(2025, 10, 15)),
    ServedModel(id="claude-sonnet-4-5-20250929", created_at=_day(2025, 9, 29)),
    ServedModel(id="claude-sonnet-4-20250514", created_at=_day(2025, 5, 22)),
)
"""Names in the shape of a real family, dates included, for tests: the demo serves none of
them. The digits of the oldest Sonnet look like the highest version."""
