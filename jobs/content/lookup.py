"""Puts the texts of files in the place of their paths, and notes which files a case gives away.

What cannot be found or read is collected rather than raised, so that one reply names it all.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from jobs.content.draft import CaseDraft
from jobs.content.paths import MENTION, find_named_file, find_path_only, looks_like_path
from jobs.content.rubric import Statement, parse_rubric
from jobs.content.snapshot import Snapshot
from jobs.content.text import quoted, without_blank_edges
from jobs.errors import Refused

MAX_MENTIONS = 2_000
"""Words with a slash that are looked up in the commit, since each costs a look at the disk."""
RESOURCE_FOLDERS = frozenset({"scripts", "references", "assets"})
"""What agentskills.io gives a skill to work with: a case that mentions it asks for its use."""

_OUTPUT = re.compile(r"^(?:\./)?outputs?/")


@dataclass(slots=True)
class Lookup:
    """One case's look at one commit."""

    draft: CaseDraft
    snapshot: Snapshot
    withheld: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    """The file that holds the case: withheld, but no part of what the case says."""

    def __post_init__(self) -> None:
        if self.draft.own_path is not None:
            real = self.snapshot.find_file(self.draft.own_path)
            self.own.add(self.draft.own_path if real is None else self.snapshot.path_of(real))
            self.withheld |= self.own

    def read_prompt(self) -> str:
        """The prompt, or the text of the file that it names and says nothing besides."""
        written = self.draft.prompt
        file = self._find(written)
        if file is not None:
            return self._read(file, "prompt")
        if looks_like_path(written):
            self._miss(written, "prompt")
        return written

    def read_expected_output(self) -> str:
        """The expected output; a file that is no text is withheld, and named to the judge."""
        written = self.draft.expected_output
        file = self._find(written)
        if file is None:
            return written
        path = self.snapshot.path_of(file)
        self.withheld.add(path)
        try:
            return without_blank_edges(self.snapshot.read_text(path))
        except Refused:
            self.remarks.append(
                f"The expected output {quoted(path)} is no text; the judge knows only its name."
            )
            return written

    def read_statements(self) -> list[Statement]:
        """The assertions; a rubric file stands for its list items."""
        found: list[Statement] = []
        for statement in self.draft.statements:
            file = self._find(statement.text)
            if file is not None:
                items = parse_rubric(text) if (text := self._read(file, "rubric")) else []
                if text and not items:
                    path = quoted(self.snapshot.path_of(file))
                    self.problems.append(f"the rubric file {path} holds no list items")
                found += items
            elif looks_like_path(statement.text) and not _OUTPUT.match(statement.text):
                self._miss(statement.text, "rubric")
            else:
                found.append(statement)
        return found

    def withhold_mentions(self, texts: list[str], inputs: frozenset[str]) -> None:
        """Withhold the files that an expected output or an assertion points to.

        Not those that are inputs, and not what a skill is made of to be used.
        """
        left = MAX_MENTIONS
        for text in texts:
            for match in MENTION.finditer(text):
                if "/" not in match[0]:
                    continue
                left -= 1
                if left < 0:
                    return
                file = find_named_file(match[0], self.snapshot, self.draft.folders)
                if file is None:
                    continue
                path = self.snapshot.path_of(file)
                parts = path.split("/")
                is_resource = parts[-1] == "SKILL.md" or RESOURCE_FOLDERS.intersection(parts[:-1])
                if path not in inputs and not is_resource:
                    self.withheld.add(path)

    def _find(self, written: str) -> Path | None:
        return find_path_only(written, self.snapshot, self.draft.folders)

    def _read(self, file: Path, role: str) -> str:
        path = self.snapshot.path_of(file)
        self.withheld.add(path)
        try:
            text = without_blank_edges(self.snapshot.read_text(path))
        except Refused as refusal:
            self.problems.append(str(refusal).rstrip("."))
            return ""
        if not text:
            self.problems.append(f"the {role} file {quoted(path)} is empty")
        return text

    def _miss(self, written: str, role: str) -> None:
        self.problems.append(
            f"its {role} is only the path {quoted(written.strip())}, and there is no such file "
            f"at commit {self.snapshot.commit[:12]}"
        )
