"""A judge held against people: figures that can be worked out by eye."""

import json

import pytest

from demo.model_api.asked import Asked, Message
from demo.model_api.judge import judge
from demo.play import HERE
from jobs.calibration.agreement import Pair, calibrate, find_agreement_with_people
from jobs.calibration.judged import JudgedRuns, pair_all
from jobs.calibration.labels import read_labels
from jobs.values import VerdictWord

LABELS = HERE / "sample/_automation/labels.jsonl"


def pair(person: VerdictWord, *judge: VerdictWord, group: str = "", by: str = "j") -> Pair:
    return Pair(person=person, judge=judge, group=group, series=("m", by, "p"))


TWENTY = [
    *[pair("pass", "pass")] * 9,
    *[pair("fail", "fail")] * 6,
    *[pair("fail", "pass")] * 4,
    *[pair("pass", "fail")],
]
"""15 of 20 agree. By chance 0.5 · 0.65 + 0.5 · 0.35 = 0.5 would, so kappa is 0.5."""


def test_agreement_and_kappa_are_those_of_the_table() -> None:
    found = find_agreement_with_people(TWENTY)
    assert (found.agreed.count, found.agreed.of) == (15, 20)
    assert found.kappa == pytest.approx(0.5)
    assert found.weighted_kappa == pytest.approx(0.5)  # no partial: all steps are whole
    assert found.agreed.interval is not None
    assert found.agreed.interval == pytest.approx((0.5313, 0.8881), abs=1e-3)


def test_leniency_has_its_own_denominators() -> None:
    found = find_agreement_with_people(TWENTY)
    assert (found.lenient.count, found.strict.count, found.lenient.of) == (4, 1, 20)
    assert (found.false_passes.count, found.false_passes.of) == (4, 10)
    assert (found.false_fails.count, found.false_fails.of) == (1, 10)


def test_to_be_a_step_away_weighs_less_than_two() -> None:
    near = [pair("pass", "pass"), pair("fail", "fail"), pair("pass", "partial")]
    far = [*near[:2], pair("pass", "fail")]
    one, other = (find_agreement_with_people(pairs) for pairs in (near, far))
    assert one.agreed == other.agreed
    assert one.weighted_kappa is not None
    assert other.weighted_kappa is not None
    assert one.weighted_kappa > other.weighted_kappa


def test_a_judge_that_is_split_agrees_with_nobody() -> None:
    found = find_agreement_with_people([pair("pass", "pass", "fail"), pair("pass", "pass", "pass")])
    assert (found.splits, found.agreed.count, found.weighted_over) == (1, 1, 1)
    assert found.strict.count == 1


def test_what_cannot_be_verified_is_a_word_and_no_leniency() -> None:
    found = find_agreement_with_people(
        [pair("cannot_verify", "pass"), pair("cannot_verify", "cannot_verify")]
    )
    assert (found.agreed.count, found.agreed.of, found.lenient.of) == (1, 2, 0)


def test_where_chance_alone_would_agree_there_is_no_kappa() -> None:
    found = find_agreement_with_people([pair("pass", "pass")] * 5)
    assert (found.kappa, found.weighted_kappa) == (None, None)


def test_two_judges_are_in_no_figure_together() -> None:
    found = calibrate([*[pair("pass", "pass")] * 3, *[pair("pass", "fail", by="k")] * 2])
    assert [(one.series[1], one.overall.agreed.count, one.overall.compared) for one in found] == [
        ("j", 3, 3),
        ("k", 0, 2),
    ]


def test_groups_are_told_apart_where_there_are_any() -> None:
    [found] = calibrate([pair("pass", "pass", group="Order"), pair("pass", "fail")])
    assert {name: one.agreed.count for name, one in found.groups.items()} == {
        "Order": 1,
        "(no group)": 0,
    }
    [plain] = calibrate(TWENTY)
    assert plain.groups == {}
    assert plain.confusion == {"fail": {"fail": 6, "pass": 4}, "pass": {"pass": 9, "fail": 1}}


def test_the_shipped_labels_hold_what_the_scripted_judge_really_says() -> None:
    """So that trying the command shows a judge's true errors: it compares words alone."""
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert _ask(row["assertion"], row["text"], row["output"]) == row["judge"], row


def test_the_shipped_labels_can_be_used() -> None:
    labels = read_labels(LABELS)
    [found] = calibrate(pair_all(labels, JudgedRuns(), LABELS))
    assert found.overall.compared == len(labels) == 26
    assert found.overall.false_passes.count > found.overall.false_fails.count


def _ask(assertion: str, text: str, output: str) -> str:
    shown = json.dumps({"id": assertion, "text": text, "echo": text})
    sections = {
        "assertions": shown,
        "candidate_1": f"1 file:\n--- answer.md ---\n{output}",
        "candidate_2": "0 files:",
    }
    prompt = "\n\n".join(
        f"===== BEGIN {name} m =====\n{content}\n===== END {name} m ====="
        for name, content in sections.items()
    )
    wanted = f'Verdicts wanted, 1 in all: [["{assertion}", "candidate_1"]]'
    message = Message(role="user", text=f"{prompt}\n\n{wanted}")
    asked = Asked(
        vendor="anthropic",
        model="m",
        system="",
        messages=(message,),
        tools=(),
        max_tokens=100,
        stream=False,
        body={},
    )
    verdict: str = json.loads(judge(asked).text)["verdicts"][0]["verdict"]
    return verdict
