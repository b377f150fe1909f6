"""Under which conditions a run's sessions worked, and what they asked for and did not get.

Names of hosts come out of a session, facts out of an environment that somebody else made:
all of it is foreign text and shown as such.
"""

from collections.abc import Iterable

from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import WORDS
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import Blocks, Part, details
from jobs.results import RunResult
from jobs.values import Arm

MOST_FACTS = 16
_NAME = 80
_MODES = {
    "forced": "skill in the prompt, its files at `skill/`",
    "installed": "skill installed, loaded on demand",
}


def render_launcher(result: RunResult) -> str:
    """The launcher with its version, how the skill was given, and the kind of sandbox."""
    spec = result.spec
    named = escape.code(spec.launcher)
    if version := _either(one.launcher_version for one in result.sessions):
        named += f" {version}"
    sandbox = _either(one.sandbox for one in result.sessions)
    return f"{named}, {_MODES[spec.mode]}" + (f", sandbox {sandbox}" if sandbox else "")


def render_limits(result: RunResult) -> str:
    """What each session might use, and its memory; empty where no session tells, as older ones.

    Where two tell otherwise the run is void, and says why.
    """
    told = next((one for one in result.sessions if one.limits), None)
    if told is None or told.limits is None:
        return ""
    limits = told.limits
    parts = [
        numbers.duration(limits.wall_s),
        numbers.plural(limits.turns, "turn"),
        f"{numbers.tokens(limits.total_tokens)} tokens",
        numbers.usd(limits.cost_usd),
    ]
    if told.memory_mb is not None:
        parts.append(f"{told.memory_mb:,} MB of memory")
    return ", ".join(parts)


def render_environment(result: RunResult) -> str:
    """The prepared environment: its name, short digest and what was found in it; or nothing."""
    digest = escape.code(result.spec.environment[:12])
    if not result.environment:
        return digest
    name, *facts = result.environment
    shown = [escape.inline(fact, 200) for fact in facts[:MOST_FACTS]]
    if len(facts) > MOST_FACTS:
        shown.append(f"and {len(facts) - MOST_FACTS} more")
    titled = escape.code(name, _NAME) + (f" ({digest})" if digest else "")
    return f"{titled}: {', '.join(shown)}" if shown else titled


def render_refused_hosts(result: RunResult) -> str:
    """The line that must not be missed where hosts were asked for in vain; empty if none was."""
    counts = [(len(_refused(result, arm)), WORDS[arm].phrase) for arm in result.spec.arms]
    if not any(count for count, _ in counts):
        return ""
    shown = ", ".join(f"{count} {phrase}" for count, phrase in counts)
    return (
        f"⚠️ **Hosts were refused**: {shown}. What a "
        "session wanted from them it had to do without; they are listed below."
    )


def hosts_part(result: RunResult, context: ReportContext) -> Part:
    """Every host that a session asked for in vain, by arm, with the reason."""
    blocks = [
        f"- {WORDS[arm].title}: {escape.inline(refusal, 400)}"
        for arm in result.spec.arms
        for refusal in _refused(result, arm)
    ]
    before, after = details(
        f"Hosts that were refused ({numbers.plural(len(blocks), 'entry', 'entries')})"
    )
    return Blocks(
        blocks=blocks,
        note=f"*Shortened; all of them are {context.rest}.*",
        before=before,
        after=after,
    )


def _refused(result: RunResult, arm: Arm) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            refusal
            for session in result.sessions
            if session.arm is arm
            for refusal in session.refused_hosts
        )
    )


def _either(told: Iterable[str]) -> str:
    """What the sessions say of themselves; with two answers the run is void, and says why."""
    return " or ".join(escape.code(value, 40) for value in dict.fromkeys(told) if value)
