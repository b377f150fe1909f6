"""The text of the welcome: how to start, what stands in the way, what was found, what it costs."""

from collections.abc import Sequence

from config.effective import make_effective
from config.settings import Settings
from jobs.content.titles import TITLES
from jobs.reporting import escape
from jobs.reporting.fit import Blocks, details, fit
from jobs.reporting.numbers import plural, usd
from jobs.values import Skill
from jobs.welcome.survey import InvalidCase, ReadyCase, Survey

MOST_ROWS = 100
"""Of each table; whoever has more knows their skills."""
LONGEST_REASON = 600
INTRODUCTION = (
    "I measure whether an agent skill makes the work better: the same task goes to two fresh "
    "sessions, one with the skill and one without, and a judge scores both without knowing "
    "which is which. Nothing is measured, and nothing spent, until somebody asks."
)


def render_title(found: Survey) -> str:
    """The issue's title; it holds nothing that somebody else wrote."""
    if not found.skills:
        return "skillbench is here: how to start"
    skills, cases = plural(len(found.skills), "skill"), plural(len(found.cases), "eval case")
    return f"skillbench is here: {skills} and {cases} found"


def render_welcome(found: Survey, settings: Settings) -> str:
    """The issue's text, as Markdown."""
    mention = make_effective(found.repo_file, settings).mention.value
    top = [
        INTRODUCTION,
        _render_start(found, mention),
        *_render_warnings(found),
        _render_head(found),
    ]
    parts = [
        _skills(found.skills),
        _invalid("that cannot be used", "skill", found.broken_skills),
        _cases(found.cases),
        _invalid("that cannot be run yet", "eval case", found.invalid_cases),
    ]
    return fit(top, parts, [_render_cost(found, settings)]) + "\n"


def _render_start(found: Survey, mention: str) -> str:
    label = escape.code(found.repo_file.labels.run)
    own = next((case for case in found.cases if case.issue), None)
    filed = next((case for case in found.cases if not case.issue), None)
    if own is not None:
        first = f"Put the label {label} on #{own.issue}, which is an eval case that can be run."
    else:
        sections = ", ".join(f"`{TITLES[name]}`" for name in ("skills", "query", "rubric"))
        first = (
            f"Open an issue with the sections {sections}: a task, and how to tell that it was "
            f"done well. Then put the label {label} on it."
        )
    if filed is not None:
        command = escape.code(f"{mention} run --eval {filed.id}", 300)
        second = f"Or comment {command} here, to run an eval case that lies in a file."
    else:
        command = escape.code(f"{mention} run")
        second = f"Or comment {command} on such an issue, with a model if you like."
    last = (
        f"{escape.code(f'{mention} help')} lists all commands. Close this issue whenever you "
        "like; there will be no other."
    )
    return f"### How to start\n\n1. {first}\n2. {second}\n3. {last}"


def _render_warnings(found: Survey) -> list[str]:
    warnings = []
    if found.repo_file_problem:
        problem = escape.message(escape.clip(found.repo_file_problem, 4_000))
        warnings.append(f"**Nothing runs until this is mended.** {problem}")
    if found.release_workflows and found.repo_file.archive == "release":
        paths = ", ".join(escape.code(path, 120) for path in found.release_workflows[:10])
        starts = "starts" if len(found.release_workflows) == 1 else "start"
        warnings.append(
            f"{paths} {starts} on releases. The files of my runs are kept in a pre-release of each "
            "month, which would start it, too. Write `types: [released]` there, or `archive: blob` "
            "in `.github/skillbench.yml`."
        )
    return [
        "> [!WARNING]\n" + "\n".join(f"> {line}" for line in one.split("\n")) for one in warnings
    ]


def _render_head(found: Survey) -> str:
    if not found.commit:
        return (
            "### What I found\n\nThe repository holds no commit yet. Push a folder with a "
            "`SKILL.md`, and I can measure it."
        )
    head = f"### What I found at {escape.code(found.commit[:12])}"
    if found.skills or found.broken_skills:
        return head
    return f"{head}\n\nNo skill: no folder holds a `SKILL.md`. Push one, and I can measure it."


def _skills(skills: Sequence[Skill]) -> Blocks:
    rows = [
        f"| {escape.code(skill.name, 80)} | {escape.code(skill.path, 200)} | {_remark(skill)} |"
        for skill in skills[:MOST_ROWS]
    ]
    head = (
        f"**{plural(len(skills), 'skill')}**\n\n| skill | folder | description |\n|---|---|---|\n"
    )
    return Blocks(rows, _more(skills), before=head)


def _remark(skill: Skill) -> str:
    if skill.warnings:
        return f"⚠️ {escape.sentence(' '.join(skill.warnings), LONGEST_REASON)}"
    return f"✅ {plural(len(skill.description), 'character')}"


def _cases(cases: Sequence[ReadyCase]) -> Blocks:
    rows = [
        f"| {escape.code(case.id, 120)} | "
        f"{', '.join(escape.code(name, 80) for name in case.skills[:10])} | "
        f"{_place(case)} |"
        for case in cases[:MOST_ROWS]
    ]
    title = f"**{plural(len(cases), 'eval case')} that can be run**"
    head = f"{title}\n\n| eval case | skill | where |\n|---|---|---|\n"
    return Blocks(rows, _more(cases), before=head)


def _place(case: ReadyCase) -> str:
    """As code: a reference would leave its mark on every issue that it names."""
    return f"issue {escape.code(f'#{case.issue}')}" if case.issue else escape.code(case.place, 200)


def _invalid(what: str, noun: str, entries: Sequence[InvalidCase]) -> Blocks:
    rows = []
    for one in entries[:MOST_ROWS]:
        name = escape.code(f"#{one.issue}" if one.issue else one.title, 120)
        rows.append(f"- {name}: {escape.sentence(one.reason, LONGEST_REASON)}")
    before, after = details(f"{plural(len(entries), noun)} {what}")
    return Blocks(rows, _more(entries), before=before, after=after)


def _more(entries: Sequence[object]) -> str:
    return f"*The first {MOST_ROWS} of {len(entries)}, or what has room.*"


def _render_cost(found: Survey, settings: Settings) -> str:
    effective = make_effective(found.repo_file, settings)
    named = ", ".join(escape.code(model, 80) for model in effective.models.value[:5])
    judge = escape.code(effective.judge.value, 80)
    role = escape.code(found.repo_file.permissions.run)
    return (
        "### What a run may cost\n\n"
        f"At most {usd(effective.usd_per_run.value)} for one run, with {named} at work and {judge} "
        f"as judge, and at most {usd(effective.usd_per_day.value)} for all runs of a day. Whoever "
        f"asks needs the role {role} here, and is told beforehand what to expect."
    )
