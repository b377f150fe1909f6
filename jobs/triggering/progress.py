"""The one comment that acknowledges a request to measure descriptions, and follows it.

Says before anything is spent what it will take at most, then how far each measurement is and
what it has cost so far. A pure function of a value, like every text of ours.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, fit
from jobs.requests import Value
from jobs.triggering.estimate import describe
from jobs.triggering.plan import Kind, TriggerPlan, TriggerRun
from jobs.triggering.record import TriggerRecord

State = Literal[
    "queued", "checking", "measuring", "comparing", "publishing",
    "done", "known", "refused", "stopped", "failed", "cancelled",
]  # fmt: skip

_WORDS: dict[State, str] = {
    "queued": "⏳ queued",
    "checking": "🧪 checking the harness",
    "measuring": "🏃 measuring",
    "comparing": "⚖️ comparing best and original",
    "publishing": "📤 publishing",
    "done": "✅ done",
    "known": "⏭️ measured before",
    "refused": "🚫 not measured",
    "stopped": "⚠️ stopped",
    "failed": "❌ failed",
    "cancelled": "🛑 cancelled",
}
_UNDER_WAY = frozenset({"queued", "checking", "measuring", "comparing", "publishing"})


class TriggerRow(Value):
    """One measurement as the comment shows it."""

    skill: str = ""
    model: str = ""
    launcher: str = ""
    estimate: str = ""
    state: State = "queued"
    done: int = 0
    """Sessions that have ended."""
    most: int = 0
    iteration: int = 0
    """Of an optimization; 0 before the first."""
    tokens: int = 0
    usd: Decimal | None = Decimal(0)
    """So far; None: the price is not known."""
    page: str = ""
    """Address of the live page."""
    run: str = ""
    """Id of the measurement, by which `cancel` names it."""
    url: str = ""
    """Address of the report."""
    detail: str = ""
    """Why it came to no result; sentences with code spans, escaped here."""


class TriggerProgress(Value):
    """Everything the comment says."""

    kind: Kind
    asker: str
    skill: str = ""
    """As it was asked for, for a request of which nothing is planned yet."""
    rows: tuple[TriggerRow, ...] = ()
    mention: str = "@skillbench"
    cancelled_by: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        return bool(self.cancelled_by) or all(row.state not in _UNDER_WAY for row in self.rows)

    @property
    def is_good(self) -> bool:
        """Whether every part has a result."""
        return all(row.state in {"done", "known"} for row in self.rows)

    @property
    def is_told_elsewhere(self) -> bool:
        """Whether every part has a report of its own, so that this comment says nothing besides."""
        return all(row.url and row.state == "done" for row in self.rows)


def make_progress(plan: TriggerPlan, mention: str, notes: Sequence[str] = ()) -> TriggerProgress:
    """What the comment says first; row N is run N."""
    kind: Kind = "optimize" if plan.request.kind == "optimize" else "trigger"
    return TriggerProgress(
        kind=kind,
        asker=plan.request.asker,
        rows=(
            *(_make_row(run) for run in plan.runs),
            *(make_known_row(known) for known in plan.known),
            *(
                TriggerRow(skill=one.title, state="refused", detail=one.reason)
                for one in plan.refused
            ),
        ),
        mention=mention,
        notes=tuple(notes),
    )


def _make_row(run: TriggerRun) -> TriggerRow:
    return TriggerRow(
        skill=run.skill.name,
        model=run.model.sent,
        launcher=run.launcher,
        estimate=describe(run.estimate),
        most=run.estimate.sessions,
        run=run.run_id,
    )


def make_known_row(known: TriggerRecord) -> TriggerRow:
    """A row for what was measured before."""
    name = known.skill.rpartition("/")[2]
    return TriggerRow(
        skill=name, model=known.model, launcher=known.launcher, state="known", url=known.url
    )


def render_progress(progress: TriggerProgress) -> str:
    """The comment's Markdown."""
    names_run = sum(bool(row.run) for row in progress.rows) > 1
    rows = [_render_row(row, names_run=names_run) for row in progress.rows]
    notes = [f"- {escape.sentence(note, 500)}" for note in progress.notes]
    parts = (
        Blocks(rows, "*Shortened.*", between="\n\n"),
        Blocks(notes, "*Shortened.*"),
    )
    return fit([_headline(progress)], parts, [_footer(progress)]) + "\n"


def _headline(progress: TriggerProgress) -> str:
    if progress.cancelled_by:
        by = f"### 🛑 Cancelled by {escape.inline(progress.cancelled_by, 80)}"
        by += "" if progress.rows else " before it started"
        return f"{by}: {_name(progress)}"
    total = len(progress.rows)
    if not progress.ended:
        finished = sum(row.state not in _UNDER_WAY for row in progress.rows)
        what = "a description" if total == 1 else "descriptions"
        if progress.kind == "optimize":
            what += ", to find a better one"
        return f"### 👀 Measuring {what}: {finished} of {total} finished"
    reports = sum(row.state == "done" for row in progress.rows)
    known = sum(row.state == "known" for row in progress.rows)
    if not reports and not known:
        return "### 🚫 Nothing was measured"
    counts = [numbers.plural(reports, "report")]
    counts += [f"{known} measured before"] if known else []
    counts += [f"{rest} without a result"] if (rest := total - reports - known) else []
    return "### Finished: " + ", ".join(counts)


def _name(progress: TriggerProgress) -> str:
    """What was asked for: two requests of one issue are told apart by it."""
    what = "the optimization" if progress.kind == "optimize" else "the trigger evaluation"
    names = list(dict.fromkeys(row.skill for row in progress.rows if row.skill))
    names = names or ([progress.skill] if progress.skill else [])
    shown = ", ".join(escape.code(name, 80) for name in names[:3])
    return f"{what} of {shown}" if shown else what


def _render_row(row: TriggerRow, *, names_run: bool) -> str:
    model = ", ".join(filter(None, (escape.code(row.model, 120), escape.code(row.launcher, 20))))
    name = " on ".join(filter(None, (escape.code(row.skill, 80), model)))
    parts = [f"**{_WORDS[row.state]}**", name]
    if row.state in _UNDER_WAY and row.state != "queued":
        parts.append(f"{row.done} of at most {numbers.plural(row.most, 'session')}")
        parts += [f"iteration {row.iteration}"] if row.iteration else []
    if row.tokens:
        parts.append(f"{numbers.tokens(row.tokens)} tokens")
        so_far = " so far" if row.state in _UNDER_WAY else ""
        parts.append(f"cost{so_far} {numbers.usd(row.usd)}")
    if url := escape.address(row.url):
        parts.append(f"[report]({url})")
    if page := escape.address(row.page):
        parts.append(f"[{'live page' if row.state in _UNDER_WAY else 'page'}]({page})")
    if names_run and row.run:
        parts.append(f"run {escape.code(row.run, 80)}")
    lines = [" · ".join(part for part in parts if part)]
    if row.state in _UNDER_WAY:
        lines.append(f"It takes {escape.inline(row.estimate)}.")
    if row.detail:
        lines.append(escape.message(escape.clip(row.detail, 4_000)))
    return "\n\n".join(lines)


def _footer(progress: TriggerProgress) -> str:
    asked = f"Asked for by {escape.inline(progress.asker, 80)}."
    help_line = f"All commands: {escape.code(progress.mention + ' help')}."
    if progress.ended:
        return f"<sub>{asked} {help_line}</sub>"
    return (
        "Each result comes as a comment of its own; 🚀 here means that all went well, 😕 that "
        f"something did not.\n\n<sub>{asked} {help_line}</sub>"
    )
