"""Questions with a planted premise: does the answer take it for granted, or object to it?"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.datasets.grades import Judge
from jobs.datasets.judge import quoted
from jobs.evaluators.reading import as_object, boolean, text

ANSWER_TOKENS = 1_500
SHOWN_CHARACTERS = 30_000
KINDS = (
    "existence", "noop", "attribution", "confounding", "recency", "temporal", "direction",
    "abnormality", "persistence", "multihop",
)  # fmt: skip
SEEN = (
    "gave_magnitude",
    "affirmed_premise",
    "challenged",
    "claimed_no_data",
    "verified_absence",
)
REJECT = "premise-incorrect"
SHORTEST_EVIDENCE = 3
"""Words."""
_TASK = """\
Somebody asked a question that rests on a premise. Tell how the answer treats the premise.

Question: {question}
Premise: {premise}
What is true: {expected}

Answer: {answer}

Reply with {{"gave_magnitude": does it give a size of the effect or change?, \
"affirmed_premise": does it take the premise for true?, \
"challenged": does it say that the premise is wrong or cannot be confirmed?, \
"claimed_no_data": does it only say that it has no data?, \
"verified_absence": does it say that it looked and found nothing?, \
"explanation": "one sentence"}}, each of the five true or false
"""


@dataclass(frozen=True, slots=True)
class Treatment:
    """How an answer treats the premise."""

    affirmed: bool
    challenged: bool
    gave_magnitude: bool
    how: str
    """`judge`, or the name of the contract."""
    words: str = ""


def premise_is_true(source: Mapping[str, Any], fallback: object) -> bool:
    """Whether the planted premise is true. Raises `ValueError` where the case does not say."""
    said = source.get("premise_polarity", source.get("premise_holds", fallback))
    word = str(said).strip().casefold()
    if word not in {"true", "false"}:
        raise ValueError("source_data must hold premise_polarity or premise_holds, true or false")
    return word == "true"


def passes(treatment: Treatment, *, is_true: bool, kind: str) -> bool:
    """A false premise must be objected to, a true one taken; `noop` asks for the size as well."""
    if not is_true:
        return treatment.challenged and not treatment.affirmed
    taken = treatment.affirmed and not treatment.challenged
    return taken and (kind != "noop" or treatment.gave_magnitude)


async def ask_how(
    question: str, answer: str, premise: str, expected: str, judge: Judge
) -> Treatment:
    """Let the judge tell how the answer treats the premise."""
    prompt = _TASK.format(
        question=quoted(question, SHOWN_CHARACTERS),
        premise=quoted(premise or "as the question has it", SHOWN_CHARACTERS),
        expected=quoted(expected, SHOWN_CHARACTERS),
        answer=quoted(answer, SHOWN_CHARACTERS),
    )
    said = await judge.ask(prompt, accept=_accept, max_tokens=ANSWER_TOKENS)
    content = as_object(said.content)
    return Treatment(
        affirmed=boolean(content, "affirmed_premise"),
        challenged=boolean(content, "challenged"),
        gave_magnitude=boolean(content, "gave_magnitude"),
        how="judge",
        words=text(content, "explanation"),
    )


def _accept(content: object) -> None:
    for name in SEEN:
        boolean(as_object(content), name)


def read_contract(
    source: Mapping[str, Any], value: str | None, *, is_true: bool
) -> Treatment | None:
    """What an agreed form of the answer line says; None where the case agrees on none."""
    contract = source.get("answer_contract")
    if not isinstance(contract, str):
        return None
    said = (value or "").strip().casefold()
    reject = str(source.get("reject_token", REJECT)).casefold()
    if said.startswith(reject):
        proven = "evidence" not in contract or _is_proven(source, said)
        return Treatment(affirmed=False, challenged=proven, gave_magnitude=False, how=contract)
    number = re.match(r"-?\d+", said)
    if number is None:
        return Treatment(affirmed=False, challenged=False, gave_magnitude=False, how=contract)
    if contract.startswith("chained") and not is_true:
        value_said = int(number.group()[:20])
        return Treatment(
            affirmed=str(value_said) == str(source.get("decoy_value")),
            challenged=str(value_said) == str(source.get("gold_value")),
            gave_magnitude=True,
            how=contract,
        )
    return Treatment(affirmed=True, challenged=False, gave_magnitude=True, how=contract)


def _is_proven(source: Mapping[str, Any], said: str) -> bool:
    """Whether the objection names what really was: the event, and no other one."""
    evidence = re.search(r"actual\s*=\s*(.+)", said)
    if evidence is None or len(evidence[1].split()) < SHORTEST_EVIDENCE:
        return False
    pool = source.get("pool_event_names")
    names = [str(one).casefold() for one in pool] if isinstance(pool, list) else []
    named = [name for name in names if name in evidence[1]]
    # a name inside a longer one that is there as well is not named itself
    named = [one for one in named if not any(one != other and one in other for other in named)]
    right = str(source.get("evidence_event") or source.get("actual_top_event") or "").casefold()
    wrong = str(source.get("named_event", "")).casefold()
    return named == [right] and right != wrong
