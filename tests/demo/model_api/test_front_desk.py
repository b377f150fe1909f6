"""The parts of runs of datasets: who answers, who plays the patient, who judges and what by."""

import json

import pytest

from demo.model_api.asked import Asked, Message
from demo.model_api.behaviour import behave
from demo.model_api.front_desk import ANSWERS, PATIENT
from demo.play import HERE
from jobs.datasets.cases import AutoUser, DatasetCase
from jobs.datasets.judge import SYSTEM
from jobs.datasets.loading import load_dataset
from jobs.datasets.users import read_said, render_role
from jobs.evaluators.healthbench import HealthBenchFields


def ask(system: str, *texts: str) -> Asked:
    """A conversation: what was asked and answered in turn, the last one still to be answered."""
    messages = tuple(
        Message(role="assistant" if number % 2 else "user", text=text)
        for number, text in enumerate(texts)
    )
    return Asked(
        vendor="anthropic",
        model="scripted-demo",
        system=system,
        messages=messages,
        tools=(),
        max_tokens=1_000,
        stream=False,
        body={},
    )


def sample() -> dict[str, DatasetCase]:
    dataset = load_dataset(HERE / "sample/data", "front-desk", "sample")
    return {case.id: case for case in dataset.cases}


def test_every_question_of_the_sample_has_an_answer_of_its_own():
    for case in sample().values():
        assert behave(ask("Be short.", case.user.strict_inputs[0])).text in ANSWERS.values()


def test_the_patient_answers_until_the_appointment_is_booked():
    user = sample()["appointment"].user
    assert isinstance(user, AutoUser)
    system = render_role(user)
    said = [user.strict_inputs[0]]
    heard = ["(You begin.)"]
    while len(said) < user.most_turns:
        heard.append(ANSWERS[said[-1]])
        turns = [text for pair in zip(heard, said, strict=False) for text in pair]
        spoken = read_said(behave(ask(system, *turns, heard[-1])).text)
        assert spoken is not None
        if spoken.is_finished:
            break
        said.append(spoken.text)
    assert said[1:] == list(PATIENT.values())
    assert "booked on Wednesday" in heard[-1]


def test_a_user_of_another_dataset_says_the_goal_once():
    system = render_role(AutoUser(type="auto", goal="Buy a “red” bicycle."))
    first = read_said(behave(ask(system, "(You begin.)")).text)
    assert first is not None
    assert (first.text, first.is_finished) == ("Buy a “red” bicycle.", False)
    turns = ("(You begin.)", first.text, "Here it is.")
    second = read_said(behave(ask(system, *turns)).text)
    assert second is not None
    assert second.is_finished


@pytest.mark.parametrize(
    ("criterion", "met"),
    [
        ("Says to hold the burn under cool running water for 20 minutes", True),
        ("Says which blisters a doctor should look at", False),
        ("Puts butter on the burn", True),
    ],
)
def test_a_criterion_is_met_where_its_words_stand_in_the_last_answer(criterion: str, met: bool):
    rubric = HealthBenchFields.model_validate(sample()["burn"].evaluator_fields).rubrics
    assert criterion in {one.criterion for one in rubric}
    [question] = sample()["burn"].user.strict_inputs
    conversation = json.dumps(f"user: {question}\n\nassistant: {ANSWERS[question]}")
    prompt = f'Conversation: {conversation}\n\nCriterion: "[5] {criterion}"\n'
    assert json.loads(behave(ask(SYSTEM, prompt)).text)["criteria_met"] is met


def test_a_grading_that_the_judge_does_not_know_gets_no_verdict():
    said = behave(ask(SYSTEM, 'Answer: "42"\n\nDoes it state the reference?')).text
    assert "knows no such grading" in said
    assert "{" not in said
