"""What stands around the figures of both kinds of report: what ran, how, and how to ask again."""

from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote

from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, Part
from jobs.requests import Request
from jobs.triggering.found import Found

MOST_REASONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPlace:
    """Everything around a result that only the publisher knows."""

    request: Request
    web_url: str
    mention: str
    proposal: str = ""
    """What became of proposing the change, as Markdown; empty where there was none to make."""


def render_command(request: Request, mention: str, *, model: str = "", more: str = "") -> str:
    """The command that asks for the same again, on one line; `more` are options beside its own."""
    options = request.triggering
    words = [mention, request.kind, *((model,) if model else request.models)]
    named = {
        "--skill": request.skill,
        "--eval-set": options.eval_set,
        "--launcher": request.launcher,
        "--runs-per-query": options.runs_per_query,
        "--max-iterations": options.max_iterations,
    }
    for option, value in named.items():
        if value is not None:
            text = str(value)
            words += [option, f'"{text}"' if " " in text else text]
    words += ["--alone"] if options.alone else []
    words += ["--yes"] if options.confirmed and more != "--yes" else []
    words += ["--force"] if request.force and more != "--force" else []
    return " ".join([*words, more]).strip()


def render_what_ran(found: Found, place: ReportPlace) -> str:
    """One line on what was measured, with what, for how much."""
    run = found.run
    took = (found.ended_at - found.started_at).total_seconds()
    path = "" if run.skill.path in {"", "."} else "/" + quote(run.skill.path[:500])
    repo = quote(found.repo.full_name)
    tree = f"{place.web_url}/{repo}/tree/{quote(found.commit[:64])}{path}"
    versions = ", ".join(escape.code(one, 40) for one in found.launcher_versions)
    skill = escape.link(escape.clip(run.skill.name, 80), tree)
    parts = [
        f"**{skill}** at {escape.code(run.skill.sha[:12])}",
        f"model {escape.code(run.model.sent, 80)}",
        f"launcher {escape.code(run.launcher)}{f' {versions}' if versions else ''}",
        f"{numbers.tokens(found.usage.total_tokens)} tokens",
        f"cost {numbers.usd(found.usage.cost_usd)}",
        numbers.duration(took),
    ]
    if page := escape.address(found.page):
        parts.append(f"[page]({page})")
    return " · ".join(parts)


def render_missing(found: Found) -> Part:
    """Why sessions could not be seen, the commonest reason first."""
    reasons = Counter(
        one.detail or "the session broke"
        for result in found.all_results
        for one in result.observations
        if one.fired is None
    )
    blocks = [
        f"- {numbers.plural(count, 'session')}: {escape.sentence(reason, 300)}"
        for reason, count in reasons.most_common(MOST_REASONS)
    ]
    return Blocks(
        blocks,
        "*Shortened.*",
        before="### Sessions that broke\n\nEach was tried three times. None counts as quiet.\n\n",
    )


def render_remarks(found: Found) -> Part:
    texts = list(dict.fromkeys((*found.remarks, *found.run.skill.warnings)))
    if found.lost_usd:
        texts.append(
            "Sessions ended with their worker, and what they cost is in no figure above. Up to "
            f"{found.lost_usd:.2f} USD are counted for them."
        )
    blocks = [f"- {escape.sentence(text, 500)}" for text in texts if text.strip()]
    return Blocks(blocks, "*Shortened.*", before="### Remarks\n\n")


def render_method(found: Found) -> str:
    """How it was measured, in a line."""
    run = found.run
    beside = len(run.neighbours)
    times = "once" if found.runs_per_query == 1 else f"{found.runs_per_query} times, each"
    company = f"beside {numbers.plural(beside, 'other skill')}" if beside else "alone"
    return (
        f"<sub>Method: {numbers.plural(len(run.eval_set.queries), 'query', 'queries')} from "
        f"{escape.inline(run.source, 200)}, each asked {times} in a fresh "
        f"session with the skill installed {company}; it fired if it was loaded at any time "
        "before the session's end, and counts as firing from half of the sessions on. Intervals: "
        "Wilson, 95%.</sub>"
    )


def render_footer(found: Found, place: ReportPlace) -> str:
    if place.request.origin == "push":
        again = ""
    else:
        line = render_command(
            place.request, place.mention, model=found.run.model.sent, more="--force"
        )
        again = f"Measure again: {escape.code(line, 500)} · "
    commands = escape.code(f"{place.mention} help")
    return f"<sub>{again}all commands: {commands} · run {escape.code(found.run.run_id)}</sub>"
