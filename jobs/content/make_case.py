"""Makes an eval case of a draft: looks up what it names, and gives it its digest.

A prompt or an assertion that is nothing but a path stands for that file's text. What the
case names as prompt, rubric or expected output is withheld from every session, as is the
file the case stands in. Equal content gives an equal digest, whatever source or line ending
it came with.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from config.environments.definition import is_name
from config.repo_file import REPO_FILES
from jobs.checks.check import Check
from jobs.content.attachments import Attached, Barred, read_attachments
from jobs.content.check_files import read_checks
from jobs.content.draft import CaseDraft
from jobs.content.lookup import Lookup
from jobs.content.rubric import Statement
from jobs.content.sha import file_sha
from jobs.content.shelf import SkillShelf
from jobs.content.skill_names import settle_names
from jobs.content.snapshot import Snapshot
from jobs.content.text import quoted
from jobs.content.written_checks import find_check_problems
from jobs.errors import Refused
from jobs.values import Assertion, EvalCase

MAX_ASSERTIONS = 200
"""More than this is a slip: the judge reads each one for each candidate, twice."""


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a case, those of the files that it names in their place."""

    prompt: str
    expected_output: str
    statements: tuple[Statement, ...]


def make_case(draft: CaseDraft, snapshot: Snapshot, shelf: SkillShelf) -> EvalCase:
    """The eval case of a draft that lacks nothing.

    Raises `Refused`, naming all that is wrong at once: paths that lead nowhere, files that
    are no text or are empty, more assertions or attached bytes than a run may have.
    """
    lookup = Lookup(draft, snapshot)
    texts = _Texts(
        lookup.read_prompt(), lookup.read_expected_output(), tuple(lookup.read_statements())
    )
    if len(texts.statements) > MAX_ASSERTIONS:
        lookup.problems.append(
            f"it has {len(texts.statements)} assertions, and {MAX_ASSERTIONS} are the most"
        )
    lookup.problems += [*draft.check_problems, *find_check_problems(draft.checks)]
    environment = draft.environment.casefold()
    if environment and not is_name(environment):
        lookup.problems.append(
            f"its environment {quoted(draft.environment)} must be one name and nothing else, "
            f"as defined in `{REPO_FILES[0]}`"
        )
    should_load = read_should_load(draft.should_load)
    if should_load is None:
        lookup.problems.append(
            f"whether the skill should load must be `yes` or `no`, not {quoted(draft.should_load)}"
        )
    if lookup.problems:
        raise Refused(
            f"The eval case in {draft.place} cannot be run: {'; '.join(lookup.problems)}."
        )
    names, name_remarks = settle_names(draft.skills, shelf)
    barred = Barred(frozenset(lookup.withheld), _skill_folders(names, shelf))
    attached = read_attachments(draft.files, snapshot, draft.folders, barred)
    given = frozenset(file.source for file in attached.inputs)
    lookup.withhold_mentions(
        [texts.expected_output, *(one.text for one in texts.statements)], given
    )
    checks = read_checks(lookup, given)
    assertions = tuple(
        Assertion(id=f"A{number}", text=one.text, group=one.group)
        for number, one in enumerate(texts.statements, start=1)
    )
    return EvalCase(
        id=draft.id,
        prompt=texts.prompt,
        expected_output=texts.expected_output,
        assertions=assertions,
        checks=checks,
        inputs=attached.inputs,
        notes=attached.notes,
        language=draft.language,
        environment=environment or None,
        target_skills=tuple(names),
        withheld=tuple(sorted(lookup.withheld)),
        should_load=should_load is not False,
        source=draft.source,
        digest=_digest(draft, texts, attached, checks, lookup),
        remarks=(*draft.remarks, *name_remarks, *lookup.remarks, *attached.remarks),
    )


def read_should_load(written: str) -> bool | None:
    """Whether the skill is meant for the task; nothing written means yes, None: neither word."""
    word = written.casefold().rstrip(".!")
    if word in {"", "yes", "true"}:
        return True
    return False if word in {"no", "false"} else None


def _skill_folders(names: Sequence[str], shelf: SkillShelf) -> frozenset[str]:
    """The folders of the skills under test, as far as the commit knows them."""
    folders = set()
    for name in names:
        with suppress(Refused):  # the plan refuses an unknown one by name
            folders.add(shelf.find(name).path)
    return frozenset(folders)


def _digest(
    draft: CaseDraft, texts: _Texts, attached: Attached, checks: Sequence[Check], lookup: Lookup
) -> str:
    """SHA-256 over canonical JSON of everything that decides what is asked and scored.

    Not the skills: which one is tried is a part of the run, not of the case. Not the places
    of files either, so a case that moves with its files is the same case.
    """
    referenced = lookup.withheld - lookup.own
    fields: dict[str, object] = {
        "prompt": texts.prompt,
        "expected_output": texts.expected_output,
        "assertions": [[one.text, one.group] for one in texts.statements],
        "inputs": [[one.alias, one.sha256] for one in attached.inputs],
        "notes": list(attached.notes),
        "language": None if draft.language is None else draft.language.casefold(),
        "referenced": sorted(file_sha(f"{lookup.snapshot.root}/{path}") for path in referenced),
        "checks": [
            [one.command, [[file.path, file.sha256] for file in one.files]] for one in checks
        ],
        "environment": draft.environment.casefold(),
    }
    if read_should_load(draft.should_load) is False:  # as digests were before one could say so
        fields["should_load"] = False
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
