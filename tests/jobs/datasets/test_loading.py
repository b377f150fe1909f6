"""A dataset is read whole, or every fault in it is told with its line."""

import json
from pathlib import Path
from typing import Any

import pytest

from jobs.datasets.cases import AutoUser, ManualUser
from jobs.datasets.loading import list_datasets, load_dataset, suite_names
from jobs.datasets.suites import SuiteSettings
from jobs.errors import Refused


def a_line(**changes: Any) -> dict[str, Any]:
    line = {
        "id": "q1",
        "title": "Capital",
        "user": {"type": "manual", "strict_inputs": ["What is the capital of France?"]},
        "eval": {"evaluator": "exact", "expected": ["Paris"]},
    }
    return line | changes


def write(root: Path, *lines: object, name: str = "sample", metadata: object = None) -> None:
    folder = root / "capitals"
    folder.mkdir(exist_ok=True)
    texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    (folder / f"{name}.jsonl").write_text("\n".join(texts), encoding="utf-8")
    if metadata is not None:
        (folder / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")


def refusal(root: Path, name: str = "sample") -> str:
    with pytest.raises(Refused) as refused:
        load_dataset(root, "capitals", name)
    return str(refused.value)


def test_cases_are_read_in_the_order_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, a_line(), "", a_line(id="q2", tags=["continent:europe"]), "  ")
    dataset = load_dataset(tmp_path, "capitals", "sample")
    assert [case.id for case in dataset.cases] == ["q1", "q2"]
    assert dataset.cases[1].tags == ("continent:europe",)
    assert dataset.cases[0].evaluator == "exact"


def test_a_mark_of_byte_order_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    write(tmp_path, a_line())
    path = tmp_path / "capitals" / "sample.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b"\r\n\r\n")
    assert len(load_dataset(tmp_path, "capitals", "sample").cases) == 1


def test_every_fault_is_told_with_its_line(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_line(),
        "{broken",
        a_line(id="q2", colour="red"),
        a_line(),
        a_line(id="q3", eval={"evaluator": "exact"}),
        a_line(id="q4", eval={"evaluator": "guess"}),
        a_line(id="q5", user={"type": "robot"}),
        "[]",
        json.dumps(a_line(id="q6", eval={"evaluator": "rubric", "case_weight": float("nan")})),
    )
    with (tmp_path / "capitals/sample.jsonl").open("a") as file:
        file.write("\n" + json.dumps(a_line(id="\ud83d")) + "\n")
    told = refusal(tmp_path)
    assert "sample.jsonl:10: half of a character" in told
    assert "sample.jsonl:9: no JSON that can be read: NaN" in told
    assert "capitals/sample.jsonl:2: no JSON" in told
    assert "sample.jsonl:3: colour" in told
    assert "sample.jsonl:4: the id `q1` stands in line 1 already" in told
    assert "sample.jsonl:5: eval.expected" in told
    assert "sample.jsonl:6: eval.evaluator: there is no evaluator `guess`" in told
    assert "sample.jsonl:7: user" in told
    assert "sample.jsonl:8: it must be an object" in told


@pytest.mark.parametrize("bomb", ["[" * 100_000, '{"id": ' + "9" * 5000 + "}", "\ud800"])
def test_lines_made_to_break_the_reader_are_told_like_others(tmp_path: Path, bomb: str) -> None:
    write(tmp_path, a_line())
    path = tmp_path / "capitals" / "sample.jsonl"
    path.write_bytes(path.read_bytes() + b"\n" + bomb.encode("utf-8", "surrogatepass"))
    assert "sample.jsonl:2: " in refusal(tmp_path)


def test_an_empty_file_holds_no_case(tmp_path: Path) -> None:
    write(tmp_path, "")
    assert "holds no case" in refusal(tmp_path)


def test_unknown_names_are_answered_with_those_there_are(tmp_path: Path) -> None:
    write(tmp_path, a_line())
    with pytest.raises(Refused, match="`capitals`"):
        load_dataset(tmp_path, "rivers", "sample")
    assert "`sample`" in refusal(tmp_path, "../capitals/sample")


def test_hidden_folders_and_words_of_the_command_line_are_no_benchmarks(tmp_path: Path) -> None:
    for name in (".data", "_banks", "grade", "capitals"):
        (tmp_path / name).mkdir()
    assert suite_names(tmp_path) == ["capitals"]


def test_a_reference_stands_for_a_parameter_of_the_suite(tmp_path: Path) -> None:
    line = a_line(eval={"$ref": "europe"})
    params = {"europe": {"evaluator": "exact", "expected": ["Paris"]}}
    write(tmp_path, line, metadata={"params": params})
    assert load_dataset(tmp_path, "capitals", "sample").cases[0].evaluator == "exact"
    write(tmp_path, line, metadata={"params": {}})
    assert "no parameter of the suite is called 'europe'" in refusal(tmp_path)


def test_the_list_names_what_cannot_be_used(tmp_path: Path) -> None:
    write(tmp_path, a_line())
    write(tmp_path, "{", name="broken")
    broken, sample = list_datasets(tmp_path)
    assert (sample.cases, sample.evaluators, sample.problem) == (1, ("exact",), "")
    assert "broken.jsonl:1" in broken.problem


def test_overrides_in_the_older_form_are_understood(tmp_path: Path) -> None:
    overrides = [{"type": "llm_api", "model": "claude-sonnet"}]
    user = {"type": "manual", "strict_inputs": ["a"], "goal": "x", "target_overrides": overrides}
    write(tmp_path, a_line(user=user))
    [case] = load_dataset(tmp_path, "capitals", "sample").cases
    assert isinstance(case.user, ManualUser)
    assert case.user.target_overrides == {"llm_api": {"model": "claude-sonnet"}}


def test_a_user_played_by_a_model_has_five_turns_where_nobody_says(tmp_path: Path) -> None:
    user = {"type": "auto", "goal": "ask", "max_turns": None, "persona": {"logic": "fabricating"}}
    write(tmp_path, a_line(user=user))
    [case] = load_dataset(tmp_path, "capitals", "sample").cases
    assert isinstance(case.user, AutoUser)
    assert case.user.most_turns == 5
    write(tmp_path, a_line(user=user | {"persona": {"logic": "sound"}}))
    assert "persona.logic" in refusal(tmp_path)


def test_a_target_is_never_chosen_in_silence() -> None:
    one = SuiteSettings.model_validate({"target": {"type": "llm_api", "model": "m"}})
    two = SuiteSettings.model_validate({"target": [{"type": "llm_api"}, {"type": "hermes"}]})
    known = ("llm_api", "hermes", "command")
    assert one.choose_target(None, known).fields["model"].required
    assert two.choose_target("hermes", known).type == "hermes"
    assert one.choose_target("command", known).type == "command"
    with pytest.raises(Refused, match="`llm_api`, `hermes`"):
        two.choose_target(None, known)
    with pytest.raises(Refused, match="there is no target `robot`"):
        one.choose_target("robot", known)
