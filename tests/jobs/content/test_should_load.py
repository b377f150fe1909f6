"""An eval case can say that the skill is not meant for its task."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.content.draft import CaseDraft
from jobs.content.file_cases import BrokenCase, drafts_from_file
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.skills import find_skills
from jobs.errors import Refused
from jobs.sync.case_file import case_fields
from jobs.usual_modes import find_usual_mode
from jobs.values import EvalCase
from tests.builders import an_eval_case
from tests.jobs.content.test_case_environment import BODY, DIGEST_WITHOUT, DRAFT
from tests.jobs.content.trees import WORD_COUNT, write_tree


def make(folder: Path, draft: CaseDraft) -> EvalCase:
    snapshot = write_tree(folder, {"word-count/SKILL.md": WORD_COUNT})
    return make_case(draft, snapshot, find_skills(snapshot))


@pytest.mark.parametrize(
    ("section", "should_load"),
    [
        ("## Should load\nno\n", False),
        ("## Should load?\n\n- **No**\n", False),
        ("### Should Load (Optional):\n\n`false`.\n", False),
        ("## Should load\nyes\n", True),
        ("## Should load\n_No response_\n", True),
        ("", True),
    ],
)
def test_an_issue_says_it_in_a_section(tmp_path: Path, section: str, should_load: bool):
    case = make(tmp_path, draft_from_issue(7, BODY + section))
    assert case.should_load is should_load


@pytest.mark.parametrize("written", ["maybe", "no, it is about charts"])
def test_what_is_neither_yes_nor_no_is_named(tmp_path: Path, written: str):
    """A guess would turn the whole measurement round."""
    with pytest.raises(Refused, match="must be `yes` or `no`") as refused:
        make(tmp_path, draft_from_issue(7, f"{BODY}## Should load\n{written}\n"))
    assert written in str(refused.value)


@pytest.mark.parametrize(
    ("value", "should_load"), [(False, False), ("no", False), (True, True), (None, True)]
)
def test_json_says_it_with_a_key(tmp_path: Path, value: object, should_load: bool):
    case = {"id": "a", "prompt": "Count.", "assertions": ["42"], "target_skills": ["word-count"]}
    text = json.dumps(case | {"should_load": value})
    snapshot = write_tree(tmp_path, {"a.json": text, "word-count/SKILL.md": WORD_COUNT})
    [draft] = drafts_from_file(snapshot, "a.json")
    assert isinstance(draft, CaseDraft)
    assert make_case(draft, snapshot, find_skills(snapshot)).should_load is should_load


@pytest.mark.parametrize("value", [0, ["no"], {"no": True}])
def test_json_of_another_type_breaks_its_own_case_alone(tmp_path: Path, value: object):
    case = {"id": "a", "prompt": "Count.", "assertions": ["42"], "should_load": value}
    [draft] = drafts_from_file(write_tree(tmp_path, {"a.json": json.dumps(case)}), "a.json")
    assert isinstance(draft, BrokenCase)
    assert "`should_load`" in draft.reason


def test_only_a_skill_that_shall_not_load_makes_another_digest(tmp_path: Path):
    """What was measured before one could say so stays what it was."""
    assert make(tmp_path / "1", replace(DRAFT, should_load="yes")).digest == DIGEST_WITHOUT
    assert make(tmp_path / "2", replace(DRAFT, should_load="no")).digest != DIGEST_WITHOUT


def test_a_file_made_of_an_issue_says_so_too():
    dormant = draft_from_issue(7, f"{BODY}## Should load\nno\n")
    assert case_fields(dormant, ["word-count"])["should_load"] is False
    assert "should_load" not in case_fields(draft_from_issue(7, BODY), ["word-count"])


def test_where_nobody_names_a_mode_it_is_one_in_which_an_agent_may_choose():
    assert find_usual_mode("api", an_eval_case()) == "forced"
    assert find_usual_mode("api", an_eval_case(should_load=False)) == "installed"
    assert find_usual_mode("claude-code", an_eval_case()) == "installed"
