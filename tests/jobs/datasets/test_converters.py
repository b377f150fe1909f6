"""The originals as their authors publish them become datasets that a run takes."""

import csv
import io
import json
from typing import Any

import pytest

from jobs.datasets.converters import convert
from jobs.datasets.loading import read_cases
from jobs.datasets.suites import SuiteSettings
from jobs.errors import Refused

ROW = {
    "Row Number": "7",
    "Calculator ID": "6",
    "Calculator Name": "Body Mass Index (BMI)",
    "Category": "lab test",
    "Patient Note": "70 kg, 1.75 m.",
    "Question": "What is the BMI?",
    "Ground Truth Answer": "22.857",
    "Lower Limit": "21.714",
    "Upper Limit": "24.0",
    "Ground Truth Explanation": "70/1.75^2,\nrounded",
    "Output Type": "decimal",
}


def item(**changes: Any) -> dict[str, Any]:
    one = {
        "prompt_id": "p1",
        "prompt": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "Is it safe?"},
        ],
        "rubrics": [{"criterion": "Asks back", "points": 5, "tags": ["axis:accuracy"]}],
        "example_tags": ["theme:hedging", "physician_agreed_category:x"],
        "ideal_completions_data": None,
    }
    return one | changes


def lines(*items: object) -> bytes:
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in items).encode()


def table(*rows: dict[str, str]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [*ROW, "Relevant Entities"])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def refusal(kind: str, content: bytes) -> str:
    with pytest.raises(Refused) as refused:
        convert(kind, content, file="in")
    return str(refused.value)


def test_healthbench_becomes_history_question_and_rubrics() -> None:
    converted = convert("healthbench", lines(item(), "", item(prompt_id="p2")), file="in")
    first, second = read_cases(converted.content, SuiteSettings(), file="out")
    assert (first.id, second.id, first.title) == ("hb_p1", "hb_p2", "HealthBench — hedging")
    assert first.user.strict_inputs == ("Is it safe?",)
    assert [one.content for one in first.history] == ["hi", "hello"]
    assert first.eval["rubrics"][0]["points"] == 5
    assert first.tags[0] == "theme:hedging"
    assert converted.skipped == {}


def test_what_lacks_a_part_is_skipped_and_counted() -> None:
    only_system = [{"role": "system", "content": "x"}]
    content = lines(item(prompt=[]), item(rubrics=[]), item(), item(prompt=only_system))
    converted = convert("healthbench", content, file="in")
    assert len(converted.cases) == 1
    assert converted.skipped == {"no message of the user": 1, "no prompt": 1, "no rubrics": 1}


def test_every_line_that_cannot_be_read_is_told() -> None:
    told = refusal(
        "healthbench",
        lines(item(), "{", item(), "[]", item(prompt_id=3), item(prompt_id="p9", rubrics=[3])),
    )
    assert "in:2: no JSON" in told
    assert "in:3: the id `hb_p1` stands in line 1 already" in told
    assert "in:4: it must be an object" in told
    assert "in:5: prompt_id" in told
    assert "in:6: rubrics" in told


def test_medcalc_becomes_note_question_and_limits() -> None:
    weeks = ROW | {"Row Number": "8", "Calculator ID": "69", "Output Type": "date",
                   "Ground Truth Answer": "('35 weeks', '4 days')"}  # fmt: skip
    without = ROW | {"Row Number": "9", "Upper Limit": ""}
    converted = convert("medcalc", table(ROW, weeks, without), file="in")
    first, second = read_cases(converted.content, SuiteSettings(), file="out")
    assert (first.id, first.title) == ("mc_7", "MedCalc — Body Mass Index (BMI)")
    assert first.user.strict_inputs == ("70 kg, 1.75 m.\n\nWhat is the BMI?",)
    assert (first.eval["lower_limit"], second.eval["lower_limit"]) == ("21.714", "")
    assert second.eval["output_type"] == "weeks_days"
    assert first.tags == (
        "calculator:body_mass_index_bmi", "category:lab_test", "output_type:decimal",
    )  # fmt: skip
    assert converted.skipped == {"a decimal without both limits": 1}


def test_a_table_without_its_columns_is_none() -> None:
    assert "lacks the columns Row Number" in refusal("medcalc", b"a,b\n1,2\n")
    assert "is not UTF-8 at byte 0" in refusal("medcalc", b"\xff\xff")
    twice = table(ROW, ROW)
    assert "in:5: the id `mc_7` stands in line 3 already" in refusal("medcalc", twice)


def test_the_first_few_are_enough_and_unknown_kinds_are_named() -> None:
    content = lines(item(), item(prompt_id="p2"), item(prompt_id="p3"))
    assert len(convert("healthbench", content, file="in", limit=2).cases) == 2
    assert "`healthbench`, `medcalc`" in refusal("mmlu", b"")
    assert "nothing that becomes a case" in refusal("healthbench", b"\n")
