"""Is this issue a good eval case: what is missing, what cannot be verified, what tells nothing.

Looks at the issue as it stands, at the newest commit, and at what past runs of the very same case
have found. Nothing is run.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from jobs.carrying_out import find_head, open_snapshot
from jobs.content.cases import find_case
from jobs.content.issue_case import draft_from_issue, issue_eval_id
from jobs.content.repo_file import load_repo_file
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills, skill_path
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from jobs.inquiries.assertion_faults import Fault, find_faults
from jobs.inquiries.machine_words import find_check_faults, tell_machine
from jobs.inquiries.past_verdicts import find_past, to_faults
from jobs.inquiries.words import in_code
from jobs.inquiries.world import InquiryWorld
from jobs.ports import Issue
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, fit
from jobs.requests import Request
from jobs.values import EvalCase
from jobs.weak_evals.past_runs import WeakEval

SHOWN = 120
"""Characters of an assertion that a row repeats."""
REASON = 400
"""Characters of why a skill cannot be used."""


class _Looked(NamedTuple):
    """What the commit and the issue give."""

    case: EvalCase | None
    refusal: str
    missing: tuple[str, ...]
    faults: tuple[Fault, ...]


async def answer_lint(request: Request, world: InquiryWorld) -> str:
    """What keeps the case from being run, then what makes its score worth less."""
    place = world.place
    issue = await place.github.issue(request.issue)
    async with open_snapshot(request, await find_head(place), place) as snapshot:
        looked = await asyncio.to_thread(_look, issue, snapshot)
    past = await find_past(looked.case, request.repo, place) if looked.case else None
    canaries = _tell_canaries(past, on=world.repo_file.canaries)
    return _render(looked, [*looked.faults, *to_faults(past)], canaries, world.mention)


def _look(issue: Issue, snapshot: Snapshot) -> _Looked:
    shelf = find_skills(snapshot, load_repo_file(snapshot))
    draft = draft_from_issue(issue.number, issue.body)
    try:
        case = find_case(issue_eval_id(issue.number), snapshot, shelf, issue)
    except Refused as refusal:
        return _Looked(None, str(refusal), tuple(draft.missing()), ())
    texts, unknown = _skill_texts(case, shelf, snapshot)
    if unknown and not texts:
        return _Looked(None, "\n".join(unknown), (), ())
    faults = [
        Fault("case", escape.sentence(reason, REASON), "nothing is run with it; name another")
        for reason in unknown
    ]
    faults += find_faults(case.assertions, case.prompt, texts)
    faults += find_check_faults(case.checks)
    return _Looked(case, "", (), tuple(faults))


def _skill_texts(
    case: EvalCase, shelf: SkillShelf, snapshot: Snapshot
) -> tuple[list[str], list[str]]:
    """The SKILL.md of each skill that the case names, and why others cannot be used."""
    texts, unknown = [], []
    for name in case.target_skills:
        try:
            texts.append(snapshot.read_text(skill_path(shelf.find(name).path, "SKILL.md")))
        except Refused as refusal:
            unknown.append(str(refusal))
    return texts, unknown


def _tell_canaries(past: WeakEval | None, *, on: bool) -> str:
    """Whether false answers to the case were read, and what came of it."""
    check = past.canaries if past else None
    if check is None:
        when = "before its first result counts" if on else "never: this repository keeps it off"
        return f"Canaries: no false answers to this version were read yet; that is done {when}."
    passed = len(check.passed_assertions)
    counted = f"{passed} of" if passed else "none of"
    return (
        f"Canaries: false answers pass {counted} "
        f"{numbers.plural(len(check.assertions), 'assertion')}, as {in_code(check.judge, 80)} "
        "reads them."
    )


def _render(looked: _Looked, faults: Sequence[Fault], canaries: str, mention: str) -> str:
    case = looked.case
    if case is None:
        reason = escape.message(escape.clip(looked.refusal, 8_000))
        return (
            f"### 🧹 Lint: this issue cannot be run as it is\n\n{reason}\n\n"
            f"<sub>Once that is mended, {escape.code(mention + ' lint')} looks at the "
            "assertions.</sub>"
        )
    weak = len({fault.where for fault in faults})
    remarks = [f"- {escape.message(remark)}" for remark in case.remarks]
    facts = (
        f"{escape.code(case.id)}: {numbers.plural(len(case.assertions), 'assertion')}, "
        f"{numbers.plural(len(case.inputs), 'input file')}, "
        f"{numbers.plural(len(case.target_skills), 'skill')}; "
        + ("from this issue." if case.source == "issue" else "from a file of the repository.")
    )
    head = (
        f"### 🧹 Lint: can be run, {numbers.plural(weak, 'place')} to look at"
        if weak or remarks
        else "### 🧹 Lint: a good eval case"
    )
    texts = {one.id: one.text for one in case.assertions}
    texts |= {one.id: one.command for one in case.checks}
    rows = [_row(fault, texts) for fault in faults]
    table = "| | What | What to do |\n|:--|:--|:--|\n"
    parts = [
        Blocks(rows, "*Shortened.*", before=table),
        Blocks(remarks, "*Shortened.*", before="**Also:**\n\n"),
    ]
    note = (
        "<sub>Rules of thumb from the words of the assertions, and what canaries and past runs of "
        "this very version of the case showed; you decide.</sub>"
    )
    top = [head, facts, tell_machine(case), canaries]
    return fit(top, parts, [note if rows else ""])


def _row(fault: Fault, texts: dict[str, str]) -> str:
    text = escape.inline(texts.get(fault.where, ""), SHOWN)
    what = f"{fault.what}<br><sub>{text}</sub>" if text else fault.what
    return f"| {fault.where} | {what} | {fault.advice} |"
