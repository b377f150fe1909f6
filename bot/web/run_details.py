"""A run as its page shows it, from what it found out, in the words of its report."""

from collections.abc import Sequence
from decimal import Decimal

from bot.web.run_assertions import show_assertions, show_machine, show_passes
from bot.web.run_score import make_scorecard, tell_conditions
from bot.web.run_values import LostPass, Remark, RunDetails, ScoreLine, SessionView, TrialView
from bot.web.run_words import plain, without_sign
from jobs.calibration.people import RunVerdicts
from jobs.calibration.said import find_scores_with
from jobs.dashboard.rows import make_run_row
from jobs.dashboard.values import name_skill
from jobs.reporting import numbers
from jobs.reporting.arm_words import WORDS, words_of
from jobs.reporting.conclusion import conclude
from jobs.reporting.conditions import render_refused_hosts
from jobs.reporting.health import tell_health
from jobs.reporting.leaks import leak_notes
from jobs.reporting.report import headline
from jobs.reporting.reused import render_reused
from jobs.reporting.soundness import render_counts_nowhere, soundness_notes
from jobs.reporting.until_sure import render_until_sure
from jobs.reporting.verdict import render_verdict
from jobs.reporting.what_to_do import render_what_to_do
from jobs.results import SAME_SCORE, RunRecord, RunResult
from jobs.scores import TrialResult
from jobs.values import SKILL_OR_NONE, TWO_VERSIONS, Arm, SessionResult

NOTHING_FOUND = "Not graded: this run has no score"


def describe_run(
    result: RunResult, record: RunRecord, people: RunVerdicts | None, *, trial: int = 0
) -> RunDetails:
    """Everything on its page; `trial` 0, or one that there is not, is the first with a score."""
    conclusion = conclude(result)
    shown = choose_trial(result, trial)
    to_do = plain(render_what_to_do(result, conclusion)) if conclusion else ""
    of_trial = [one for one in result.passes if one.trial == shown]
    return RunDetails(
        row=make_run_row(record),
        name=result.spec.skill.name,
        state=make_run_row(record).state,
        headline=without_sign(plain(headline(result, conclusion))),
        word=conclusion.word if conclusion else None,
        conclusion=plain(render_verdict(result, conclusion)) if conclusion else "",
        to_do=to_do.removeprefix("To do "),
        why_ungraded=result.ungraded_reason or "",
        remarks=tuple(_remarks(result, record, people)),
        arms=result.spec.arms,
        titles=_titles(result.spec.arms),
        scorecard=tuple(make_scorecard(result)),
        conditions=tuple(tell_conditions(result)),
        trial=shown,
        trials=tuple(map(_show_trial, result.trials)),
        assertions=tuple(show_assertions(result, shown, people)),
        machine=tuple(show_machine(result, shown)),
        sessions=tuple(_show_session(one) for one in result.sessions),
        passes=tuple(show_passes(of_trial, result)),
        lost_passes=tuple(
            LostPass(judge=one.judge, number=one.number, reason=one.reason)
            for one in result.lost_readings
            if one.trial == shown
        ),
        prompt=result.spec.eval_case.prompt,
        started_at=result.started_at,
    )


def describe_record(record: RunRecord) -> RunDetails:
    """What is known of a run when nothing but its record is left."""
    row = make_run_row(record)
    arms = SKILL_OR_NONE if record.vs == "none" else TWO_VERSIONS
    tested, other = (WORDS[arm] for arm in arms)
    if row.difference is None or row.with_skill is None or row.without_skill is None:
        found, word = NOTHING_FOUND, None
    else:
        scores = f"{numbers.percent(row.with_skill)} against {numbers.percent(row.without_skill)}"
        points = numbers.points(row.difference)
        if abs(row.difference) < SAME_SCORE:
            found, word = f"Same score {tested.phrase} and {other.phrase}: {scores}", "same"
        elif row.difference > 0:
            found, word = f"Higher {tested.phrase} by {points}: {scores}", "higher"
        else:
            found, word = f"Lower {tested.phrase} by {points}: {scores}", "lower"
    return RunDetails(
        row=row,
        name=name_skill(row.repo, row.skill),
        state=row.state,
        headline=found,
        word=word,
        arms=arms,
        titles=_titles(arms),
        scorecard=tuple(_recorded(record, arms)),
        conditions=tuple(_recorded_conditions(record)),
    )


def choose_trial(result: RunResult, asked: int) -> int:
    """The trial that is shown."""
    if not result.trials:
        return 1
    numbers_there = {one.number for one in result.trials}
    first = next((one.number for one in result.whole_trials), result.trials[0].number)
    return asked if asked in numbers_there else first


def _titles(arms: tuple[Arm, Arm]) -> tuple[str, str]:
    return WORDS[arms[0]].title, WORDS[arms[1]].title


