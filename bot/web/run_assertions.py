"""What was said of each assertion, and each reading of the judge by itself, unblinded."""

from collections.abc import Iterator, Sequence

from bot.web.run_values import AssertionView, Finding, MachineView, PassView, Said
from jobs.calibration.people import PersonVerdict, RunVerdicts
from jobs.calibration.said import get_verdicts, read_trials
from jobs.checks.verdict import MachineVerdict
from jobs.judging.blind import get_arm, get_first_arm
from jobs.readings import JudgePass, Verdict
from jobs.reporting.conclusion import gain, unblind
from jobs.reporting.machine import is_split
from jobs.reporting.trials import count_verdicts
from jobs.reporting.verdict_icons import ICONS
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import Arm, VerdictWord

_WORDS = {shown.split()[0]: word.replace("_", " ") for word, shown in ICONS.items()}


def show_assertions(
    result: RunResult, trial: int, people: RunVerdicts | None
) -> Iterator[AssertionView]:
    """The assertions of one trial; those of the eval case where it has no score."""
    kinds = {one.assertion: one.kind for one in result.leaks}
    said = [one for one in people.current.values() if one.trial == trial] if people else []
    rows = read_trials(result).get(trial, ())
    tested, other = result.spec.arms
    for row in rows:
        yield AssertionView(
            id=row.assertion.id,
            text=row.assertion.text,
            group=row.assertion.group or "",
            kind=kinds.get(row.assertion.id),
            gain=gain(row),
            is_split=row.split or is_split(row),
            is_machine=row.machine is not None,
            is_unverified=not row.counted,
            tested=_show_said(row, tested, result),
            other=_show_said(row, other, result),
            people=tuple(
                (one.arm, _show_person(one)) for one in said if one.assertion == row.assertion.id
            ),
            in_trials=_count_trials(row, result),
        )
    if not rows:
        yield from (
            AssertionView(id=one.id, text=one.text, group=one.group or "", kind=kinds.get(one.id))
            for one in result.spec.eval_case.assertions
        )


def show_machine(result: RunResult, trial: int) -> Iterator[MachineView]:
    """What code found in one trial: checks first, each kind by its number."""
    case, (tested, other) = result.spec.eval_case, result.spec.arms
    names = {one.id: one.text for one in case.assertions}
    checks = {one.id: f"{one.name}: {one.command}" if one.name else one.command for one in
              case.checks}  # fmt: skip
    found = {(one.assertion, one.arm): one for one in result.machine if one.trial == trial}
    ids = dict.fromkeys(name for name, _ in found)
    for name in sorted(ids, key=lambda one: (one not in checks, len(one), one)):
        yield MachineView(
            id=name,
            what=checks.get(name, names.get(name, "")),
            is_check=name in checks,
            tested=_show_finding(found.get((name, tested))),
            other=_show_finding(found.get((name, other))),
        )


def show_passes(passes: Sequence[JudgePass], result: RunResult) -> Iterator[PassView]:
    """Each reading with its verdicts under the names of the arms."""
    tested, other = result.spec.arms
    for one in sorted(passes, key=lambda reading: (reading.judge, reading.number)):
        said: dict[tuple[str, Arm], VerdictWord] = {
            (each.assertion, get_arm(each.candidate, one.number, result.candidate_1_is)): (
                each.verdict
            )
            for each in one.verdicts
        }
        names = dict.fromkeys(each.assertion for each in one.verdicts)
        odd = [
            *(f"Addresses the judge: {text}" for text in one.injections),
            *(f"Weak assertion: {text}" for text in one.weak_assertions),
            *(f"Judge's answers: {text}" for text in one.remarks),
        ]
        yield PassView(
            judge=one.judge,
            number=one.number,
            model=one.served_model,
            first=get_first_arm(one.number, result.candidate_1_is),
            verdicts={name: (said.get((name, tested)), said.get((name, other))) for name in names},
            answers=one.asks,
            tokens=one.usage.total_tokens,
            cost_usd=None if one.usage.cost_usd is None else float(one.usage.cost_usd),
            notes=tuple(unblind(text, result, one.number) for text in (*one.observations, *odd)),
        )


def _show_said(row: AssertionScore, arm: Arm, result: RunResult) -> tuple[Said, ...]:
    """Each different thing that was said of an output, with the readings that said it."""
    found: dict[tuple[object, ...], tuple[Verdict, list[str]]] = {}
    for one in get_verdicts(row, arm, result.spec):
        key = (one.verdict, one.evidence, one.reason, one.by_machine, one.judge_said)
        _, names = found.setdefault(key, (one, []))
        names.append(_name_reading(one, arm, result))
    return tuple(_show_one(verdict, names) for verdict, names in found.values())


def _show_one(verdict: Verdict, names: Sequence[str]) -> Said:
    return Said(
        verdict=verdict.verdict,
        evidence=verdict.evidence,
        reason="" if verdict.reason == verdict.evidence else verdict.reason,
        by="code" if verdict.by_machine else "judge",
        name=" and ".join(dict.fromkeys(names)),
        is_quote=verdict.quote_found and not verdict.by_machine,
        is_unproven=verdict.credits and not verdict.quote_found and not verdict.by_machine,
        judge_said=verdict.judge_said if verdict.judge_said != verdict.verdict else None,
    )


def _name_reading(verdict: Verdict, arm: Arm, result: RunResult) -> str:
    is_first = get_arm(verdict.candidate, 1, result.candidate_1_is) is arm
    number = 1 if is_first else 2
    return f"judge {verdict.judge}, reading {number}" if result.spec.other_judges else (
        f"reading {number}"
    )  # fmt: skip


def _show_finding(one: MachineVerdict | None) -> Finding | None:
    if one is None:
        return None
    output = "" if one.verdict == "pass" else one.output
    return Finding(verdict=one.verdict, found=one.found, output=output)


def _show_person(one: PersonVerdict) -> Said:
    words = set(one.judge)
    return Said(
        verdict=one.verdict,
        evidence="",
        reason=one.reason,
        by="person",
        name=one.by,
        judge_said=next(iter(words)) if len(words) == 1 else None,
    )


def _count_trials(row: AssertionScore, result: RunResult) -> tuple[str, str]:
    """In how many trials it held, in each arm; empty words for a run of one."""
    if not result.trials:
        return "", ""
    tested, other = count_verdicts(result, row.assertion.id)
    return _in_words(tested), _in_words(other)


def _in_words(counts: str) -> str:
    """`✅ 2 · ❌ 1` as `2 pass, 1 fail`."""
    pairs = (one.split() for one in counts.split(" · "))
    return ", ".join(f"{pair[1]} {_WORDS[pair[0]]}" for pair in pairs if len(pair) > 1)
