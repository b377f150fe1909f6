"""The open table of a report, what both arms achieved, and the folded one of what ran.

It has at most ten rows, so that it can be read on a telephone.
"""

from collections.abc import Sequence

from jobs.judging.judges import judges_of
from jobs.readings import WORTH
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.reporting.conclusion import arms_of_pass
from jobs.reporting.conditions import render_environment, render_launcher, render_limits
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import Blocks, Part, details
from jobs.reporting.reused import mark_reused
from jobs.reporting.trials import count_whole, score_rows, usage_rows
from jobs.results import RunResult
from jobs.scores import ArmScore
from jobs.values import Arm, Model, RunSpec, SessionResult, Usage

NAME = 80
"""Characters of a name that are shown in a table."""
MOST_METRICS = 3


def metadata_part(result: RunResult, context: ReportContext) -> Part:
    """The table of what ran, under which conditions, and who asked."""
    spec = result.spec
    tree = context.tree_url(spec)
    sha = escape.code(spec.skill.sha[:12])
    rows = [
        ("Eval case", escape.code(spec.eval_case.id, NAME)),
        ("Date", f"{result.started_at:%Y-%m-%d %H:%M} UTC"),
        ("Model", _model(spec.model)),
        ("Skill", f"{escape.code(spec.skill.name, NAME)} in {escape.code(spec.skill.path, 120)}"),
        (
            "Skill SHA",
            (f"[{sha}]({tree})" if tree else sha) + f" at commit {escape.code(spec.read_from[:7])}",
        ),
        ("Asked by", escape.inline(spec.asker, NAME)),
        ("Launcher", render_launcher(result)),
        ("Judge", _judge(result)),
    ]
    if limits := render_limits(result):
        rows.append(("Limits of a session", limits))
    if environment := render_environment(result):
        rows.append(("Environment", environment))
    if spec.vs != "none":
        rows.append(("Compared with", _other(spec)))
    if spec.trials > 1:
        rows.append(("Trials", f"{count_whole(result)}, each judged by itself"))
    before, after = details("What ran, how, and who asked")
    table = _table(("Run", escape.code(spec.run_id, NAME)), rows, ":--|:--")
    note = f"*What ran is {context.rest}.*"
    return Blocks(blocks=[table], note=note, before=before, after=after)


def render_scorecard(result: RunResult) -> str:
    """The table of both arms; without the rows on the score where there is none."""
    rows: list[tuple[str, ...]]
    used: list[tuple[str, ...]]
    sessions = [sessions_of(result, arm) for arm in result.spec.arms]
    if result.trials:
        rows = [
            *score_rows(result),
            *unverified_rows(result),
            ("Skill loaded", *map(tell_loaded, sessions)),
        ]
        used = [*usage_rows(result), ("Tool calls", *map(_tool_calls, sessions))]
        rows += [_marked(row, result) for row in used]
        return _table(_head(result), rows, ":--|--:|--:")
    rows = []
    if result.graded and result.with_skill and result.without_skill:
        scores = (result.with_skill, result.without_skill)
        rows.append(("**Score**", *(f"**{_score(score)}**" for score in scores)))
        rows.append(("Pass / partial / fail", *map(tell_counts, scores)))
        rows += unverified_rows(result)
    rows.append(("Skill loaded", *map(tell_loaded, sessions)))
    used = [*tell_used(sessions), ("Tool calls", *map(_tool_calls, sessions))]
    rows += [*(_marked(row, result) for row in used), *_metrics(result)]
    return _table(_head(result), rows, ":--|--:|--:")


def unverified_rows(result: RunResult) -> list[tuple[str, ...]]:
    """How many assertions nobody could verify and that count for neither arm; often no row."""
    scores = (result.with_skill, result.without_skill)
    counts = [numbers.count(one.unverified) for one in scores if one and one.unverified]
    return [("Could not be verified, counts for neither", *counts)] if counts else []


def _marked(row: tuple[str, ...], result: RunResult) -> tuple[str, ...]:
    """A row of what sessions used, the other arm's cell marked where that one was used again."""
    return (*row[:-1], mark_reused(result, row[-1]))


