"""An optimization as the comment people read, and as the text of its pull request.

Says that a description is better only where fresh sessions have shown it; else why the
original stays.
"""

from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, Part, details, fit
from jobs.triggering.found import Found
from jobs.triggering.observations import QueryResult
from jobs.triggering.optimization import Iteration, Optimization
from jobs.triggering.record import render_marker
from jobs.triggering.report import MARKS, render_percent, render_wish
from jobs.triggering.report_frame import (
    ReportPlace,
    render_footer,
    render_method,
    render_missing,
    render_remarks,
    render_what_ran,
)

LONGEST_QUERY = 160


def render_optimization(found: Found, place: ReportPlace) -> str:
    """The comment for an optimization, below GitHub's limit."""
    state = _state(found)
    name = escape.inline(found.run.skill.name, 60)
    headline = f"## ⚪ The description of {name} stays"
    if state.improved and state.proof:
        best, original = _sessions(state.proof.best), _sessions(state.proof.original)
        headline = (
            f"## 🟢 A better description for {name}: right in {best} of the held-out sessions "
            f"instead of {original}"
        )
    top = [headline, render_what_ran(found, place), _render_why(state), place.proposal]
    parts: list[Part] = [
        Blocks([render_comparison(state)], "", before="### Before and after\n\n"),
        render_changed(state),
        _render_description(state),
        _render_iterations(state),
        render_missing(found),
        render_remarks(found),
    ]
    bottom = [render_method(found), render_footer(found, place), render_marker(found.make_record())]
    return fit(top, parts, bottom) + "\n"


def render_proposal(found: Found, place: ReportPlace, report: str) -> str:
    """The text of the pull request; `report` is where the request came from."""
    state = _state(found)
    name = escape.code(found.run.skill.name, 80)
    where = escape.address(report)
    asked = f" It was asked for in [this issue]({where})." if where else ""
    what = f"Changes only the description of {name}, so that agents use the skill when they should."
    top = [
        what + asked,
        _render_why(state),
        render_what_ran(found, place),
    ]
    parts: list[Part] = [
        Blocks([render_comparison(state)], "", before="### Before and after\n\n"),
        render_changed(state),
        render_remarks(found),
    ]
    return fit(top, parts, [render_method(found)]) + "\n"


def render_comparison(state: Optimization) -> str:
    """Original and best, on each part of the set, and in the fresh comparison."""
    first, best = state.iterations[0], state.best
    rows = [
        ("To learn from, right", _right(first, "train"), _right(best, "train")),
        ("Held out, right", _right(first, "test"), _right(best, "test")),
        ("Precision, all queries", _score(first, "precision"), _score(best, "precision")),
        ("Recall, all queries", _score(first, "recall"), _score(best, "recall")),
    ]
    if state.proof:
        rows.append(
            (
                "**Fresh sessions, held out, right**",
                f"{_sessions(state.proof.original)} sessions",
                f"{_sessions(state.proof.best)} sessions",
            )
        )
    rows.append(("Characters", f"{len(first.description):,}", f"{len(best.description):,}"))
    head = f"| | Original | Best (iteration {best.number}) |\n|:--|--:|--:|\n"
    return head + "\n".join(f"| {title} | {before} | {after} |" for title, before, after in rows)


def render_changed(state: Optimization) -> Part:
    """The queries that came out otherwise with the best description."""
    first, best = state.iterations[0], state.best
    pairs = zip((*first.train, *first.test), (*best.train, *best.test), strict=True)
    rows = [
        f"| {after.query.id} | {escape.cell(after.query.text, LONGEST_QUERY)} "
        f"| {render_wish(after)} "
        f"| {MARKS[before.verdict]}&nbsp;{before.fired}/{before.seen} "
        f"| {MARKS[after.verdict]}&nbsp;{after.fired}/{after.seen} |"
        for before, after in sorted(pairs, key=lambda pair: int(pair[0].query.id[1:]))
        if before.verdict != after.verdict
    ]
    head = "| | Query | Should | Original fired | Best fired |\n|:--|:--|:--|:--|:--|\n"
    return Blocks(rows, "*Shortened.*", before=f"### Queries that changed\n\n{head}")


def _state(found: Found) -> Optimization:
    if found.optimization is None:
        raise ValueError("this was no optimization")
    return found.optimization


def _render_why(state: Optimization) -> str:
    """What the decision rests on."""
    proof, best = state.proof, state.best
    if proof is None:
        if len(state.iterations) == 1 and state.iterations[0].all_train_passed:
            return "Every query to learn from came out right at once: there was nothing to mend."
        tried = numbers.plural(len(state.iterations), "description")
        return f"Of {tried} tried, the original did best. {_render_exit(state)}".strip()
    interval = proof.interval
    if interval is None:
        return "Best and original could not be compared in fresh sessions, so the original stays."
    low, high = (numbers.signed_whole(value) for value in interval)
    often = numbers.more_often(proof.difference or 0.0)
    fresh = (
        f"In fresh sessions on held-out queries the description of iteration {best.number} did "
        f"what it should {often} the original (95% interval {low} to {high})"
    )
    if state.improved:
        return f"{fresh}, which is more than chance does."
    return f"{fresh}: chance alone could do that, so the original stays."


def _render_exit(state: Optimization) -> str:
    if state.exit_reason.startswith("no_proposal"):
        return "The model gave no other description that could be used."
    if state.exit_reason.startswith("nothing_seen"):
        return "No query to learn from could be measured, so no other description was asked for."
    return ""


def _render_description(state: Optimization) -> Part:
    if state.best.description == state.original:
        return Blocks([], "")
    title = "The new description" if state.improved else "The best description that was tried"
    return Blocks([_quote(state.best.description)], "", before=f"### {title}\n\n")


def _render_iterations(state: Optimization) -> Part:
    before, after = details(f"All descriptions that were tried ({len(state.iterations)})")
    blocks = [
        f"**{one.number}** · to learn from {_right(one, 'train')} · held out "
        f"{_right(one, 'test')}\n\n{_quote(one.description)}"
        for one in state.iterations
    ]
    return Blocks(blocks, "*Shortened.*", before=before, after=after, between="\n\n")


def _quote(description: str) -> str:
    return f"> {escape.inline(description, 2_000)}"


def _right(one: Iteration, part: str) -> str:
    scores = one.train_scores if part == "train" else one.test_scores
    return f"{scores.passed} of {scores.decided + scores.missing}"


def _score(one: Iteration, name: str) -> str:
    scores = one.scores
    return render_percent(scores.precision if name == "precision" else scores.recall)


def _sessions(results: tuple[QueryResult, ...]) -> str:
    seen = sum(one.seen for one in results)
    right = sum(one.fired if one.query.should_trigger else one.seen - one.fired for one in results)
    return f"{right} of {seen}"
