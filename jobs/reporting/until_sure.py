"""What is said where trials, or eval cases, were added until it was sure: why it stopped, the rule.

The rule and its error rate stand in one line, beside the count that it was applied to. It claims a
direction and no size: what stops at its height is seen larger than it is.
"""

from collections.abc import Mapping

from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.results import RunResult
from jobs.sequential.look import Look
from jobs.sequential.stop import Why
from jobs.statistics.sequential import ALPHA, find_evidence, find_threshold
from jobs.values import RunSpec

MOST_EVIDENCE = 1_000
"""More is not told: it is certain enough to stop long before."""

RULE = (
    f"rule: an e-value of {find_threshold():.0f} in one direction, looked at after each; where "
    f"there is no difference one is claimed at most {ALPHA:.0%} of the time"
)
"""The rule in one line; `docs/until-sure.md` has the whole of it."""

_WHY: Mapping[Why, str] = {
    "futile": "stopped, since even if all of the rest pointed one way it would not be enough",
    "cap": "stopped at the most trials that were allowed",
    "money": "stopped by the limit of the run: another trial might have passed it",
    "rejudged": "sure by the judge before, and by this one no longer",
}


def render_until_sure(result: RunResult) -> str:
    """The line of a report, as Markdown; empty where a fixed number of trials was wanted.

    Of a run that lost a trial the reason why it has no score says all that there is to say.
    """
    stop = result.stopped
    if stop is None or stop.why == "lost":
        return ""
    done = f"{len(result.trials)} of at most {numbers.plural(stop.most, 'trial')}"
    tested, _ = words_of(result.spec)
    if stop.why in {"higher", "lower"}:
        said = f"🎯 sure after {done} that the score is {stop.why} {tested.phrase}"
    else:
        said = f"🤷 not sure after {done}; {_WHY[stop.why]}"
    counts = count_words(stop.wins, stop.ties, stop.losses)
    about = "This is about this one eval case and says nothing of others"
    return f"**Until sure** {said} ({counts}). *{about}; {RULE}.*"


def render_look(look: Look, spec: RunSpec, *, spared: int) -> str:
    """The line on a set of eval cases; `spared` are the runs that were never begun."""
    done = f"{look.most - look.left} of {numbers.plural(look.most, 'eval case')}"
    tested, _ = words_of(spec)
    if look.decision in {"higher", "lower"}:
        said = f"🎯 sure after {done} that scores are {look.decision} {tested.phrase}"
    elif look.left:
        said = f"🤷 not sure after {done}; {_WHY['futile']}"
    else:
        said = f"🤷 not sure after all of {numbers.plural(look.most, 'eval case')}"
    about = f"{escape.code(spec.skill.name, 80)} on {escape.code(spec.model.sent, 80)}"
    counts = count_words(look.wins, look.ties, look.losses)
    rest = f"; {numbers.plural(spared, 'run')} not needed" if spared else ""
    clusters = "eval cases with the same input files are one"
    return f"**Until sure** {about}: {said} ({counts}){rest}. *{clusters.capitalize()}; {RULE}.*"


def count_words(wins: int, ties: int, losses: int) -> str:
    """`8 wins, 1 tie, 0 losses; e-value 56.8`, that of the likelier direction."""
    evidence = max(find_evidence(wins, losses), find_evidence(losses, wins))
    shown = f"{evidence:.1f}" if evidence < MOST_EVIDENCE else f"over {MOST_EVIDENCE:,}"
    parts = [
        numbers.plural(wins, "win"),
        numbers.plural(ties, "tie"),
        numbers.plural(losses, "loss", "losses"),
    ]
    return f"{', '.join(parts)}; e-value {shown}"
