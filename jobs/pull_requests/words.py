"""What a comparison of a pull request says: in its comment, and in the check run of its head.

Pure text from values. Runs are counted, and nothing more is concluded from how many there are; what
the eval cases of a skill say together is given as finished lines (`jobs.conclusions`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jobs.check_runs import LONGEST_TEXT, CheckAction, CheckRun, Conclusion
from jobs.pull_requests.plan import PullPlan, PullRow, PullSkill, RowEnd, RunEnd, State, runs_of
from jobs.reporting import escape, numbers

Verdict = Literal["better", "worse", "mixed", "same", "none"]
Ends = Mapping[str, RowEnd]

BUTTONS = (
    CheckAction(
        label="Run benchmark", description="Compare this commit with its base", identifier="run"
    ),
    CheckAction(
        label="Re-run failed", description="Only what came to no score", identifier="rerun-failed"
    ),
)
MOST_SKILLS = 20
LONGEST_REASONS = 10_000
"""Characters in a comment, which has to hold the table as well."""
_SIGNS = {"better": "🟢", "worse": "🔴", "mixed": "🟡", "same": "⚪", "none": "⚠️"}
_CONCLUSIONS: Mapping[Verdict, Conclusion] = {
    "better": "success",
    "same": "success",
    "worse": "neutral",
    "mixed": "neutral",
    "none": "neutral",
}
"""Never `failure`: whether a merge waits for it is for people to decide."""
_WORDS: Mapping[State, str] = {
    "done": "no score",
    "unsound": "⚠️ counts nowhere",
    "ungraded": "⚠️ not graded",
    "refused": "⚠️ not possible",
    "superseded": "superseded",
    "cancelled": "cancelled",
}
_HEAD = "| Eval case | Skill | Model | Head | {other} | Difference |\n|:--|:--|:--|--:|--:|:--|\n"
_FOOT = (
    "<sub>These are counts of runs, and no test of significance: a single run can differ by "
    "chance. `--trials N` repeats both arms.</sub>"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that has ended of a comparison, counted."""

    verdict: Verdict
    better: int
    worse: int
    same: int
    unmeasured: tuple[State, ...]
    """How those runs and rows ended that have no score."""
    is_ended: bool

    @property
    def measured(self) -> int:
        return self.better + self.worse + self.same


def count_outcome(plan: PullPlan, ends: Ends) -> Outcome:
    """The overall outcome, from what has ended so far."""
    runs = runs_of(list(ends.values()))
    signs = Counter(_sign(run.scores) for run in runs if run.scores is not None)
    verdict: Verdict = "none"
    if signs[1] and signs[-1]:
        verdict = "mixed"
    elif signs[1] or signs[-1]:
        verdict = "better" if signs[1] else "worse"
    elif signs[0]:
        verdict = "same"
    unmeasured = [run.state for run in runs if run.scores is None]
    unmeasured += [end.state for end in ends.values() if not end.runs]
    # a row that has runs and a reason lacks those that the reason is about
    unmeasured += ["refused" for end in ends.values() if end.runs and end.reason]
    unmeasured += ["refused" for _ in plan.broken]
    return Outcome(
        verdict=verdict,
        better=signs[1],
        worse=signs[-1],
        same=signs[0],
        unmeasured=tuple(unmeasured),
        is_ended=all(row.key in ends for row in plan.rows),
    )


def render_comment(plan: PullPlan, ends: Ends, *, mention: str, sets: Sequence[str] = ()) -> str:
    """The one comment of a comparison, while it goes on and at its end.

    `sets` are lines of Markdown on what the eval cases of a skill say together.
    """
    outcome = count_outcome(plan, ends)
    done, total = len(ends), len(plan.rows)
    title = (
        f"### {_SIGNS[outcome.verdict]} {_headline(outcome)}"
        if outcome.is_ended
        else f"### 👀 Benchmarking: {done} of {numbers.plural(total, 'eval case')} done"
    )
    commands = "" if outcome.is_ended else _say_under_way(plan, mention)
    reasons = escape.clip(_reasons(plan, ends), LONGEST_REASONS)
    parts = [title, _say_sides(plan), _table(plan, ends), *sets, say_left_out(plan), reasons]
    asked = f"<sub>Asked for by {escape.inline(plan.request.asker, 60)}.</sub>"
    return "\n\n".join(part for part in [*parts, _FOOT, commands, asked] if part)


