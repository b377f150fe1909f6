"""What people say of a run's assertions, as its report shows it beside the judge's word."""

from jobs.calibration.people import PersonVerdict, RunVerdicts, render_verdicts_marker
from jobs.calibration.said import find_scores_with, get_verdicts, read_trials
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import WORDS, words_of
from jobs.reporting.context import ReportContext
from jobs.reporting.verdict_icons import ICONS, verdict_words
from jobs.results import RunResult
from jobs.values import Arm

MOST_ROWS = 20
"""Of the table; the cells of all assertions have every one."""
SHOWN_REASON = 240
NAME = 40
_HEAD = "| | Output | A person says | The judge said | Why |\n|:--|:--|:--|:--|:--|\n"


def render_people(result: RunResult, context: ReportContext) -> str:
    """A table of people's verdicts, and what the score would be with them; empty without any."""
    people = context.people
    if people is None or not people.verdicts:
        return ""
    current = sorted(people.current.values(), key=lambda one: (len(one.assertion), one.about))
    rows = [_row(one, people, result, context) for one in current[:MOST_ROWS]]
    left = len(current) - MOST_ROWS
    more = f"\n\n*{left} more stand beside the evidence.*" if left > 0 else ""
    table = _HEAD + "\n".join(rows) + more
    return f"### 👤 Verdicts by people\n\n{table}\n\n{_render_score(result, people)}"


def said_beside(people: RunVerdicts | None, assertion: str, arm: Arm, result: RunResult) -> str:
    """What stands under the judge's evidence in a cell; empty where nobody said anything.

    `👤 pass by maria: table 2 has it (judge said fail)`
    """
    said = [
        one
        for one in (people.current.values() if people else ())
        if (one.assertion, one.arm) == (assertion, arm)
    ]
    lines = []
    for one in said:
        trial = f"trial {one.trial}, " if result.trials else ""
        reason = escape.inline(one.reason, SHOWN_REASON)
        lines.append(
            f"👤 {trial}**{_word(one)}** by {escape.inline(one.by, NAME)}: {reason} "
            f"(judge said {_judge_word(one, result)})"
        )
    return "".join(f"<br>{line}" for line in lines)


def render_people_marker(context: ReportContext) -> str:
    """The hidden line by which they outlive the store; empty without any."""
    return render_verdicts_marker(context.people) if context.people else ""


def render_noted(run: str, url: str) -> str:
    """The answer to whoever gave a verdict on a run that is reported elsewhere."""
    address = escape.address(url)
    report = f"[report]({address})" if address else "report"
    return f"👤 Your verdict stands in the {report} of run {escape.code(run, 20)}.\n"


def _row(one: PersonVerdict, people: RunVerdicts, result: RunResult, context: ReportContext) -> str:
    trial = f", trial {one.trial}" if result.trials else ""
    before = [earlier for earlier in people.corrected if earlier.about == one.about]
    said = f"**{_word(one)}** by {_who(one, result, context)}"
    if before:
        told = ", ".join(
            f"{_word(earlier)} by {_who(earlier, result, context)}" for earlier in before[-3:]
        )
        said += f"<br><sub>before: {told}</sub>"
    cells = [
        escape.cell(one.assertion, 12),
        WORDS[one.arm].title + trial,
        said,
        _judge_word(one, result),
        escape.cell(one.reason, SHOWN_REASON),
    ]
    return f"| {' | '.join(cells)} |"


def _who(one: PersonVerdict, result: RunResult, context: ReportContext) -> str:
    """Who said it, with the way to the comment that says it whole."""
    if one.comment is None or not context.web_url:
        return escape.inline(one.by, NAME)
    repo = result.spec.repo.full_name
    place = f"{context.web_url}/{repo}/issues/{one.issue}#issuecomment-{one.comment}"
    return escape.link(escape.clip(one.by, NAME), place)


def _word(one: PersonVerdict) -> str:
    return ICONS[one.verdict]


def _judge_word(one: PersonVerdict, result: RunResult) -> str:
    rows = read_trials(result).get(one.trial, ())
    row = next((row for row in rows if row.assertion.id == one.assertion), None)
    return "—" if row is None else verdict_words(get_verdicts(row, one.arm, result.spec))


def _render_score(result: RunResult, people: RunVerdicts) -> str:
    tested, other = (words.phrase for words in words_of(result.spec))
    stays = "The score above stays the judge's, so that it can be held against other runs'."
    found = find_scores_with(result, people.current)
    if found is None:
        return f"*{stays} With these verdicts in its place nothing would be left to score.*"
    scores = f"{numbers.percent(found[0])} {tested} and {numbers.percent(found[1])} {other}"
    return f"*{stays} With these verdicts in place of the judge's it would be {scores}.*"
