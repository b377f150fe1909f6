"""The first source that is whole wins; what cannot be run says exactly why."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from jobs.content.cases import all_cases, find_case
from jobs.content.file_cases import BrokenCase
from jobs.content.skills import find_skills
from jobs.errors import Refused
from jobs.ports import Issue
from jobs.values import EvalCase
from tests.jobs.content.trees import WORD_COUNT, Content, a_skill, write_tree

BODY = (
    "## Skills\nword-count\n## Query\nfrom the issue\n"
    "## Rubric Criteria (Assertions)\n- from the issue\n"
)


def a_case(**changed: Any) -> str:
    fields = {
        "id": "github-issue-7",
        "prompt": "from the file",
        "assertions": ["from the file"],
        "target_skills": ["word-count"],
        **changed,
    }
    return json.dumps(fields)


def an_issue(body: str, number: int = 7, *, is_pull_request: bool = False) -> Issue:
    return Issue(
        number=number,
        title="[benchmark] words",
        body=body,
        author="someone",
        labels=(),
        is_pull_request=is_pull_request,
        is_open=True,
        is_locked=False,
        url="https://git.example/o/r/issues/7",
    )


def find(
    tmp_path: Path,
    files: dict[str, Content],
    eval_id: str,
    issue: Issue | None = None,
    *,
    skill: str | None = None,
) -> EvalCase:
    snapshot = write_tree(tmp_path, {"word-count/SKILL.md": WORD_COUNT, **files})
    return find_case(eval_id, snapshot, find_skills(snapshot), issue, skill=skill)


IN_A_FILE: dict[str, Content] = {"_automation/evals/seven.json": a_case()}


def test_an_issue_s_own_body_comes_first(tmp_path: Path):
    case = find(tmp_path, IN_A_FILE, "github-issue-7", an_issue(BODY))
    assert (case.source, case.prompt) == ("issue", "from the issue")


@pytest.mark.parametrize(
    "body",
    ["", "Please benchmark.", BODY.replace("## Query", "## Question"), BODY.replace("- from", "")],
)
def test_a_body_that_is_not_whole_gives_way_to_the_file_and_nothing_is_merged(
    tmp_path: Path, body: str
):
    case = find(tmp_path, IN_A_FILE, "github-issue-7", an_issue(body))
    assert case.source == "file"
    assert case.prompt == case.assertions[0].text == "from the file"


@pytest.mark.parametrize("eval_id", ["github-issue-7", "7", "#7", " `github-issue-7` "])
def test_an_issue_is_named_by_id_or_number(tmp_path: Path, eval_id: str):
    assert find(tmp_path, IN_A_FILE, eval_id).id == "github-issue-7"


def test_an_issue_s_text_is_asked_only_for_its_own_case(tmp_path: Path):
    case = find(tmp_path, IN_A_FILE, "github-issue-7", an_issue(BODY, number=8))
    assert case.source == "file"


def test_the_description_of_a_pull_request_is_no_eval_case(tmp_path: Path):
    with pytest.raises(Refused, match="no eval case `github-issue-7`"):
        find(tmp_path, {}, "github-issue-7", an_issue(BODY, is_pull_request=True))


@pytest.mark.parametrize("eval_id", ["word-count#a", "Word_Count#a", "`word-count#a`"])
def test_a_skill_s_own_case_is_found(tmp_path: Path, eval_id: str):
    own = json.dumps({"evals": [{"id": "a", "prompt": "p", "expectations": ["e"]}]})
    case = find(tmp_path, {"word-count/evals/evals.json": own}, eval_id)
    assert (case.id, case.source, case.target_skills) == ("word-count#a", "skill", ("word-count",))
    assert case.withheld == ("word-count/evals/evals.json",)


OWN: dict[str, Content] = {
    "word-count/evals/evals.json": json.dumps(
        {"evals": [{"id": 7, "prompt": "from the skill", "expectations": ["from the skill"]}]}
    ),
    "other/SKILL.md": a_skill("other"),
}


def test_beside_a_skill_s_name_the_id_in_its_own_file_is_enough(tmp_path: Path):
    of_another = {"_automation/evals/seven.json": a_case(target_skills=["other"])}
    case = find(tmp_path, OWN | of_another, "7", skill="word-count")
    assert (case.id, case.prompt) == ("word-count#7", "from the skill")
    assert find(tmp_path, OWN | of_another, "#7", skill="word-count").prompt == "from the file"


def test_an_id_that_the_skill_s_own_file_has_not_is_that_of_an_issue(tmp_path: Path):
    case = find(tmp_path, OWN | IN_A_FILE, "7", skill="other")
    assert (case.id, case.prompt) == ("github-issue-7", "from the file")


@pytest.mark.parametrize("issue", [None, an_issue(BODY)])
def test_an_id_of_two_cases_for_the_skill_is_refused_with_both(tmp_path: Path, issue: Issue | None):
    files = OWN | ({} if issue else IN_A_FILE)
    with pytest.raises(Refused, match=r"`word-count#7` or `github-issue-7`.*whole id"):
        find(tmp_path, files, "7", issue, skill="word-count")
    assert find(tmp_path, files, "word-count#7", issue, skill="word-count").source == "skill"
    case = find(tmp_path, files, "github-issue-7", issue, skill="word-count")
    assert case.id == "github-issue-7"


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"prompt": ""}, "lacks a `prompt`."),
        ({"assertions": []}, "lacks assertions (list `assertions` is empty)."),
        ({"target_skills": []}, "lacks `target_skills`."),
        ({"prompt": "", "assertions": []}, "a `prompt` and assertions"),
        ({"prompt": 3.5, "assertions": {"a": 1}}, "Entry 1 of `assertions`"),
    ],
)
def test_what_a_file_s_case_lacks_is_named(tmp_path: Path, changed: dict[str, Any], named: str):
    with pytest.raises(Refused) as refusal:
        find(tmp_path, {"_automation/evals/seven.json": a_case(**changed)}, "github-issue-7")
    assert named in str(refusal.value)
    assert "`_automation/evals/seven.json`" in str(refusal.value)


@pytest.mark.parametrize("key", ["assertion", "expectation", "Assertions", "assertons"])
def test_a_key_that_is_nearly_one_is_named(tmp_path: Path, key: str):
    case = a_case(**{"assertions": [], key: ["prints 42"], "notes": "for us"})
    with pytest.raises(Refused) as refusal:
        find(tmp_path, {"_automation/evals/seven.json": case}, "github-issue-7")
    assert re.search(rf"Nothing reads its `{key}` \(is `\w+s` meant\?\)\.", str(refusal.value))
    assert "notes" not in str(refusal.value)


def test_what_an_issue_lacks_is_named_with_its_near_misses(tmp_path: Path):
    body = BODY.replace("## Query", "#### Query").replace("- from", "from")
    with pytest.raises(Refused) as refusal:
        find(tmp_path, {}, "github-issue-7", an_issue(body))
    message = str(refusal.value)
    assert "a prompt (section `Query`)" in message
    assert "beginning with a dash" in message
    assert "`## Query`" in message
    assert "a skill" not in message


def test_an_issue_that_is_no_eval_case_is_told_so(tmp_path: Path):
    with pytest.raises(Refused, match=r"This issue is no eval case.*_automation/evals/\*\.json"):
        find(tmp_path, {}, "github-issue-7", an_issue("It crashes."))


def test_an_empty_rubric_is_refused_and_never_scored(tmp_path: Path):
    body = BODY.replace("- from the issue", "### Structure\n### Values")
    with pytest.raises(Refused, match="lacks assertions"):
        find(tmp_path, {}, "github-issue-7", an_issue(body))


def test_ids_that_clash_are_refused_with_both_files(tmp_path: Path):
    files = {**IN_A_FILE, "_automation/evals/github-issue-7.json": a_case(id=None)}
    with pytest.raises(Refused) as refusal:
        find(tmp_path / "a", files, "github-issue-7")
    assert "`_automation/evals/seven.json`" in str(refusal.value)
    assert "`_automation/evals/github-issue-7.json`" in str(refusal.value)
    snapshot = write_tree(tmp_path / "b", {"word-count/SKILL.md": WORD_COUNT, **files})
    cases = all_cases(snapshot, find_skills(snapshot))
    assert [type(case) for case in cases] == [BrokenCase, BrokenCase]


def test_a_broken_neighbour_is_no_concern_of_a_case(tmp_path: Path):
    files: dict[str, Content] = {
        **IN_A_FILE,
        "_automation/evals/a.json": b"\xff",
        "_automation/evals/b.json": "github-issue-7 {",
        "_automation/evals/c.json": "x" * 1_100_000,
    }
    assert find(tmp_path, files, "github-issue-7").prompt == "from the file"


def test_a_case_in_a_broken_file_says_what_is_wrong_with_it(tmp_path: Path):
    files: dict[str, Content] = {"_automation/evals/github-issue-7.json": "{"}
    with pytest.raises(Refused, match="no JSON"):
        find(tmp_path, files, "github-issue-7")


def test_an_unknown_id_names_the_nearest(tmp_path: Path):
    with pytest.raises(Refused, match="nearest is `github-issue-7`"):
        find(tmp_path, IN_A_FILE, "github-isue-7")


def test_a_repository_without_eval_cases_says_where_they_would_be(tmp_path: Path):
    with pytest.raises(Refused, match=r"_automation/evals/\*\.json.*evals/evals\.json"):
        find(tmp_path, {}, "zzz")


def test_all_cases_lists_runnable_and_broken_ones_of_both_sources(tmp_path: Path):
    snapshot = write_tree(
        tmp_path,
        {
            "word-count/SKILL.md": WORD_COUNT,
            "word-count/evals/evals.json": json.dumps([{"prompt": "p", "expectations": ["e"]}]),
            "_automation/evals/a.json": a_case(id="a"),
            "_automation/evals/b.json": a_case(id="b", assertions=[]),
            "_automation/evals/c.json": "{",
        },
    )
    cases = all_cases(snapshot, find_skills(snapshot))
    assert [(type(case), case.id) for case in cases] == [
        (EvalCase, "a"),
        (BrokenCase, "b"),
        (BrokenCase, "c"),
        (EvalCase, "word-count#1"),
    ]


def test_eval_files_lie_where_the_repositorys_file_says(tmp_path: Path):
    files: dict[str, Content] = {
        "word-count/SKILL.md": WORD_COUNT,
        "evals/deep/one.json": a_case(id="one"),
        "evals/two.json": a_case(id="two"),
        "_automation/evals/three.json": a_case(id="three"),
        ".github/skillbench.yml": "evals: {globs: ['evals/**/*.json', 'evals/two.json']}\n",
    }
    snapshot = write_tree(tmp_path, files)
    shelf = find_skills(snapshot)
    assert [case.id for case in all_cases(snapshot, shelf)] == ["one", "two"]
    assert find_case("one", snapshot, shelf).prompt == "from the file"
    with pytest.raises(Refused) as refused:
        find_case("github-issue-7", snapshot, shelf, an_issue("No case."))
    assert "no eval file in `evals/**/*.json` and `evals/two.json` has the id" in str(refused.value)