def render_check(plan: PullPlan, ends: Ends) -> CheckRun:
    """The check run of the head, with the same table."""
    outcome = count_outcome(plan, ends)
    done, total = len(ends), len(plan.rows)
    parts = [_say_sides(plan), _table(plan, ends), say_left_out(plan), _FOOT]
    summary = "\n\n".join(part for part in parts if part)
    if len(summary) > LONGEST_TEXT:
        summary = "\n\n".join([parts[0], "*The table is too long to be shown.*", _FOOT])
    return CheckRun(
        commit=plan.request.head,
        status="completed" if outcome.is_ended else "in_progress",
        conclusion=_conclusion(outcome) if outcome.is_ended else None,
        title=_headline(outcome)
        if outcome.is_ended
        else f"{done} of {numbers.plural(total, 'eval case')} done",
        summary=summary,
        text=escape.clip(_reasons(plan, ends), LONGEST_TEXT),
        actions=BUTTONS if outcome.is_ended else (),
    )


def render_unmeasured(
    head: str, changed: Sequence[PullSkill], broken: Sequence[str], *, fork: str, mention: str
) -> CheckRun:
    """The check run of a head that nobody has asked to be run; `fork` is empty for our own.

    `broken` are sentences on what cannot be used; there is no button where that is all there is.
    """
    if not changed:
        return CheckRun(
            commit=head,
            status="completed",
            conclusion="neutral",
            title="Not measured: a skill cannot be used",
            summary=_list(broken),
        )
    command = f"{mention} run @{head}" if fork else f"{mention} run"
    by_whom = (
        f" It comes from the fork {escape.code(fork, 140)}, so it runs only when somebody with "
        "write permission has looked at this very commit and asks for it; its scripts, its eval "
        "cases and its settings never do."
        if fork
        else ""
    )
    return CheckRun(
        commit=head,
        status="completed",
        conclusion="neutral",
        title="Not measured yet",
        summary=(
            f"{_say_changed(changed)}\n\nTo hold this commit against its base on the skills' eval "
            f"cases, press *Run benchmark*, or comment {escape.code(command)} on the pull request."
            f"{by_whom}\n\n{_list(broken)}".rstrip()
        ),
        actions=BUTTONS,
    )


def _say_under_way(plan: PullPlan, mention: str) -> str:
    """What only matters until it has ended: what it is expected to take, and how to stop it."""
    expected = f"**Expected:** {escape.inline(plan.expected, 400)}. " if plan.expected else ""
    return f"{expected}To cancel it: {escape.code(f'{mention} cancel')}."


def _conclusion(outcome: Outcome) -> Conclusion:
    return "neutral" if outcome.unmeasured else _CONCLUSIONS[outcome.verdict]


def _headline(outcome: Outcome) -> str:
    """`Better in 2 of 3 runs, the same in 1`."""
    of = f"of {numbers.plural(outcome.measured, 'run')}"
    nowhere = outcome.unmeasured.count("unsound")
    lacking = len(outcome.unmeasured) - nowhere
    rest = f"; {lacking} came to no score" if lacking else ""
    rest += f"; {nowhere} on an eval case that a false answer passes" if nowhere else ""
    same = f", the same in {outcome.same}" if outcome.same else ""
    match outcome.verdict:
        case "better":
            words = f"Better in {outcome.better} {of}{same}"
        case "worse":
            words = f"Worse in {outcome.worse} {of}{same}"
        case "mixed":
            words = f"Mixed: better in {outcome.better}, worse in {outcome.worse} {of}{same}"
        case "same":
            words = f"No difference in {numbers.plural(outcome.same, 'run')}"
        case "none":
            return _say_unmeasured(outcome)
    return words + rest