def _remarks(result: RunResult, record: RunRecord, people: RunVerdicts | None) -> Sequence[Remark]:
    warnings, good = tell_health(result)
    warned = [render_counts_nowhere(result), *warnings, render_refused_hosts(result)]
    case, skill = result.spec.eval_case, result.spec.skill
    told = [
        render_until_sure(result),
        render_reused(result, {}),
        _tell_later_judging(result, record),
        _tell_people(result, people),
    ]
    notes = [*soundness_notes(result), *leak_notes(result)]
    besides = dict.fromkeys((*result.remarks, *case.remarks, *skill.warnings))
    return [
        *(Remark(kind="warning", text=_sentence(one)) for one in warned if one),
        *(Remark(kind="good", text=_sentence(one)) for one in good if one),
        *(Remark(kind="note", text=_sentence(one)) for one in (*told, *notes) if one),
        *(Remark(kind="note", text=one.replace("`", "")) for one in besides if one.strip()),
    ]


def _sentence(markdown: str) -> str:
    words = without_sign(plain(markdown))
    return words[:1].upper() + words[1:]


def _tell_later_judging(result: RunResult, record: RunRecord) -> str:
    """Where a later judging has other scores: lists and charts count those."""
    row = make_run_row(record)
    if row.with_skill is None or row.without_skill is None or result.with_skill is None:
        return ""
    other = result.without_skill.score if result.without_skill else 0.0
    apart = max(abs(row.with_skill - result.with_skill.score), abs(row.without_skill - other))
    if apart < 5e-4:  # a record is rounded
        return ""
    scores = f"{numbers.percent(row.with_skill)} and {numbers.percent(row.without_skill)}"
    return f"A later judging gave {scores}, which lists and charts count; below is the run's own."


def _tell_people(result: RunResult, people: RunVerdicts | None) -> str:
    if people is None or not people.verdicts:
        return ""
    found = find_scores_with(result, people.current)
    count = numbers.plural(len(people.current), "verdict")
    if found is None:
        return f"People gave {count}, which leave nothing to score."
    tested, other = (words.phrase for words in words_of(result.spec))
    scores = f"{numbers.percent(found[0])} {tested} and {numbers.percent(found[1])} {other}"
    return f"People gave {count}. With these in place of the judge's the scores would be {scores}."


def _show_trial(trial: TrialResult) -> TrialView:
    return TrialView(
        number=trial.number,
        tested=trial.with_skill.score if trial.with_skill else None,
        other=trial.without_skill.score if trial.without_skill else None,
        difference=trial.difference,
        why_not=trial.ungraded_reason or "",
    )


def _show_session(one: SessionResult) -> SessionView:
    return SessionView(
        arm=one.arm,
        trial=one.trial,
        end=one.end,
        is_scored=one.scored,
        detail=one.detail,
        started_at=one.started_at,
        wall_s=one.wall_s,
        turns=one.turns,
        tool_calls=one.tool_calls,
        failed_tool_calls=one.failed_tool_calls,
        retries=one.retries,
        tokens=one.usage.total_tokens,
        cost_usd=None if one.usage.cost_usd is None else float(one.usage.cost_usd),
        is_loaded=one.skill_loaded,
        reused_from=one.reused_from,
        outputs=one.outputs,
        left_out=one.left_out,
    )


def _recorded(record: RunRecord, arms: tuple[Arm, Arm]) -> Sequence[ScoreLine]:
    row = make_run_row(record)
    scores = [None if one is None else numbers.percent(one) for one in (
        row.with_skill, row.without_skill
    )]  # fmt: skip
    tokens = [numbers.tokens(record.tokens[arm]) if arm in (record.tokens or {}) else None  # type: ignore[index]
              for arm in arms]  # fmt: skip
    times = [numbers.duration(record.wall_s[arm]) if arm in (record.wall_s or {}) else None  # type: ignore[index]
             for arm in arms]  # fmt: skip
    lines = (("Score", scores), ("Time", times), ("Tokens", tokens))
    return [
        ScoreLine(name=name, tested=both[0] or "—", other=both[1] or "—")
        for name, both in lines
        if any(both)
    ]


def _recorded_conditions(record: RunRecord) -> Sequence[tuple[str, str]]:
    cost = "unknown" if record.cost_usd is None else numbers.usd(Decimal(str(record.cost_usd)))
    told = (
        ("Eval case", record.eval_id),
        ("Model", record.served or record.model),
        ("Skill", record.skill),
        ("Skill SHA", record.skill_sha[:12]),
        ("Commit", record.commit[:12]),
        ("Launcher", f"{record.launcher}, {record.mode}"),
        ("Judge", record.judge_served or record.judge),
        ("Environment", record.environment[:12]),
        ("Compared with", "" if record.vs == "none" else record.vs),
        ("Trials", str(record.trials)),
        ("Cost", cost),
        ("Run", record.run),
    )
    return [(name, value) for name, value in told if value]
