"""Makes datasets of ours from the originals as their authors publish them.

What the original itself leaves out is skipped and counted, with the reason. A line that cannot
be read is a fault, and then nothing is written: a shorter dataset would pass for the whole one.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import ValidationError

from jobs.datasets.cases import DatasetCase
from jobs.datasets.loading import MOST_FAULTS
from jobs.errors import Refused
from jobs.evaluators.registry import check_evaluator
from jobs.faults import first_fault

WEEKS_DAYS_CALCULATOR = "69"
"""Estimated gestational age, whose answer is weeks and days."""
_COLUMNS = (
    "Row Number", "Calculator ID", "Calculator Name", "Category", "Patient Note", "Question",
    "Ground Truth Answer", "Lower Limit", "Upper Limit", "Ground Truth Explanation", "Output Type",
)  # fmt: skip


class Skipped(Exception):  # noqa: N818 -- reads as the outcome it is
    """Why an item of the original becomes no case."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A dataset, and what of the original is not in it."""

    cases: tuple[dict[str, Any], ...]
    skipped: Mapping[str, int]
    """Items by the reason."""

    @property
    def content(self) -> bytes:
        """The file, one case on a line."""
        lines = (json.dumps(case, ensure_ascii=False) for case in self.cases)
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def convert(kind: str, content: bytes, *, file: str, limit: int | None = None) -> Converted:
    """Convert the bytes of an original; `limit` keeps the first cases.

    Raises `Refused` for an unknown kind, and with every line that cannot be read.
    """
    if kind not in CONVERTERS:
        there = ", ".join(f"`{one}`" for one in CONVERTERS)
        raise Refused(f"there is no converter `{kind[:60]}`. There are {there}.")
    read, make = CONVERTERS[kind]
    cases: list[dict[str, Any]] = []
    skipped: Counter[str] = Counter()
    faults: list[str] = []
    lines_of: dict[str, int] = {}
    for number, found in read(content, file):
        if limit is not None and len(cases) >= limit:
            break
        try:
            case = _checked(make(found() if callable(found) else found))
            if (earlier := lines_of.setdefault(case["id"], number)) != number:
                raise ValueError(f"the id `{case['id']}` stands in line {earlier} already")  # noqa: TRY301
        except Skipped as reason:
            skipped[str(reason)] += 1
        except ValueError as fault:
            faults.append(f"{file}:{number}: {fault}")
        else:
            cases.append(case)
    if faults:
        more = len(faults) - MOST_FAULTS
        told = [*faults[:MOST_FAULTS], *([f"and {more} more"] if more > 0 else [])]
        raise Refused("this original cannot be converted:\n" + "\n".join(told))
    if not cases:
        raise Refused(f"{file} holds nothing that becomes a case")
    return Converted(tuple(cases), dict(sorted(skipped.items())))


def _checked(case: dict[str, Any]) -> dict[str, Any]:
    """The case, if a run would take it. Raises `ValueError`."""
    try:
        check_evaluator(DatasetCase.model_validate(case).eval)
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
    return case


def _lines(content: bytes, _: str) -> Iterator[tuple[int, Callable[[], Any]]]:
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield number, partial(_json_object, line)


def _json_object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"no JSON: {fault}") from None
    if not isinstance(found, dict):
        raise ValueError("it must be an object")  # noqa: TRY004
    return found


def _rows(content: bytes, file: str) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{file} is not UTF-8 at byte {error.start}") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if lacking := [name for name in _COLUMNS if name not in (reader.fieldnames or ())]:
        raise Refused(f"{file}: the first line lacks the columns {', '.join(lacking)}")
    try:
        for row in reader:
            known = {name: (row.get(name) or "").strip() for name in _COLUMNS}
            yield reader.line_num, known
    except csv.Error as fault:
        raise Refused(f"{file}:{reader.line_num}: {fault}") from None


def _from_healthbench(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item of simple-evals' HealthBench files."""
    prompt, rubrics = item.get("prompt"), item.get("rubrics")
    if not isinstance(prompt, list) or not prompt:
        raise Skipped("no prompt")
    if not isinstance(rubrics, list) or not rubrics:
        raise Skipped("no rubrics")
    if not all(isinstance(one, dict) and isinstance(one.get("content"), str) for one in prompt):
        raise ValueError("prompt: each message must hold `role` and `content`")
    asked = [at for at, one in enumerate(prompt) if one.get("role") == "user"]
    if not asked:
        raise Skipped("no message of the user")
    name, tags = item.get("prompt_id"), item.get("example_tags") or []
    if not isinstance(name, str) or not name:
        raise ValueError("prompt_id: it must be a text")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise ValueError("example_tags: it must be a list of texts")
    theme = next((tag.partition(":")[2] for tag in tags if tag.startswith("theme:")), "")
    last = asked[-1]
    return {
        "id": f"hb_{name}",
        "title": f"HealthBench — {theme}" if theme else "HealthBench",
        "user": {"type": "manual", "strict_inputs": [prompt[last]["content"]]},
        "history": [{"role": one.get("role"), "content": one["content"]} for one in prompt[:last]],
        "eval": {"evaluator": "healthbench", "rubrics": [_rubric(one) for one in rubrics]},
        "tags": tags,
    }


def _rubric(item: object) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise ValueError("rubrics: each must be an object")  # noqa: TRY004
    return {name: item[name] for name in ("criterion", "points", "tags") if name in item}


def _from_medcalc(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of MedCalc-Bench's CSV."""
    for name in ("Row Number", "Question", "Ground Truth Answer"):
        if not row[name]:
            raise Skipped(f"no {name.lower()}")
    kind = "weeks_days" if row["Calculator ID"] == WEEKS_DAYS_CALCULATOR else row["Output Type"]
    limits = {"lower_limit": row["Lower Limit"], "upper_limit": row["Upper Limit"]}
    if kind != "decimal":
        limits = dict.fromkeys(limits, "")
    elif not all(limits.values()):
        raise Skipped("a decimal without both limits")
    calculator = re.sub(r"\s+", " ", row["Calculator Name"])
    return {
        "id": f"mc_{row['Row Number']}",
        "title": f"MedCalc — {calculator}",
        "user": {
            "type": "manual",
            "strict_inputs": [f"{row['Patient Note']}\n\n{row['Question']}".strip()],
        },
        "eval": {
            "evaluator": "medcalc",
            "ground_truth": row["Ground Truth Answer"],
            **limits,
            "output_type": kind,
            "explanation": row["Ground Truth Explanation"],
        },
        "tags": [
            f"calculator:{_tag(calculator)}",
            f"category:{_tag(row['Category'])}",
            f"output_type:{kind}",
        ],
    }


def _tag(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


Read = Callable[[bytes, str], Iterator[tuple[int, Any]]]
Make = Callable[[Any], dict[str, Any]]
CONVERTERS: Mapping[str, tuple[Read, Make]] = {
    "healthbench": (_lines, _from_healthbench),
    "medcalc": (_rows, _from_medcalc),
}
