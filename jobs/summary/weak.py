"""The part of a summary that names the assertions by which eval cases tell nothing."""

from collections.abc import Sequence

from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, details
from jobs.weak_evals.past_runs import WeakEval

MOST_ARCHIVES = 5
"""Of past runs that one summary downloads to look for weak assertions."""
NAME = 80
TEXT = 160
_TABLE = "| Eval case | | Assertion | What was seen | What to do |\n|:--|:--|:--|:--|:--|\n"


def weak_part(weak: Sequence[WeakEval]) -> Blocks:
    """One row for each thing that is weak, folded; empty where nothing is."""
    rows = [row for one in weak for row in _rows(one)]
    cases = numbers.plural(len(weak), "eval case")
    before, after = details(f"Weak assertions: {len(rows)} in {cases}")
    return Blocks(
        rows,
        "*Shortened: `lint` on an eval case's issue shows the rest.*",
        before=before + _TABLE,
        after=after,
    )


def _rows(weak: WeakEval) -> list[str]:
    case = render_case(weak.eval_id, weak.issue)
    return [
        f"| {case} | {escape.cell(one.assertion.id, 12)} "
        f"| {escape.sentence(one.assertion.text, TEXT)} | {one.what} | {one.advice} |"
        for one in weak.weaknesses
    ]


def render_case(eval_id: str, issue: int) -> str:
    """An eval case, by its issue where it has one."""
    number = eval_id.removeprefix("github-issue-")
    return f"#{number}" if issue and number == str(issue) else escape.code(eval_id, NAME)
