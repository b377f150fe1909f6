"""The short answers to a request to measure descriptions."""

import re

from jobs.reporting import escape
from jobs.reporting.fit import Blocks, fit
from jobs.triggering.plan import TriggerPlan
from jobs.triggering.record import TriggerRecord
from jobs.triggering.report import render_percent
from jobs.triggering.report_frame import render_command

_PLAIN_LINE = re.compile(r'[\w@ ./:=+"-]{1,500}')
"""A command that can stand in a fence as it is, to be copied."""


def render_confirmation(reason: str, line: str, *, mention: str) -> str:
    """It would cost more than a run may; `line` is the command that says yes to it."""
    to_copy = f"```\n{line}\n```" if _PLAIN_LINE.fullmatch(line) else escape.code(line, 600)
    return (
        f"✋ **Not started yet:** {escape.message(escape.clip(reason, 2_000))}\n\n{to_copy}\n\n"
        f"{_help_line(mention)}\n"
    )


def render_known(plan: TriggerPlan, *, mention: str) -> str:
    """A plan without a measurement: all of it was done before, or cannot be."""
    blocks = [_render_known(known, plan, mention) for known in plan.known]
    blocks += [
        f"🚫 {escape.code(one.title, 80)}: {escape.message(escape.clip(one.reason, 2_000))}"
        for one in plan.refused
    ]
    parts = [Blocks(blocks, "*Shortened.*", between="\n\n")]
    return fit(["### Nothing to measure"], parts, [_help_line(mention)]) + "\n"


def _render_known(known: TriggerRecord, plan: TriggerPlan, mention: str) -> str:
    url = escape.address(known.url)
    report = f"[the report]({url})" if url else "a report that has no address any more"
    found = f"accuracy {render_percent(known.scores.get('accuracy'))}"
    line = render_command(plan.request, mention, model=known.model, more="--force")
    return (
        f"⏭️ **Measured before**: {escape.code(known.skill, 80)} at "
        f"{escape.code(known.skill_sha[:12])} on {escape.code(known.model, 80)} with the same "
        f"queries, neighbours and options. See {report}: {found}.\n\n"
        f"To measure it again: {escape.code(line, 500)}."
    )


def _help_line(mention: str) -> str:
    return f"<sub>All commands: {escape.code(mention + ' help')}</sub>"
