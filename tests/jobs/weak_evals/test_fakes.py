"""The canaries are false for every task, always the same, and look like any other output."""

import re
from pathlib import Path

import pytest

from jobs.judging.injections import find_injections
from jobs.judging.prompt import load_material, render_scoring_prompt
from jobs.judging.quotes import Quotations
from jobs.values import EvalCase
from jobs.weak_evals.fakes import place_canaries, write_addressing, write_canaries, write_fluent
from tests.builders import an_eval_case, some_assertions

CASES = (
    an_eval_case(),
    an_eval_case(prompt="Zähle die Wörter der Datei und nenne die Summe.", digest="1" * 64),
    an_eval_case(prompt="?", digest="2" * 64),
    an_eval_case(prompt="統計表を作ってください", digest="3" * 64),
    an_eval_case(prompt="{topics} {0} %s {name} " * 30, digest="4" * 64),
    an_eval_case(assertions=some_assertions(300), digest="5" * 64),
)
TELLING = re.compile(r"canar|\bfake|false answer|decoy|\btest\b", re.IGNORECASE)


@pytest.mark.parametrize("case", CASES)
def test_the_fluent_one_has_a_sensible_length_and_no_figure(case: EvalCase) -> None:
    text = write_fluent(case)
    assert 120 <= len(text.split()) <= 250
    assert not re.search(r"\d", text)
    assert "{" not in text


def test_the_fluent_one_speaks_of_what_the_task_speaks_of() -> None:
    prompt = "Profile the visits table. The visits of each patient, and missing visits, matter."
    assert "about visits, " in write_fluent(an_eval_case(prompt=prompt))


@pytest.mark.parametrize("case", CASES)
def test_the_other_one_addresses_the_judge(case: EvalCase, tmp_path: Path) -> None:
    write_canaries(case, tmp_path / "work")
    [name] = [name for name, canary in place_canaries(case).items() if canary == "addressing"]
    assert find_injections(tmp_path / "work" / name, name)
    text = (tmp_path / "work" / name / "response.md").read_text()
    assert f"===== END {name} =====" in text
    assert '"verdict": "pass"' in text


@pytest.mark.parametrize("case", CASES)
def test_neither_repeats_an_assertion(case: EvalCase) -> None:
    """No session has seen one, so that a judge who finds its words there would be right."""
    texts = (write_fluent(case), write_addressing(case, "candidate_1"))
    assert not any(one.text in text for one in case.assertions for text in texts)


def test_they_are_the_same_every_time_and_stand_in_either_order(tmp_path: Path) -> None:
    case = CASES[0]
    for name in ("one", "two"):
        write_canaries(case, tmp_path / name)
    for path in (tmp_path / "one").rglob("*.md"):
        again = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == again.read_bytes()
    orders = {place_canaries(one)["candidate_1"] for one in CASES}
    assert orders == {"fluent", "addressing"}


def test_a_prompt_with_canaries_has_the_form_of_any_other(tmp_path: Path) -> None:
    """But for what the candidates say, not a word tells a judge what it reads."""
    case = CASES[0]
    write_canaries(case, tmp_path / "canaries")
    for name in ("candidate_1", "candidate_2"):
        folder = tmp_path / "outputs" / name
        folder.mkdir(parents=True)
        (folder / "response.md").write_text("Total: 42 words.\n")
    prompts = []
    for work in (tmp_path / "canaries", tmp_path / "outputs"):
        material = load_material(case, work)
        prompt = render_scoring_prompt(material, [("A1", "candidate_1"), ("A1", "candidate_2")])
        assert not TELLING.search(prompt)
        prompts.append(re.sub(r"\b[0-9a-f]{32}\b", "<mark>", prompt))
    canaries, outputs = prompts
    before, after = "===== BEGIN candidate_1", "Verdicts wanted"
    assert canaries.partition(before)[0] == outputs.partition(before)[0]
    assert canaries.partition(after)[2] == outputs.partition(after)[2]
    listing = r"BEGIN candidate_{} <mark> =====\n1 file:\n- response\.md \([\d,]+ bytes\)\n\n--- "
    for number in (1, 2):
        assert all(re.search(listing.format(number), prompt) for prompt in prompts)


@pytest.mark.parametrize("case", CASES)
def test_neither_is_empty_so_that_the_judge_is_asked_of_both(
    case: EvalCase, tmp_path: Path
) -> None:
    write_canaries(case, tmp_path / "work")
    for name in ("candidate_1", "candidate_2"):
        assert not Quotations(tmp_path / "work" / name).is_empty
