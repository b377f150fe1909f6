"""How a verdict is written wherever people read one."""

from collections.abc import Mapping, Sequence

from jobs.readings import Verdict
from jobs.values import VerdictWord

ICONS: Mapping[VerdictWord, str] = {
    "pass": "✅ pass",
    "partial": "🟡 partial",
    "fail": "❌ fail",
    "cannot_verify": "❔ cannot verify",
}


def verdict_words(verdicts: Sequence[Verdict]) -> str:
    """What the readings said, once if they agree: `✅ pass`, `✅ pass / ❌ fail`."""
    return " / ".join(dict.fromkeys(ICONS[one.verdict] for one in verdicts)) or "—"
