"""Finds eval cases: in an issue, in the repository's eval files, beside a skill.

The first source that has a prompt, a skill and assertions wins whole; nothing is merged.
Where none has, the refusal says what each of them lacks. Two cases that bear one id are a
clash, which is reported and never decided by the names of files.
"""

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from jobs.content.draft import CaseDraft
from jobs.content.file_cases import (
    SKILL_EVALS,
    BrokenCase,
    drafts_from_file,
    drafts_from_skill,
)
from jobs.content.issue_case import draft_from_issue, issue_eval_id
from jobs.content.make_case import make_case
from jobs.content.shelf import SkillShelf
from jobs.content.skill_names import settle_names
from jobs.content.skills import skill_path
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted
from jobs.errors import Refused
from jobs.ports import Issue
from jobs.values import EvalCase

_ISSUE_NUMBER = re.compile(r"#?(\d{1,10})")


def find_case(
    eval_id: str,
    snapshot: Snapshot,
    shelf: SkillShelf,
    issue: Issue | None = None,
    *,
    skill: str | None = None,
) -> EvalCase:
    """The eval case with this id; `issue` is asked first where the case is its own.

    Ids may be typed as `21` or `#21` for an issue, and with any way to a skill before the `#`.
    Where a `skill` is named, an id of its own `evals.json` needs nothing before it.
    Raises `Refused`, saying exactly what is missing, which ids are near, or which two are meant.
    """
    wanted = _tidy_id(eval_id, shelf)
    if skill is not None and shelf.knows(skill):
        wanted = _id_beside_skill(eval_id, wanted, _Look(snapshot, shelf, issue), skill)
    incomplete: list[CaseDraft] = []
    for found in _sources(wanted, _Look(snapshot, shelf, issue)):
        if len(found) > 1:
            raise Refused(_clash(wanted, [_place(one) for one in found]))
        for draft in found:
            if isinstance(draft, BrokenCase):
                raise Refused(f"The eval case {quoted(wanted)} cannot be read: {draft.reason}")
            if not draft.missing():
                return make_case(draft, snapshot, shelf)
            incomplete.append(draft)
    if incomplete:
        raise Refused(_why_incomplete(incomplete, shelf))
    raise Refused(_unknown(wanted, snapshot, shelf))


def all_cases(snapshot: Snapshot, shelf: SkillShelf) -> list[EvalCase | BrokenCase]:
    """Every eval case that the commit holds, and those that cannot be run, with the reason."""
    drafts = list(_all_drafts(snapshot, shelf))
    places: defaultdict[str, list[str]] = defaultdict(list)
    for draft in drafts:
        places[draft.id].append(_place(draft))
    cases: list[EvalCase | BrokenCase] = []
    for draft in drafts:
        if isinstance(draft, BrokenCase):
            cases.append(draft)
            continue
        path = draft.own_path or draft.place
        try:
            if len(places[draft.id]) > 1:
                raise Refused(_clash(draft.id, places[draft.id]))  # noqa: TRY301
            if draft.missing():
                raise Refused(_why_incomplete([draft], shelf))  # noqa: TRY301
            cases.append(make_case(draft, snapshot, shelf))
        except Refused as refusal:
            cases.append(BrokenCase(draft.id, path, str(refusal)))
    return cases


def _tidy_id(eval_id: str, shelf: SkillShelf) -> str:
    """An id as it is written in the sources."""
    bare = eval_id.strip().strip("`")
    if match := _ISSUE_NUMBER.fullmatch(bare):
        return issue_eval_id(int(match[1]))
    folder, mark, own = bare.rpartition("#")
    if mark and folder and shelf.knows(folder):
        return f"{shelf.find(folder).path}#{own}"
    return bare


class _Look(NamedTuple):
    """Where a case is looked for."""

    snapshot: Snapshot
    shelf: SkillShelf
    issue: Issue | None


def _id_beside_skill(typed: str, wanted: str, look: _Look, skill: str) -> str:
    """The id as the skill's own file has it, where it has one; else the id that is wanted.

    Raises `Refused` where another case for the same skill bears the short id, too.
    """
    path = look.shelf.find(skill).path
    own = f"{path}#{typed.strip().strip('`')}"
    if own == wanted or own not in {one.id for one in drafts_from_skill(look.snapshot, path)}:
        return wanted
    for draft in chain.from_iterable(_sources(wanted, look)):
        if isinstance(draft, BrokenCase) or draft.missing():
            continue
        names, _ = settle_names(draft.skills, look.shelf)
        if any(look.shelf.knows(name) and look.shelf.find(name).path == path for name in names):
            raise Refused(
                f"{quoted(typed)} may mean {quoted(own)} or {quoted(wanted)}, and both are for "
                f"the skill {quoted(path)}; write the whole id."
            )
    return own


