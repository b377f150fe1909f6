"""Reads what was said elsewhere or before: the dialogues of a report, answers in a file.

What has no case is named, and so is a case that nothing was handed in for.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from jobs.datasets.case_run import ABOUT_THE_USER
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said, Turn
from jobs.datasets.loading import MOST_FAULTS, Dataset
from jobs.datasets.report_cases import read_turns
from jobs.datasets.whole_text import mended
from jobs.errors import Refused
from jobs.evaluators.registry import check_evaluator
from jobs.faults import first_fault


@dataclass(frozen=True, slots=True)
class Saved:
    """A dialogue to grade, or why there is none."""

    case: DatasetCase
    turns: tuple[Turn, ...] = ()
    problem: str = ""
    """Why it cannot be graded; empty where it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What is graded, and what is said of it."""

    saved: tuple[Saved, ...]
    missing: tuple[str, ...] = ()
    """Ids of cases that nothing was handed in for."""
    extra: tuple[str, ...] = ()
    """Ids that belong to no case."""
    notes: tuple[str, ...] = ()


class _Answer(BaseModel):
    """A line of a file of answers; what else stands there is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    id: str
    answer: str


def read_answers(content: bytes, dataset: Dataset, *, file: str, now: datetime) -> Given:
    """The answers of a JSONL file, one `{"id", "answer"}` on a line.

    Raises `Refused` with every line that cannot be read, or whose id was there before.
    """
    answers: dict[str, str] = {}
    faults: list[str] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            one = _Answer.model_validate(mended(json.loads(line.decode("utf-8"))))
        except ValidationError as error:
            faults.append(f"{file}:{number}: {first_fault(error, whole='the line')}")
        except (ValueError, RecursionError) as error:
            faults.append(f"{file}:{number}: no JSON: {error}")
        else:
            if one.id in answers:
                faults.append(f"{file}:{number}: a second answer for `{one.id[:100]}`")
            answers[one.id] = one.answer
    if faults:
        more = len(faults) - MOST_FAULTS
        told = [*faults[:MOST_FAULTS], *([f"and {more} more"] if more > 0 else [])]
        raise Refused("these answers cannot be used:\n" + "\n".join(told))
    known = {case.id for case in dataset.cases}
    if not known & answers.keys():
        raise Refused(f"{file} holds no answer to a case of {dataset.benchmark}/{dataset.name}")
    return Given(
        saved=tuple(
            Saved(case, (_as_turn(case, answers[case.id], now),))
            for case in dataset.cases
            if case.id in answers
        ),
        missing=tuple(case.id for case in dataset.cases if case.id not in answers),
        extra=tuple(name for name in answers if name not in known),
    )


def _as_turn(case: DatasetCase, answer: str, now: datetime) -> Turn:
    """An answer to all that the user says; it has no time of its own, so no latency."""
    said = "\n\n".join(case.user.strict_inputs) or case.title
    return Turn(said=Said(text=said), said_at=now, reply=Reply(text=answer))


def read_saved(report: Mapping[str, Any], dataset: Dataset | None) -> Given:
    """The dialogues of a report, ours or an older tool's.

    Each is graded as the dataset has its case now; without a dataset, as the report says that it
    was. Raises `Refused` where the report holds no case.
    """
    known = {case.id: case for case in dataset.cases} if dataset is not None else {}
    saved: list[Saved] = []
    extra: list[str] = []
    for entry in report.get("cases") or ():
        name = str(entry.get("id"))
        if dataset is not None and name not in known:
            extra.append(name)
        elif (one := _read_saved(entry, known.get(name))) is not None:
            saved.append(one)
    if not saved:
        raise Refused("the report holds no case that could be graded again")
    notes = []
    if dataset is None:
        notes.append(
            "The dataset was not at hand: cases are graded as the report says they were written."
        )
        if any(entry.get("user_type") == "auto" for entry in report["cases"]):
            notes.append(
                "What the played users wanted is not in the report, so judges do not see it."
            )
    return Given(saved=tuple(saved), extra=tuple(extra), notes=tuple(notes))


def _read_saved(entry: Mapping[str, Any], case: DatasetCase | None) -> Saved | None:
    trace = (entry.get("eval") or {}).get("trace")
    trace = trace if isinstance(trace, dict) else {}
    turns: Sequence[Turn] = ()
    problem = ""
    try:
        turns = read_turns(trace)
    except (ValueError, TypeError, AttributeError) as fault:
        problem = f"its dialogue cannot be read: {_first_line(fault)}"
    problem = problem or _find_gap(turns, case.evaluator if case else entry.get("eval_type"))
    if case is None:
        try:
            case = _as_written(entry, trace, turns)
        except (ValueError, TypeError) as fault:
            raise Refused(
                f"the case `{str(entry.get('id'))[:100]}` cannot be graded again without its "
                f"dataset: {_first_line(fault)}"
            ) from None
    return Saved(case, tuple(turns), problem)


def _find_gap(turns: Sequence[Turn], evaluator: object) -> str:
    """What a dialogue lacks for being graded; empty where it lacks nothing.

    A user who ends the dialogue at once is told of by nobody but the evaluator of users.
    """
    for number, turn in enumerate(turns, 1):
        if turn.reply is None and not turn.said.is_finished:
            return f"the report holds no answer of the target to turn {number}"
    if not turns or (evaluator != ABOUT_THE_USER and not any(turn.reply for turn in turns)):
        return "the report holds no answer of the target to it"
    return ""


_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def _as_written(
    entry: Mapping[str, Any], trace: Mapping[str, Any], turns: Sequence[Turn]
) -> DatasetCase:
    """The case as far as a report tells. Raises `ValueError`."""
    fields = {"evaluator": entry.get("eval_type"), **(entry.get("eval_config") or {})}
    check_evaluator(fields)
    history = [
        {"role": _ROLES.get(str(one.get("type")), "user"), "content": str(one.get("content") or "")}
        for one in trace.get("history") or ()
    ]
    return DatasetCase.model_validate(
        {
            "id": entry.get("id"),
            "title": str(entry.get("title") or entry.get("id")),
            "tags": [str(tag) for tag in entry.get("tags") or ()],
            "user": {
                "type": "manual",
                "strict_inputs": [turn.said.text for turn in turns if turn.said.text] or ["-"],
            },
            "eval": fields,
            "history": history,
        }
    )


def _first_line(fault: Exception) -> str:
    if isinstance(fault, ValidationError):
        return first_fault(fault)
    return str(fault).split("\n", 1)[0][:300]
