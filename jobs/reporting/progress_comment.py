"""The one comment that acknowledges a request and is edited while its runs move.

A pure function of a value, so that whoever edits the comment writes the same text for the
same state. It promises no time; it says what each run is doing, what everything may cost at
most, and how the reader will notice the end.
"""

from typing import Literal

from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import score_words
from jobs.reporting.fit import Blocks, details, fit
from jobs.requests import Value

RunState = Literal[
    "queued", "preparing", "running", "judging", "publishing",
    "done", "empty", "ungraded", "failed", "duplicate", "refused",
    "cancelled", "not_needed",
]  # fmt: skip

MOST_ROWS = 10
"""Open rows; further runs are folded."""

_STATES: dict[RunState, str] = {
    "queued": "⏳ queued",
    "preparing": "🧰 preparing",
    "running": "🏃 running",
    "judging": "⚖️ judging",
    "publishing": "📤 publishing",
    "done": "✅ done",
    "empty": "⚠️ neither session produced anything",
    "ungraded": "⚠️ not graded",
    "failed": "❌ failed",
    "duplicate": "⏭️ done before",
    "refused": "🚫 refused",
    "cancelled": "🛑 cancelled",
    "not_needed": "⏹️ not needed",
}
_REPORTED = frozenset({"done", "empty", "ungraded"})
_SEEN_LIVE = frozenset({"preparing", "running", "judging", "publishing"})
_UNDER_WAY = _SEEN_LIVE | {"queued"}


class RunRow(Value):
    """One planned, skipped or refused run as the comment shows it."""

    title: str
    """Eval id, or what was asked for where there is no eval case."""
    skill: str = ""
    model: str = ""
    state: RunState = "queued"
    detail: str = ""
    """Half a sentence: why refused, what it waits for. Escaped here."""
    url: str = ""
    """Address of the report, once there is one."""
    score: dict[str, float] | None = None
    run: str = ""
    """Id of the run, by which commands name it; empty: there is none."""
    watch: str = ""
    """Address of its page on which it is seen going on; empty: readers could not see it."""


class ProgressComment(Value):
    """Everything the comment says."""

    asker: str
    rows: tuple[RunRow, ...]
    unpriced: tuple[str, ...] = ()
    """Models among them whose price is not known, so that no sum of money holds."""
    most_tokens: int = 0
    """The limit of each run, which holds in any case."""
    expected: str = ""
    """What the runs are expected to take, and what they may cost at most: half a sentence of
    `jobs.estimates.describe`; empty: nobody has looked."""
    mention: str = "@skillbench"
    cancelled_by: str = ""
    """Login of whoever cancelled the request; empty: nobody did."""
    notes: tuple[str, ...] = ()
    """Sentences above the footer, such as what part of a command was not understood."""
    stops: tuple[str, ...] = ()
    """Where eval cases are measured until it is sure, how that came out: lines of Markdown,
    escaped."""
    sets: tuple[str, ...] = ()
    """What the skills' sets of eval cases say with these runs: lines of Markdown, escaped."""
    refusal: str = ""
    """Why the runs cannot be carried out where that takes more than a row; a `UserError`'s text."""

    @property
    def ended(self) -> bool:
        """Whether nothing is going on any more."""
        return bool(self.cancelled_by) or all(row.state not in _UNDER_WAY for row in self.rows)

    @property
    def names_runs(self) -> bool:
        """Whether there is more than one run, so that a command has to say which it means."""
        return sum(bool(row.run) for row in self.rows) > 1

    @property
    def is_told_elsewhere(self) -> bool:
        """Whether every run has a report of its own, so that this comment says nothing besides."""
        says_more = self.sets or self.stops
        return not says_more and all(row.url and row.state in _REPORTED for row in self.rows)


