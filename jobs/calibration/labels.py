"""Reads what people say of outputs from a file: JSON lines, or a table with commas.

A line names what it is about by `run` or `eval_id`, `assertion`, `arm` or `candidate`, and `trial`
where there were several; or it brings the judge's word along as `judge`. Every line that cannot
be used is told with its number, and then nothing is worked out: a figure over half a file would
look like one over all of it.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from jobs.errors import Refused
from jobs.faults import first_fault
from jobs.values import Arm, CandidateName, VerdictWord

LARGEST_FILE = 50_000_000
MOST_TOLD = 20
"""Lines at fault that are named; the rest is counted."""


def _word(value: object) -> object:
    """`Cannot verify` and `CANNOT-VERIFY` are `cannot_verify`."""
    if not isinstance(value, str):
        return value
    return "_".join(value.replace("-", " ").casefold().split())


def _words(value: object) -> object:
    """One word, or one for each reading: `pass/fail`."""
    return [_word(word) for word in value.split("/")] if isinstance(value, str) else value


Word = Annotated[VerdictWord, BeforeValidator(_word)]


class Label(BaseModel):
    """What a person says of one assertion for one output; further columns are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    line: int
    human: Word
    judge: Annotated[tuple[VerdictWord, ...], BeforeValidator(_words)] = ()
    """What the judge's readings said, where the file says so itself."""
    judge_model: str = ""
    """Who that was; verdicts of two judges are in no figure together."""
    run: str = ""
    eval_id: str = ""
    assertion: str = ""
    arm: Annotated[Arm | None, BeforeValidator(_word)] = None
    candidate: Annotated[CandidateName | None, BeforeValidator(_word)] = None
    """As in the first reading of the run's archive."""
    trial: Annotated[int, Field(ge=1)] = 1
    group: str = ""

    @model_validator(mode="after")
    def _says_what_it_is_about(self) -> "Label":
        if self.judge:
            return self
        lacks = [
            what
            for what, is_there in (
                ("`run` or `eval_id`", self.run or self.eval_id),
                ("`assertion`", self.assertion),
                ("`arm` or `candidate`", self.arm or self.candidate),
            )
            if not is_there
        ]
        if lacks:
            raise ValueError(f"without `judge` it needs {', '.join(lacks)}")
        return self


class FaultyLines(Refused):
    """Lines of a file that cannot be used, each with its number."""

    def __init__(self, path: Path, faults: list[tuple[int, str]]) -> None:
        shown = [f"{path.name}:{line}: {fault}" for line, fault in sorted(faults)[:MOST_TOLD]]
        left = len(faults) - MOST_TOLD
        more = [f"and {left} more lines"] if left > 0 else []
        super().__init__("\n".join([*shown, *more]))


def read_labels(path: Path) -> list[Label]:
    """The labels of a file, `.csv` as a table and anything else as JSON lines.

    Raises `FaultyLines` for lines that cannot be used, `Refused` for a file that cannot.
    """
    text = _read_text(path)
    rows = _table_rows if path.suffix.casefold() == ".csv" else _json_rows
    labels: list[Label] = []
    faults: list[tuple[int, str]] = []
    for line, row in rows(text, path):
        if isinstance(row, str):
            faults.append((line, row))
            continue
        try:
            labels.append(Label.model_validate(_named(row) | {"line": line}))
        except ValidationError as error:
            faults.append((line, first_fault(error)))
    if faults:
        raise FaultyLines(path, faults)
    if not labels:
        raise Refused(f"{path} holds no verdict; each line names `human`, at least.")
    return labels


def _named(row: dict[str, Any]) -> dict[str, Any]:
    """The columns by our names, without empty ones; `verdict` is a person's where no `human` is."""
    named = {_word(name): value for name, value in row.items() if value is not None and value != ""}
    if "verdict" in named:
        named.setdefault("human", named["verdict"])
    return {str(name): value for name, value in named.items()}


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Refused(f"{path} is larger than {LARGEST_FILE // 1_000_000} MB.")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Refused(f"{path} is no text in UTF-8.") from problem
    except OSError as problem:
        raise Refused(f"{path} cannot be read: {problem.strerror}.") from problem


Rows = Iterator[tuple[int, dict[str, Any] | str]]


def _json_rows(text: str, _: Path) -> Rows:
    """Each line's fields by its number, or what is wrong with it."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as problem:
            yield number, f"no JSON ({problem})"
            continue
        if isinstance(fields, dict):
            yield number, fields
        else:
            yield number, 'no JSON object such as {"human": "pass", …}'


def _table_rows(text: str, path: Path) -> Rows:
    reader = _open_table(text, path)
    rows = iter(reader)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as problem:
            yield reader.line_num + 1, f"no row of a table ({problem})"
            return
        if None in row:
            yield reader.line_num, "it has more cells than the first line names columns"
        else:
            yield reader.line_num, row


def _open_table(text: str, path: Path) -> "csv.DictReader[str]":
    """The table with the columns that its first line names. Raises `Refused` where it does not."""
    head = re.sub(r'"[^"]*"', "", text.partition("\n")[0])  # a quoted name may hold either sign
    delimiter: Literal[",", ";"] = ";" if ";" in head and "," not in head else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = Counter(_word(name) for name in reader.fieldnames or ())
    except csv.Error as problem:
        raise Refused(
            f"{path.name}:1: no row of a table ({problem}); the first line names the columns."
        ) from problem
    if not names.keys() & {"human", "verdict"}:
        raise Refused(f"{path.name}:1: no column `human`; the first line names the columns.")
    twice = [name for name in ("verdict", *Label.model_fields) if names[name] > 1]
    if twice:
        raise Refused(f"{path.name}:1: two columns `{twice[0]}`; leave one of them.")
    return reader
