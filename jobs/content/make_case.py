"""Makes an eval case of a draft: looks up what it names, and gives it its digest.

A prompt or an assertion that is nothing but a path stands for that file's text. What the
case names as rubric, prompt or eval file is withheld from every session. Equal content
gives an equal digest, whatever source or line ending it came with.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from jobs.content.attachments import Attached, read_attachments
from jobs.content.draft import CaseDraft
from jobs.content.paths import find_path_only, looks_like_path
from jobs.content.rubric import Statement, parse_rubric
from jobs.content.sha import file_sha
from jobs.content.shelf import SkillShelf
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted, without_blank_edges
from jobs.errors import Refused
from jobs.values import Assertion, EvalCase

MAX_ASSERTIONS = 200
"""More than this is a slip: the judge reads each one for each candidate, twice."""


@dataclass(slots=True)
class _Lookup:
    """Texts read from files that the case names, and which files those were."""

    draft: CaseDraft
    snapshot: Snapshot
    withheld: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)

    def text(self, written: str) -> str:
        """The text itself, or that of the file which it names and says nothing besides."""
        file = find_path_only(written, self.snapshot, self.draft.folders)
        if file is None:
            if looks_like_path(written):
                self.unknown.append(written.strip())
            return written
        return self._read(file)

    def statements(self) -> list[Statement]:
        """The assertions; a rubric file stands for its list items."""
        found: list[Statement] = []
        for statement in self.draft.statements:
            file = find_path_only(statement.text, self.snapshot, self.draft.folders)
            if file is not None:
                path = self.snapshot.path_of(file)
                items = parse_rubric(self._read(file))
                if not items:
                    raise Refused(f"The rubric file {quoted(path)} holds no list items.")
                found += items
            elif looks_like_path(statement.text):
                self.unknown.append(statement.text.strip())
            else:
                found.append(statement)
        return found

    def _read(self, file: Path) -> str:
        path = self.snapshot.path_of(file)
        self.withheld.add(path)
        return without_blank_edges(self.snapshot.read_text(path))


def make_case(draft: CaseDraft, snapshot: Snapshot, shelf: SkillShelf) -> EvalCase:
    """The eval case of a draft that lacks nothing.

    Raises `Refused` for a path that leads nowhere, an empty file, or too many assertions.
    """
    lookup = _Lookup(draft, snapshot)
    prompt = lookup.text(draft.prompt)
    expected = lookup.text(draft.expected_output) if draft.expected_output else ""
    statements = lookup.statements()
    if lookup.unknown:
        raise Refused(
            f"The eval case in {draft.place} names {listed(lookup.unknown)} instead of a text, "
            f"but there is no such file at commit {snapshot.commit[:12]}."
        )
    if not prompt:
        raise Refused(f"The prompt file of the eval case in {draft.place} is empty.")
    if len(statements) > MAX_ASSERTIONS:
        raise Refused(
            f"The eval case in {draft.place} has {len(statements)} assertions; "
            f"{MAX_ASSERTIONS} is the most."
        )
    if draft.own_path is not None:
        lookup.withheld.add(draft.own_path)
    barred = frozenset(lookup.withheld)
    attached = read_attachments(draft.files, snapshot, draft.folders, barred)
    assertions = tuple(
        Assertion(id=f"A{number}", text=one.text, group=one.group)
        for number, one in enumerate(statements, start=1)
    )
    skills = tuple(_skill_names(draft, shelf))
    return EvalCase(
        id=draft.id,
        prompt=prompt,
        expected_output=expected,
        assertions=assertions,
        inputs=attached.inputs,
        notes=attached.notes,
        language=draft.language,
        target_skills=skills,
        withheld=tuple(sorted(lookup.withheld)),
        source=draft.source,
        digest=_digest(draft, (prompt, expected), assertions, attached, lookup),
        remarks=(*draft.remarks, *attached.remarks),
    )


def _skill_names(draft: CaseDraft, shelf: SkillShelf) -> list[str]:
    """Each skill in the reading that the commit knows, else as it was written."""
    return [
        next((reading for reading in readings if shelf.knows(reading)), readings[0])
        for readings in draft.skills
    ]


def _digest(
    draft: CaseDraft,
    texts: tuple[str, str],
    assertions: tuple[Assertion, ...],
    attached: Attached,
    lookup: _Lookup,
) -> str:
    """SHA-256 over canonical JSON of everything that decides what is asked and scored.

    Not the skills: which one is tried is a part of the run, not of the case.
    """
    referenced = sorted(lookup.withheld - {draft.own_path})
    fields = {
        "prompt": texts[0],
        "expected_output": texts[1],
        "assertions": [[one.text, one.group] for one in assertions],
        "inputs": [[one.alias, one.sha256] for one in attached.inputs],
        "notes": list(attached.notes),
        "language": draft.language,
        "referenced": [file_sha(f"{lookup.snapshot.root}/{path}") for path in referenced],
    }
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