def render_progress(comment: ProgressComment) -> str:
    """The comment's Markdown."""
    rows = [_row(row, names_run=comment.names_runs) for row in comment.rows]
    titles = ["Eval case", "Skill", "Model", "State", *(["Run"] if comment.names_runs else [])]
    head = f"| {' | '.join(titles)} |\n{'|:--' * len(titles)}|\n"
    before, after = details(f"{numbers.plural(len(rows) - MOST_ROWS, 'more run')}")
    parts = (
        Blocks(rows[:MOST_ROWS], "*Shortened.*", before=head),
        Blocks(rows[MOST_ROWS:], "*Shortened.*", before=before + head, after=after),
        Blocks(comment.sets, "*Shortened.*", between="\n\n"),
        Blocks(comment.stops, "*Shortened.*", between="\n\n"),
        Blocks(
            [f"- {escape.sentence(note, 500)}" for note in comment.notes],
            "*Shortened.*",
        ),
        Blocks(_refusal(comment.refusal), "*Shortened.*"),
    )
    return fit([_headline(comment)], parts, [_footer(comment)]) + "\n"


def _headline(comment: ProgressComment) -> str:
    total = len(comment.rows)
    if not comment.ended:
        finished = sum(row.state not in _UNDER_WAY for row in comment.rows)
        return f"### 👀 Benchmarking: {finished} of {numbers.plural(total, 'run')} finished"
    good = sum(row.state == "done" for row in comment.rows)
    others = [
        f"{sum(row.state == state for row in comment.rows)} {words}"
        for state, words in (
            ("empty", "with nothing to compare"),
            ("ungraded", "not graded"),
            ("failed", "failed"),
            ("duplicate", "done before"),
            ("refused", "refused"),
            ("cancelled", "cancelled"),
            ("not_needed", "not needed"),
        )
        if any(row.state == state for row in comment.rows)
    ]
    if comment.refusal and not good:
        return "### 🚫 Not started: " + ", ".join(others)
    counts = ", ".join([numbers.plural(good, "report"), *others])
    if comment.cancelled_by:
        by = f"### 🛑 Cancelled by {escape.inline(comment.cancelled_by, 80)}"
        return f"{by}: {counts}" if comment.rows else f"{by} before it started"
    return f"### Finished: {counts}"


def _refusal(reason: str) -> list[str]:
    """The reason begins like the sentence of a refusal, after a colon."""
    return [f"**Why:** {escape.message(escape.clip(reason, 8_000))}"] if reason else []


def _row(row: RunRow, *, names_run: bool) -> str:
    state = _STATES[row.state]
    score = score_words(row.score)
    parts = [state, score, escape.sentence(row.detail, 300)]
    url = escape.address(row.url)
    if url:
        parts.append(f"[report]({url})")
    elif row.state in _SEEN_LIVE and (watch := escape.address(row.watch)):
        parts.append(f"[watch it live]({watch})")
    cells = (
        escape.code(row.title, 80) or "—",
        escape.code(row.skill, 80) or "—",
        escape.code(row.model, 80) or "—",
        " · ".join(part for part in parts if part),
        *([escape.code(row.run, 80) or "—"] if names_run else []),
    )
    return f"| {' | '.join(cells)} |"


def _footer(comment: ProgressComment) -> str:
    asked = f"Asked for by {escape.inline(comment.asker, 80)}."
    help_line = f"All commands: {escape.code(comment.mention + ' help')}."
    if comment.ended:
        retry = f"Repeat a run: {escape.code(comment.mention + ' retry RUN')}. "
        return f"<sub>{asked} {retry if comment.names_runs else ''}{help_line}</sub>"
    cancel = f"To cancel it: {escape.code(comment.mention + ' cancel')}."
    return (
        f"{_limit(comment)}Each result comes as a comment of its own; 🚀 here means that all went "
        f"well, 😕 that something did not. {cancel}\n\n<sub>{asked} {help_line}</sub>"
    )


def _limit(comment: ProgressComment) -> str:
    """What is expected, and what is sure to stop the runs; never a sum that nobody can keep."""
    expected = f"**Expected:** {escape.inline(comment.expected, 400)}. " if comment.expected else ""
    if not comment.unpriced:
        return expected
    named = ", ".join(escape.code(name, 80) for name in comment.unpriced[:MOST_ROWS])
    verb = "price is" if len(comment.unpriced) == 1 else "prices are"
    return (
        f"{expected}What it costs cannot be said, because the {verb} not known: {named}. Only the "
        f"limit of {comment.most_tokens:,} tokens for each run holds. "
    )
