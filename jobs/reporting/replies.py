"""The short answers: refusals, duplicates, nothing to do, failures.

Pure functions that give one comment each. A failure shows a run id and never the text of
an exception, which may hold anything.
"""

from collections.abc import Iterator, Sequence

from jobs.judging.judges import judged_by
from jobs.planning.dedup import Duplicate, kept
from jobs.reporting import escape
from jobs.reporting.arm_words import score_words
from jobs.reporting.fit import Blocks, fit
from jobs.requests import Request


def render_refusal(reason: str, *, mention: str) -> str:
    """The request cannot be carried out; `reason` is the text of a `UserError`."""
    return (
        f"🚫 **Not started:** {escape.message(escape.clip(reason, 8_000))}\n\n"
        f"{_help_line(mention)}\n"
    )


def render_duplicate(duplicate: Duplicate, *, mention: str, request: Request | None = None) -> str:
    """The same was measured before: where, with which model, and how to measure it anyway.

    `request` is what was asked for; without it the command to ask again has no options.
    """
    spec = duplicate.spec
    about = f"{escape.code(spec.eval_case.id, 80)} with {escape.code(spec.skill.name, 80)}"
    url = escape.address(duplicate.url)
    report = f"[the report]({url})" if url else "the ledger, whose report has no address"
    score = score_words(duplicate.score)
    lines = [
        f"⏭️ **Measured before**: {about} at {escape.code(spec.skill.sha[:12])} "
        f"on {escape.code(duplicate.model, 80)}. See {report}" + (f": {score}." if score else "."),
    ]
    if not duplicate.same_model:
        lines.append(
            f"The recorded model is {escape.code(duplicate.model, 80)}; you asked for "
            f"{escape.code(spec.model.sent, 80)}. The two names count as one model here, "
            "because they differ only in case, dots, dashes, blanks or a vendor's prefix. "
            "If they are two models, measure anyway."
        )
    if request and request.judge and duplicate.run and duplicate.judge != kept(judged_by(spec)):
        rejudge = f"{mention} rejudge {duplicate.run} --judge {request.judge}"
        lines.append(
            f"It was judged by {escape.code(duplicate.judge, 80)}. To have the same outputs "
            f"judged by {escape.code(judged_by(spec), 200)}, without new sessions: "
            f"{escape.code(rejudge, 500)}."
        )
    words = [mention, "run", spec.model.sent, *(_options(request) if request else ()), "--force"]
    again = escape.code(" ".join(words), 500)
    lines.append(f"To measure it again: {again}.")
    return "\n\n".join(lines) + "\n"


def render_nothing_to_do(
    duplicates: Sequence[Duplicate],
    refusals: Sequence[tuple[str, str]],
    *,
    mention: str,
    request: Request | None = None,
    notes: Sequence[str] = (),
) -> str:
    """A plan without a run: all of it was measured before or cannot be run.

    `refusals` are (what was asked for, why not) in plain text, `notes` what whoever asked should
    know of what was meant.
    """
    blocks = [f"📝 {escape.message(escape.clip(note, 2_000))}" for note in notes]
    blocks += [
        render_duplicate(one, mention=mention, request=request).strip() for one in duplicates
    ]
    blocks += [
        f"🚫 {escape.code(title, 80)}: {escape.message(escape.clip(reason, 2_000))}"
        for title, reason in refusals
    ]
    if not blocks:
        blocks = ["No skill and no model is left to measure."]
    parts = [Blocks(blocks, "*Shortened.*", between="\n\n")]
    return fit(["### Nothing to run"], parts, [_help_line(mention)]) + "\n"


def render_failure(run_id: str, *, mention: str, retry: str = "") -> str:
    """Something of ours broke. `retry` is the command that asks the same again."""
    again = f" To try again, comment {escape.code(retry, 200)}." if retry else ""
    return (
        f"❌ **This failed on our side**, and nothing was counted.{again} If it fails again, "
        f"give the operator of this bot the id {escape.code(run_id, 80)}.\n\n"
        f"{_help_line(mention)}\n"
    )


def render_platform_failure(reason: str, run_id: str, *, mention: str) -> str:
    """A platform failed for longer than we wait; `reason` says which, in our own words."""
    return (
        f"❌ **Stopped**: {escape.message(escape.clip(reason, 1_000))} Nothing was counted; ask "
        f"again later. Id for the operator: {escape.code(run_id, 80)}.\n\n{_help_line(mention)}\n"
    )


def _options(request: Request) -> Iterator[str]:
    """What narrowed the request or set its conditions: left out, another thing is measured."""
    named = {
        "--skill": request.skill,
        "--eval": request.eval_id,
        "--launcher": request.launcher,
        "--mode": request.mode,
        "--environment": request.environment,
        "--vs": request.vs,
        "--trials": str(request.trials) if request.trials else None,
        "--tier": request.tier,
    }
    for option, value in named.items():
        if value is not None:
            yield from (option, f'"{value}"' if " " in value else value)
    if request.until_sure:
        yield "--until-sure"


def _help_line(mention: str) -> str:
    return f"<sub>All commands: {escape.code(mention + ' help')}</sub>"
