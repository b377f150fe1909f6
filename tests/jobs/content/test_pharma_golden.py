"""A real repository: what the earlier runner computed, and what a person would say of each case.

The table is what one expects who reads the cases; the numbers come from the earlier runner.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from jobs.content.cases import all_cases, find_case
from jobs.content.file_cases import BrokenCase
from jobs.content.sha import legacy_sha
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import extract_tarball
from jobs.errors import Refused
from jobs.values import EvalCase

SHARED = Path(__file__).parents[4] / "shared" / "data" / "pharma"
ARCHIVE = SHARED / "pharma-skills.tar.gz"
GOLDEN = SHARED / "golden.json"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(
        not ARCHIVE.exists(), reason="the real skills repository is not beside this checkout"
    ),
]

NO_ASSERTIONS = {126, 139, 148, 149}
"""Their lists of assertions came out empty when they were cut from their issues."""
PATHS_TO_NOTHING = {124}
"""Prompt and rubric are paths of files that were planned and never written."""
SKILL_ELSEWHERE = {128, 174}
"""They are for a skill that this repository does not hold."""
RUNNABLE = {
    2, 21, 22, 23, 27, 36, 37, 38, 39, 60, 69, 74, 103, 107, 113,
    133, 137, 141, 165, 166, 167, 169, 171, 173, 175,
}  # fmt: skip
WITH_PROSE = {133, 141, 165, 166, 167, 169, 173, 174, 175}
"""What they say under files is about packages, shown data or a condition: text for the task."""
WITH_TITLES = {165, 166, 167, 169, 171, 173, 174, 175}
"""Titles of groups have become assertions in them; a reader should know."""


def number(eval_id: str) -> int:
    return int(eval_id.rpartition("-")[2])


@cache
def golden() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> SkillShelf:
    root = tmp_path_factory.mktemp("pharma") / "tree"
    extract_tarball(ARCHIVE, root)
    return find_skills(Snapshot(root, "f255538", "pharma-skills"))


@pytest.fixture(scope="module")
def cases(shelf: SkillShelf) -> dict[int, EvalCase | BrokenCase]:
    return {number(case.id): case for case in all_cases(shelf.snapshot, shelf)}


def runnable(case: EvalCase | BrokenCase | None) -> EvalCase:
    assert isinstance(case, EvalCase), case
    return case


def test_seven_skills_are_found_three_of_them_by_two_paths(shelf: SkillShelf):
    assert [skill.path for skill in shelf.skills] == [
        "admiral",
        "admiral/admiral-adae",
        "admiral/admiral-adsl",
        "admiral/admiral-bds",
        "clinical-trial-simulation",
        "group-sequential-design",
        "sdtm-oak",
    ]
    assert len(shelf.aliases) == 3
    assert shelf.broken == {}
    assert [skill.warnings for skill in shelf.skills] == [()] * 7


def test_legacy_shas_of_all_folders_equal_the_golden_ones(shelf: SkillShelf):
    expected = golden()["legacy_sha_by_skill_folder"]
    assert len(expected) == 10
    for folder, sha in expected.items():
        assert legacy_sha(shelf.snapshot, folder) == sha, folder
        assert shelf.find(folder).legacy_sha == sha, folder


def test_each_of_the_32_cases_is_runnable_or_refused_as_a_person_would(
    shelf: SkillShelf, cases: dict[int, EvalCase | BrokenCase]
):
    assert set(cases) == RUNNABLE | NO_ASSERTIONS | PATHS_TO_NOTHING | SKILL_ELSEWHERE
    assert len(cases) == 32
    for one in NO_ASSERTIONS:
        broken = cases[one]
        assert isinstance(broken, BrokenCase)
        assert "lacks assertions" in broken.reason
        assert f"`_automation/evals/github-issue-{one}.json`" in broken.reason
    for one in PATHS_TO_NOTHING:
        broken = cases[one]
        assert isinstance(broken, BrokenCase)
        for name in ("prompt.md", "rubric.md"):
            assert f"`admiral-adsl/benchmarks/basic-two-arm/{name}`" in broken.reason
    for one in SKILL_ELSEWHERE:
        [written] = runnable(cases[one]).target_skills
        with pytest.raises(Refused, match=r"`r2rtf` is not in this repository.*`sdtm-oak`"):
            shelf.find(written)
    for one in RUNNABLE:
        assert all(shelf.find(name) for name in runnable(cases[one]).target_skills)


def test_skills_languages_and_numbers_of_assertions_equal_the_golden_ones(
    shelf: SkillShelf, cases: dict[int, EvalCase | BrokenCase]
):
    compared = 0
    for expected in golden()["evals"]:
        case = cases[number(expected["id"])]
        if isinstance(case, BrokenCase):
            continue
        assert case.id == expected["id"]
        assert len(case.assertions) == expected["assertions"], case.id
        assert case.language == expected["language"], case.id
        assert case.target_skills == (expected["skill"],), case.id
        if expected["skill_found"]:
            assert shelf.find(expected["skill"]).legacy_sha == expected["legacy_sha"], case.id
        compared += 1
    assert compared == len(RUNNABLE | SKILL_ELSEWHERE)


def test_nothing_that_is_no_file_is_staged_and_only_prose_goes_into_the_task(
    cases: dict[int, EvalCase | BrokenCase],
):
    read = [case for case in cases.values() if isinstance(case, EvalCase)]
    assert not any(case.inputs for case in read)
    assert {number(case.id) for case in read if case.notes} == WITH_PROSE
    assert runnable(cases[133]).notes[0].endswith("```tsv\nhr\n0.1\n1.5\n10.0\n100.0\n1000.0\n```")
    for one in (169, 173, 175):
        assert runnable(cases[one]).notes[0].endswith("sample size cap.")
        assert "all parameters" not in runnable(cases[one]).notes[0]
    assert all(case.withheld == (f"_automation/evals/{case.id}.json",) for case in read)


def test_titles_that_became_assertions_are_kept_and_remarked_upon(
    cases: dict[int, EvalCase | BrokenCase],
):
    read = [case for case in cases.values() if isinstance(case, EvalCase)]
    remarked = {
        number(case.id) for case in read if any("titles of groups" in one for one in case.remarks)
    }
    assert remarked == WITH_TITLES
    for one in WITH_TITLES:
        case = runnable(cases[one])
        assert case.assertions[0].id in case.remarks[0]


def test_a_list_that_was_numbered_by_hand_loses_its_numbers(
    cases: dict[int, EvalCase | BrokenCase],
):
    for one in (107, 74):
        assert not any(text.text[0] in ".0123456789" for text in runnable(cases[one]).assertions)


def test_each_case_is_found_by_its_number_with_the_same_digest(
    shelf: SkillShelf, cases: dict[int, EvalCase | BrokenCase]
):
    for one, case in cases.items():
        if isinstance(case, EvalCase):
            assert find_case(str(one), shelf.snapshot, shelf) == case
        else:
            with pytest.raises(Refused) as refusal:
                find_case(str(one), shelf.snapshot, shelf)
            assert str(refusal.value) == case.reason
    digests = {case.digest for case in cases.values() if isinstance(case, EvalCase)}
    assert len(digests) == len(RUNNABLE | SKILL_ELSEWHERE)