def _head(result: RunResult) -> tuple[str, ...]:
    return ("", *(words.title for words in words_of(result.spec)))


def _other(spec: RunSpec) -> str:
    """The version in the other arm, and what somebody called it."""
    asked = escape.code(f"--vs {spec.vs_asked}", NAME)
    if spec.other is None:
        return escape.code(spec.vs, NAME)
    if spec.vs == "self":
        return f"the same version once more ({asked})"
    sha, commit = escape.code(spec.other.sha[:12]), escape.code(spec.other_commit[:7])
    return f"version {sha} at commit {commit} ({asked})"


def sessions_of(result: RunResult, arm: Arm) -> list[SessionResult]:
    """The sessions of one arm, in order."""
    return [session for session in result.sessions if session.arm is arm]


def tell_used(sessions: Sequence[Sequence[SessionResult]]) -> list[tuple[str, ...]]:
    """Rows on time, tokens and money, summed up; a dash for an arm without a session."""
    usages = [[one.usage for one in arm] for arm in sessions]
    times = [numbers.duration(sum(one.wall_s for one in arm)) if arm else "—" for arm in sessions]
    counts = [
        numbers.tokens(sum(one.total_tokens for one in arm)) if arm else "—" for arm in usages
    ]
    return [("Time", *times), ("Tokens", *counts), ("Cost", *map(cost, usages))]


def cost(usages: Sequence[Usage]) -> str:
    """What conversations cost together; unknown as soon as one price is."""
    known = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    if not known or len(known) < len(usages):
        return numbers.UNKNOWN
    return numbers.usd(sum(known, known[0] * 0))


def _model(model: Model) -> str:
    sent = escape.code(model.sent, NAME)
    return sent if model.asked == model.sent else f"{sent}, asked for as {_asked(model)}"


def _asked(model: Model) -> str:
    return escape.code(model.asked, NAME)


def _judge(result: RunResult) -> str:
    parts = [", ".join(map(_model, judges_of(result.spec)))]
    if result.passes:
        parts.append(numbers.plural(len(result.passes), "reading"))
    parts += [
        f"scoring prompt {escape.code(version, 20)}"
        for version in dict.fromkeys(one.prompt_version for one in result.passes)
        if version
    ]
    return " · ".join(parts)


def _score(score: ArmScore) -> str:
    total = score.passes + score.partials + score.fails
    points = score.passes * WORTH["pass"] + score.partials * WORTH["partial"]
    return f"{numbers.count(points)} / {numbers.count(total)} ({numbers.percent(score.score)})"


def tell_counts(score: ArmScore) -> str:
    """Passes, partials and fails."""
    return " / ".join(numbers.count(value) for value in (score.passes, score.partials, score.fails))


def tell_loaded(sessions: Sequence[SessionResult]) -> str:
    """In how many of the sessions that say it the skill was loaded; a dash where none does."""
    known = [one.skill_loaded for one in sessions if one.skill_loaded is not None]
    if not known:
        return "—"
    if len(known) > 1:
        return f"{sum(known)} of {len(known)}"
    return "yes" if known[0] else "**no**"


def _tool_calls(sessions: Sequence[SessionResult]) -> str:
    calls = sum(one.tool_calls for one in sessions)
    failed = sum(one.failed_tool_calls for one in sessions)
    if not calls:
        return "0" if sessions else "—"
    return f"{calls:,} ({numbers.percent((calls - failed) / calls)} good)"


def _metrics(result: RunResult) -> list[tuple[str, str, str]]:
    """The judge's figures with their arms, those of the first reading before the second's."""
    found: dict[str, tuple[str, str, str]] = {}
    for reading in result.passes:
        first, _ = arms_of_pass(result, reading.number)
        for metric in reading.key_metrics:
            values = (metric.candidate_1, metric.candidate_2)
            having, lacking = values if first is result.spec.arms[0] else values[::-1]
            name = escape.cell(metric.name, NAME)
            row = (name, escape.cell(having, 60), escape.cell(lacking, 60))
            found.setdefault(metric.name.casefold().strip(), row)
    return list(found.values())[:MOST_METRICS]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], rule: str) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{rule}|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)