def _say_unmeasured(outcome: Outcome) -> str:
    """Why there is nothing to count."""
    match sorted(set(outcome.unmeasured)):
        case ["cancelled"]:
            return "Cancelled before any run came to a score"
        case ["superseded"]:
            return "Not measured: the pull request has another head by now, or is closed"
        case ["unsound"]:
            return "Nothing that counts: a false answer passes the eval case"
        case _:
            return "Not measured: no run came to a score"


def _say_sides(plan: PullPlan) -> str:
    head, base, rules = plan.request.head[:12], plan.base[:12], plan.rules[:12]
    asked = plan.request.vs
    against = (
        f"compared with {escape.code(f'--vs {asked}')}"
        if asked
        else f"against base {escape.code(base)}"
    )
    own = any(row.is_of_head for row in plan.rows)
    brought = ", but for those that a new skill brings itself" if own else ""
    return (
        f"{_say_changed(plan.changed, asked)} Head {escape.code(head)} {against}; "
        f"eval cases and settings are the default branch's at {escape.code(rules)}{brought}."
    )


def _say_changed(changed: Sequence[PullSkill], vs: str | None = None) -> str:
    new = " (new)" if vs else " (new, held against no skill)"
    shown = [
        f"{escape.code(one.path, 80)}{new if one.is_new else ''}" for one in changed[:MOST_SKILLS]
    ]
    more = len(changed) - MOST_SKILLS
    rest = f" and {more} more" if more > 0 else ""
    verb = "adds or changes" if any(one.is_new for one in changed) else "changes"
    return f"This pull request {verb} {', '.join(shown)}{rest}."


def _table(plan: PullPlan, ends: Ends) -> str:
    lines = [line for row in plan.rows for line in _lines(row, ends.get(row.key))]
    asked = plan.request.vs
    other = "Base" if not asked else "No skill" if asked == "none" else "Other version"
    return _HEAD.format(other=other) + "\n".join(lines) if lines else ""


def _lines(row: PullRow, end: RowEnd | None) -> list[str]:
    names = [escape.code(row.eval_id, 80), escape.cell(row.skill.name, 60)]
    if end is None:
        return [f"| {' | '.join([*names, '', '', '', '⏳'])} |"]
    if not end.runs:
        return [f"| {' | '.join([*names, '', '', '', _WORDS[end.state]])} |"]
    return [f"| {' | '.join([*names, *_cells(run)])} |" for run in end.runs]


def _cells(run: RunEnd) -> list[str]:
    model = escape.code(run.model, 60)
    address = escape.address(run.url)
    if run.scores is None:
        word = _WORDS[run.state]
        return [model, "—", "—", f"[{word}]({address})" if address else word]
    head, base = run.scores
    sign = {1: "🟢 better", -1: "🔴 worse", 0: "⚪ no difference"}[_sign(run.scores)]
    by = f" by {numbers.points(abs(head - base))}" if _sign(run.scores) else ""
    known = ", measured before" if run.is_known else ""
    report = f" ([report]({address}){known})" if address else known
    return [model, numbers.percent(head), numbers.percent(base), f"{sign}{by}{report}"]


def _sign(scores: tuple[float, float]) -> int:
    difference = scores[0] - scores[1]
    return 0 if abs(difference) < 1e-9 else 1 if difference > 0 else -1


def say_left_out(plan: PullPlan) -> str:
    """What is not measured, and why, as a list."""
    return _list([*plan.broken, *plan.left_out])


def _list(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {escape.message(sentence)}" for sentence in sentences)


def _reasons(plan: PullPlan, ends: Ends) -> str:
    """Why rows have no run, each reason once."""
    found = (ends[row.key] for row in plan.rows if row.key in ends)
    return "\n\n".join(dict.fromkeys(end.reason for end in found if end.reason))
