"""What a report says of checks and plain assertions: what code decided, and against whom."""

from collections.abc import Iterator, Sequence

from jobs.checks.verdict import MachineVerdict
from jobs.readings import Verdict
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import WORDS, words_of
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import Blocks, Part, details
from jobs.reporting.verdict_icons import ICONS
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import Arm

SIGN = "⚙️"
FOUND = 240
"""Characters of what was found."""
COMMAND = 200
OUTPUT = 1_500
"""Characters of what a command printed; the archive has up to 4,000."""
MOST_OUTPUTS = 12
MOST_NAMED = 6


def machine_words(verdicts: Sequence[Verdict], length: int) -> str:
    """Verdicts of one word that code gave on an output, and what the judge had said instead."""
    first = verdicts[0]
    if first.verdict == "cannot_verify":
        return f"⚪ not measured {SIGN}: {escape.sentence(first.evidence, length)}"
    text = f"{ICONS[first.verdict]} {SIGN} by machine: {escape.sentence(first.evidence, length)}"
    others = dict.fromkeys(
        ICONS[one.judge_said]
        for one in verdicts
        if one.judge_said is not None and one.judge_said != one.verdict
    )
    return f"{text} <br>The judge said {' / '.join(others)}." if others else text


def name_machine(result: RunResult) -> tuple[list[str], list[str]]:
    """What the health line says of code's verdicts: warnings, and what is well."""
    checks = result.spec.eval_case.checks
    missing = [
        check.id
        for check in checks
        if any(one.assertion == check.id and one.verdict is None for one in result.machine)
    ]
    if missing:
        shown = ", ".join(missing[:MOST_NAMED])
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        return [f"{shown}{more} could not be measured and {_count(missing)} in no score"], []
    told = {one.assertion for one in result.machine if one.verdict}
    decided = [row for row in result.assertions if row.assertion.id in told]
    if not decided:
        return [], []
    against = len(find_overruled(result))
    words = f"code decided {len(decided)} of {numbers.plural(len(result.assertions), 'assertion')}"
    return [], [f"{words}, {against} against the judge" if against else words]


def find_overruled(result: RunResult) -> list[AssertionScore]:
    """The assertions on which the judge had said something else than code, for either arm."""
    return [
        row
        for row in result.assertions
        if any(
            one.judge_said not in {None, one.verdict}
            for one in (*row.with_skill, *row.without_skill)
        )
    ]


def is_judges(row: AssertionScore) -> bool:
    """Whether the judge was asked about a row at all; a check is none of its own."""
    return not all(
        one.by_machine and one.judge_said is None for one in (*row.with_skill, *row.without_skill)
    )


def is_split(row: AssertionScore) -> bool:
    """Whether the readings of one trial differ on either output, whatever code decided."""
    return any(
        len({one.judge_said or one.verdict for one in verdicts}) > 1
        for verdicts in (row.with_skill, row.without_skill)
    )


def machine_part(result: RunResult, context: ReportContext) -> Part:
    """Every check and every assertion that code looked at, with the output of what failed."""
    if not result.machine:
        return Blocks((), "")
    ids = list(dict.fromkeys(one.assertion for one in result.machine))
    checks = [one for one in ids if one in {check.id for check in result.spec.eval_case.checks}]
    parts = [
        numbers.plural(len(checks), "check") if checks else "",
        numbers.plural(len(ids) - len(checks), "plain assertion") if len(ids) > len(checks) else "",
    ]
    against = len(find_overruled(result))
    title = f"{SIGN} By machine: {', '.join(filter(None, parts))}"
    before, after = details(f"{title}; {against} against the judge" if against else title)
    tested, other = (words.title for words in words_of(result.spec))
    return Blocks(
        blocks=[*(_row(one, result) for one in sorted(ids, key=_order)), *_outputs(result)],
        note=f"*Shortened; the rest is {context.rest}, in `result.json`.*",
        before=f"{before}| | What | {tested} | {other} |\n|:--|:--|:--|:--|\n",
        after=after,
    )


def _row(assertion: str, result: RunResult) -> str:
    cells = (escape.cell(assertion, 12), _what(assertion, result))
    arms = [_found(assertion, arm, result) for arm in result.spec.arms]
    return f"| {' | '.join((*cells, *arms))} |"


def _what(assertion: str, result: RunResult) -> str:
    """A check by its command; an assertion by its text."""
    case = result.spec.eval_case
    for check in case.checks:
        if check.id == assertion:
            command = escape.code(check.command, COMMAND)
            return f"{escape.inline(check.name, 120)}<br>{command}" if check.name else command
    texts = {one.id: one.text for one in case.assertions}
    return escape.sentence(texts.get(assertion, ""), COMMAND) or "—"


def _found(assertion: str, arm: Arm, result: RunResult) -> str:
    """What was found for an arm; of several trials, each finding with how often it was so."""
    found = [one for one in result.machine if (one.assertion, one.arm) == (assertion, arm)]
    told: dict[str, int] = {}
    for one in found:
        text = f"{_icon(one)}: {escape.sentence(one.found, FOUND)}"
        told[text] = told.get(text, 0) + 1
    if len(found) == 1 or not result.trials:
        return "<br>".join(told) or "—"
    counted = (f"{numbers.plural(count, 'trial')}: {text}" for text, count in told.items())
    return "<br>".join(counted) or "—"


def _icon(one: MachineVerdict) -> str:
    if one.verdict:
        return ICONS[one.verdict]
    return "⚪ left to the judge" if _is_plain(one) else "⚪ not measured"


def _is_plain(one: MachineVerdict) -> bool:
    return not one.assertion.startswith("C")


def _outputs(result: RunResult) -> Iterator[str]:
    """What commands printed that did not pass, as far as they printed anything."""
    shown = [one for one in result.machine if one.verdict != "pass" and one.output.strip()]
    for one in shown[:MOST_OUTPUTS]:
        of_trial = f", trial {one.trial}" if result.trials else ""
        title = f"**{escape.inline(one.assertion, 12)} {WORDS[one.arm].phrase}{of_trial}**"
        yield f"\n{title}\n\n{escape.fenced(_end_of(one.output))}"


def _end_of(output: str) -> str:
    """The last lines of an output, where a program says what is wrong."""
    text = output.rstrip()
    if len(text) <= OUTPUT:
        return text
    return "…\n" + text[-OUTPUT:].partition("\n")[2]


def _count(missing: Sequence[str]) -> str:
    return "counts" if len(missing) == 1 else "count"


def _order(assertion: str) -> tuple[bool, int]:
    """Checks first, each kind by its number."""
    number = assertion[1:]
    return assertion[:1] != "C", int(number) if number.isdecimal() else 0