def _sources(eval_id: str, look: _Look) -> Iterator[list[CaseDraft | BrokenCase]]:
    """What each source has under an id, in the order of precedence."""
    snapshot, shelf, issue = look
    if issue is not None and not issue.is_pull_request and eval_id == issue_eval_id(issue.number):
        yield [draft_from_issue(issue.number, issue.body)]
    yield [
        draft
        for path in _files_that_mention(eval_id, snapshot, shelf)
        for draft in drafts_from_file(snapshot, path)
        if draft.id == eval_id
    ]
    folder, mark, _ = eval_id.rpartition("#")
    if mark:
        drafts = drafts_from_skill(snapshot, folder)
        yield [draft for draft in drafts if draft.id in {eval_id, folder}]


def eval_files(snapshot: Snapshot, shelf: SkillShelf) -> list[str]:
    """Paths of the files with eval cases, in the order of their names."""
    return sorted({path for glob in shelf.eval_globs for path in snapshot.glob(glob)})


def _files_that_mention(eval_id: str, snapshot: Snapshot, shelf: SkillShelf) -> Iterator[str]:
    """Files that can hold the id, by name or by content; the rest need not be parsed."""
    needles = [eval_id.encode("utf-8", "replace"), json.dumps(eval_id)[1:-1].encode()]
    named = {eval_id, eval_id.rpartition("#")[0]}
    for path in eval_files(snapshot, shelf):
        name = path.rpartition("/")[2].removesuffix(".json")
        try:
            content = b"" if name in named else snapshot.read_bytes(path)
            if name in named or any(needle in content for needle in needles):
                yield path
        except Refused:  # too large; of no concern to another case
            continue


def _all_drafts(snapshot: Snapshot, shelf: SkillShelf) -> Iterator[CaseDraft | BrokenCase]:
    for path in eval_files(snapshot, shelf):
        yield from drafts_from_file(snapshot, path)
    for skill in shelf.skills:
        yield from drafts_from_skill(snapshot, skill.path)


def _place(draft: CaseDraft | BrokenCase) -> str:
    return draft.place if isinstance(draft, CaseDraft) else quoted(draft.path)


def _clash(eval_id: str, places: list[str]) -> str:
    where = ", ".join(sorted(places))
    return (
        f"{len(places)} eval cases bear the id {quoted(eval_id)}: {where}. "
        "Give each an id of its own."
    )


def _why_incomplete(drafts: list[CaseDraft], shelf: SkillShelf) -> str:
    """What each source lacks; an issue that is no eval case at all is only worth a word."""
    lines = []
    for draft in drafts:
        missing = draft.missing()
        if draft.source != "issue" or len(missing) < 3:
            unread = f" Nothing reads its {', '.join(draft.near_keys)}." if draft.near_keys else ""
            lines.append(f"The eval case in {draft.place} lacks {_joined(missing)}.{unread}")
        elif len(drafts) == 1:
            lines.append(
                f"This issue is no eval case: it lacks {_joined(missing)}, and no eval file in "
                f"{listed(list(shelf.eval_globs))} has the id {quoted(draft.id)}."
            )
    near = [f"- {remark}" for one in drafts if one.source == "issue" for remark in one.remarks]
    return "\n".join([*lines, *near])


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _unknown(eval_id: str, snapshot: Snapshot, shelf: SkillShelf) -> str:
    known = [draft.id for draft in _all_drafts(snapshot, shelf)]
    near = difflib.get_close_matches(eval_id[:300], known, 3, 0.6)
    if near:
        hint = f" The nearest {'are' if len(near) > 1 else 'is'} {listed(near)}."
    elif known:
        hint = f" It has {len(known)}, such as {quoted(known[0])}."
    else:
        own = skill_path("<skill>", SKILL_EVALS)
        hint = f" It has none in {listed(list(shelf.eval_globs))} and none in `{own}`."
    return f"There is no eval case {quoted(eval_id)} at commit {snapshot.commit[:12]}.{hint}"
