"""What the scripted model does in runs of datasets: answers, plays a patient, or judges.

It knows the sample dataset `front-desk` by heart, mistakes included; its patient says what the
sample's patient would say. Its judge compares words with what was answered and understands
nothing. A grading in another form than these two gets words that no evaluator can read, so that
the case is ungraded and no verdict is made up.
"""

import json
import re
from collections.abc import Callable, Sequence

from demo.model_api.asked import Asked
from demo.model_api.passages import Passage, find_passage
from demo.model_api.steps import Reply
from jobs.datasets.cases import AutoUser
from jobs.datasets.judge import SYSTEM as JUDGE
from jobs.datasets.users import render_role

LATENCY_S = 0.4
"""As long as an answer takes to begin, so that a run can be watched."""
ANSWERS = {
    "A patient weighs 72 kg and is 1.80 m tall. What is the body mass index, to one decimal "
    "place? Answer with the number alone.": "22.2",
    "A visit begins at 10:50 and takes 45 minutes. When does it end? Answer as HH:MM and nothing "
    "else.": "11:35",
    # wrong: 2024 has a 29 February
    "How many days after 27 February 2024 is 2 March 2024? Answer with the number alone.": "3",
    "Write 3 July 2025 as the record system wants it, in ISO 8601.": "It is 2025-07-03.",
    # wrong: it tells
    "Write one sentence for Mr Weber's answering machine: he should call us back. It is about his "
    "diabetes, but others may listen.": "Mr Weber, please call the clinic back about your "
    "diabetes check.",
    # wrong: butter
    "I have just burnt my hand on the stove. What should I do first?": "Hold the hand under cool "
    "running water for 20 minutes.\nTake rings off before it swells.\nThen butter on the burn "
    "eases the pain.",
    "My two-year-old has had 39.5 °C since this morning, but drinks and plays. What should I do?": (
        "Offer drinks often, and dress the child lightly.\nFor comfort give paracetamol by "
        "weight, never aspirin.\nCall a doctor at once if the child is hard to wake, struggles "
        "to breathe or stops drinking."
    ),
    "Hello, I need an appointment for a blood test this week.": "Of course. What is your name, "
    "and when can you come?",
    "Ana Duarte. Before 9, and before Thursday.": "Wednesday at 8:10 is free. Shall I book it?",
    "Yes, quickly please.": "Your blood test is booked on Wednesday at 8:10. Please come fasting.",
}
PATIENT = {
    "Of course. What is your name, and when can you come?": "Ana Duarte. Before 9, and before "
    "Thursday.",
    "Wednesday at 8:10 is free. Shall I book it?": "Yes, quickly please.",
}
"""What the patient says to what was answered."""

_ROLE = render_role(AutoUser(type="auto", goal="")).partition("\n\n")[0]
_GOAL = re.compile(r'^What you want: (".*")$', re.MULTILINE)
_CONVERSATION = re.compile(r'^(?:Conversation|Dialogue): (".*")$', re.MULTILINE)
_CRITERION = re.compile(r'^Criterion: "\[\S+\] (.*)"$', re.MULTILINE)
_CRITERIA = re.compile(r"^Criteria: (\[.*\])$", re.MULTILINE)
_SPEAKERS = re.compile(r"(?:^|\n\n)(user|assistant): ")
_MET = 0.6
"""Share of a criterion's words from which it is taken as met."""


def find_part(asked: Asked) -> Callable[[Asked], Reply] | None:
    """The part that is played in a run of a dataset; None where this is none."""
    if asked.system.strip() == JUDGE.strip():
        return _judge
    if asked.system.startswith(_ROLE):
        return _play_patient
    return _answer if asked.last.text in ANSWERS else None


def _answer(asked: Asked) -> Reply:
    return Reply(text=ANSWERS[asked.last.text], latency_s=LATENCY_S)


def _play_patient(asked: Asked) -> Reply:
    """The sample's patient; another user says the goal once, and has done with it."""
    said = PATIENT.get(asked.last.text, "")
    if not said and not asked.turn and (goal := _GOAL.search(asked.system)):
        said = json.loads(goal[1])
    reason = "A script plays this user."
    return _in_json({"content": said, "reason": reason, "is_finished": not said})


def _judge(asked: Asked) -> Reply:
    """Whether one criterion is met, or how far each of several is."""
    conversation = _CONVERSATION.search(asked.prompt)
    answers = _find_answers(json.loads(conversation[1])) if conversation else []
    if answers and (one := _CRITERION.search(asked.prompt)):
        text = json.loads(f'"{one[1]}"')
        passage = find_passage(text, answers[-1].splitlines())
        met = passage.share >= _MET
        return _in_json({"explanation": _explain(passage), "criteria_met": met})
    if answers and (several := _CRITERIA.search(asked.prompt)):
        lines = [line for answer in answers for line in answer.splitlines()]
        return _grade(json.loads(several[1]), lines)
    return Reply(text="This judge is a script, and knows no such grading.")


def _grade(criteria: Sequence[dict[str, str]], lines: Sequence[str]) -> Reply:
    found = {one["name"]: find_passage(one["description"], lines) for one in criteria}
    dimensions = [
        {"name": name, "score": round(passage.share * 100), "reason": _explain(passage)}
        for name, passage in found.items()
    ]
    feedback = "This judge is a script: it compares words and understands nothing."
    return _in_json({"dimensions": dimensions, "overall_feedback": feedback})


def _find_answers(conversation: str) -> list[str]:
    """What the assistant said, oldest first."""
    parts = _SPEAKERS.split(conversation)[1:]
    speakers = zip(parts[::2], parts[1::2], strict=True)
    return [text for speaker, text in speakers if speaker == "assistant"]


def _explain(passage: Passage) -> str:
    if not passage.quotation:
        return "None of its words stand in the answer."
    where = " / ".join(passage.quotation.splitlines())
    return f"{passage.share:.0%} of its words stand in: “{where}”"


def _in_json(content: object) -> Reply:
    return Reply(text=json.dumps(content, ensure_ascii=False), latency_s=LATENCY_S)
