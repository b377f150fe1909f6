"""32 real cases: written as issues, read back, and made files again.

What comes back differently is what an earlier importer got wrong; the table says what and why.
"""

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from jobs.content.issue_case import draft_from_issue
from jobs.content.markdown import plain_text
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import extract_tarball
from jobs.sync.case_file import case_fields, render_case_file
from jobs.sync.outcomes import find_left_behind, find_outcomes
from tests.builders import an_issue
from tests.jobs.sync.bodies import render_issue

ARCHIVE = Path(__file__).parents[4] / "shared" / "data" / "pharma" / "pharma-skills.tar.gz"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(
        not ARCHIVE.exists(), reason="the real skills repository is not beside this checkout"
    ),
]

HAND_NUMBERS = {74: "assertions", 107: "assertions"}
"""Numbers typed before each assertion, one after a lone dot, were taken for its text."""
NO_FILES = {21: "files", 128: "files"}
"""`none` and `N/A` were taken for the name of a file."""
CUT_AT_COMMAS = dict.fromkeys((169, 171, 173, 175), "files")
"""A sentence that says there are no files was cut at its comma, and its first half is none."""
CODE_BLOCKS = {126: "files", 133: "files"}
"""Lines of a code block became files each; among bullets the mark of its end is no item."""
DIFFERS = HAND_NUMBERS | NO_FILES | CUT_AT_COMMAS | CODE_BLOCKS


@cache
def real_files() -> dict[int, bytes]:
    """The eval files by the number of their issue."""
    found = {}
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            name = member.name.rpartition("/")[2]
            if "/_automation/evals/github-issue-" in member.name:
                stream = archive.extractfile(member)
                assert stream is not None
                found[int(name.removesuffix(".json").rpartition("-")[2])] = stream.read()
    return found


def again(number: int, case: dict[str, Any]) -> dict[str, Any]:
    """The fields that a sync makes of the case as an issue."""
    draft = draft_from_issue(number, render_issue(case))
    return case_fields(draft, [plain_text(line) for line in draft.skills])


def test_fields_come_back_as_they_were_but_for_what_an_importer_got_wrong() -> None:
    assert len(real_files()) == 32
    for number, content in real_files().items():
        case = json.loads(content)
        fields = again(number, case)
        assert list(fields) == list(case), number
        differs = {name for name in case if case[name] != fields[name]}
        assert differs == ({DIFFERS[number]} if number in DIFFERS else set()), number


def test_a_list_loses_only_what_is_no_entry_of_it() -> None:
    for number, name in DIFFERS.items():
        case = json.loads(real_files()[number])
        before, after = case[name], again(number, case)[name]
        if number in HAND_NUMBERS:
            assert len(before) == len(after)
            assert all(old.endswith(new) for old, new in zip(before, after, strict=True))
        else:
            assert [line for line in before if line in after] == after


def test_a_file_that_says_the_same_is_unchanged_however_it_is_spelt() -> None:
    for number, content in real_files().items():
        case = json.loads(content)
        assert render_case_file(case, content) is None, number


def test_new_files_are_written_byte_for_byte_like_the_newest_real_ones() -> None:
    """The others lack the end of the last line, or spell letters as escapes."""
    written = {number: _write(content) for number, content in real_files().items()}
    same = {number for number, content in real_files().items() if written[number] == content}
    assert {124, 141, 165, 175} <= same
    assert len(same) == 16
    for number in real_files().keys() - same:
        content = real_files()[number]
        assert not content.endswith(b"\n") or b"\\u" in content, number


def test_a_changed_file_keeps_its_spelling() -> None:
    for number, content in real_files().items():
        case = json.loads(content)
        changed = render_case_file({**case, "prompt": case["prompt"] + " Ö"}, content)
        assert changed is not None
        back = render_case_file(case, changed.encode())
        assert back is not None
        assert back.encode() == content, number


def test_a_sync_of_the_issues_repairs_the_files_and_skips_what_is_no_case(tmp_path: Path) -> None:
    """124 names files that were never written; the last four have no assertions."""
    extract_tarball(ARCHIVE, tmp_path / "tree")
    snapshot = Snapshot(tmp_path / "tree", "f255538", "pharma-skills")
    issues = [
        an_issue(number=number, body=render_issue(json.loads(content)))
        for number, content in sorted(real_files().items())
    ]
    found = find_outcomes(issues, "_automation/evals", snapshot, find_skills(snapshot))
    words = {one.issue.number: one for one in found}
    skipped = {number for number, one in words.items() if one.word == "skipped"}
    assert skipped == {124, 126, 139, 148, 149}
    changed = {number for number, one in words.items() if one.word == "changed"}
    assert changed == set(DIFFERS) - skipped
    assert {one.word for one in found} == {"changed", "skipped", "unchanged"}
    strangers = {number for number, one in words.items() if "no skill" in " ".join(one.remarks)}
    assert strangers == {128, 174}
    assert find_left_behind(issues[1:], "_automation/evals", snapshot) == ["github-issue-2.json"]


def _write(content: bytes) -> bytes:
    written = render_case_file(json.loads(content), None)
    assert written is not None
    return written.encode()
