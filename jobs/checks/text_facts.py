"""Whether claims about tables and texts hold."""

import csv
import io
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import regex

from jobs.checks.claims import Contains, Counts, Matches
from jobs.checks.files import OutputFolder, Told

MATCH_TIMEOUT_S = 2.0
"""A pattern can take for ever on a text that somebody made for it."""
SHOWN = 80
OTHER_SEPARATORS = (";", "\t", "|")
_NO_LETTERS = regex.compile(r"[\W_]+")
_TO_BE_FILLED = regex.compile(r"<[^<>]+>|\{[^{}]*\}|\[[^\[\]]+\]|…|\.\.\.|\b[NX]{1,3}\b|__+")
"""A text with a gap says how something is to look, and need not stand there letter for letter."""


def tell_text(claim: Contains, output: OutputFolder) -> Told:
    """Whether a text is in a file; a reader must look where it is there in other letters."""
    text = output.read_text(claim.path)
    if isinstance(text, Told):
        return text
    shown = claim.text if len(claim.text) <= SHOWN else f"{claim.text[:SHOWN]}…"
    if claim.text in text:
        if claim.text[0].isspace() or _as_words(claim.text).search(text):
            return Told(not claim.absent, f"“{shown}” stands in {claim.path}.")
        return Told(None, f"“{shown}” stands in {claim.path} as a part of something longer.")
    if (bare := _bare(claim.text)) and bare in _bare(text):
        return Told(None, f"“{shown}” stands in {claim.path} in another spelling.")
    if not claim.absent and _TO_BE_FILLED.search(claim.text):
        return Told(None, f"“{shown}” is not in {claim.path} letter for letter.")
    return Told(claim.absent, f"“{shown}” is not in {claim.path}.")


def tell_match(claim: Matches, output: OutputFolder) -> Told:
    """Whether a regular expression is found, `^` and `$` being those of a line."""
    text = output.read_text(claim.path)
    if isinstance(text, Told):
        return text
    if "\\r" not in claim.pattern:  # else the end of a line is where another system has it
        text = text.replace("\r\n", "\n")
    try:
        # concurrent: without the lock of the interpreter, so that nothing else waits for it
        found = regex.search(
            claim.pattern, text, regex.MULTILINE, timeout=MATCH_TIMEOUT_S, concurrent=True
        )
    except TimeoutError:
        return Told(
            None, f"The expression was not done with {claim.path} in {MATCH_TIMEOUT_S:g} s."
        )
    except (regex.error, RecursionError, MemoryError):
        return Told(None, "The expression cannot be used.")
    if found is None:
        return Told(claim.absent, f"The expression is not found in {claim.path}.")
    line = text.count("\n", 0, found.start()) + 1
    shown = found.group()[:SHOWN]
    return Told(
        not claim.absent, f"The expression is found in line {line} of {claim.path}: “{shown}”."
    )


def tell_csv(path: str, output: OutputFolder) -> Told:
    """Whether the file is a table with one number of fields."""
    text = output.read_text(path)
    if isinstance(text, Told):
        return text
    table = _measure(path, text)
    if isinstance(table, Told):
        return table
    if not table.records:
        return Told(holds=False, found=f"{path} is empty.")
    if table.widest > table.columns:
        return Told(
            holds=False,
            found=f"Record {table.widest_record} of {path} has {table.widest} fields, "
            f"the first has {table.columns}.",
        )
    if table.narrowest < table.columns or table.columns < 2:
        found = (
            f"Not all records of {path} have {table.columns} fields, or they have one, as prose."
        )
        return Told(None, found)
    return Told(
        holds=True, found=f"{path} has {table.records:,} records of {table.columns} fields."
    )


def tell_count(claim: Counts, output: OutputFolder) -> Told:
    """Whether a table or text has so many rows, columns or lines."""
    text = output.read_text(claim.path)
    if isinstance(text, Told):
        return text
    if claim.what == "lines":
        return _tell_lines(claim, text)
    table = _measure(claim.path, text)
    if isinstance(table, Told):
        return table
    if claim.what == "columns":
        return _tell_columns(claim, table)
    rows = max(table.records - 1, 0)
    found = f"{claim.path} has {rows:,} rows below its first."
    below, all_rows = (claim.wanted.holds(Decimal(count)) for count in (rows, table.records))
    # whether the first one is a header nobody has said
    agreed = below == all_rows or claim.what == "data rows"
    return Told(below if agreed else None, found)


def _tell_lines(claim: Counts, text: str) -> Told:
    """As `wc` counts them; a reader must say whether blank ones count where that matters."""
    lines = written = 0
    for line in io.StringIO(text, newline=None):
        lines += 1
        written += not line.isspace()
    holds, without_blank = (claim.wanted.holds(Decimal(count)) for count in (lines, written))
    found = f"{claim.path} has {lines:,} lines, {written:,} of them not blank."
    return Told(holds if holds == without_blank else None, found)


def _tell_columns(claim: Counts, table: "_Table") -> Told:
    if table.columns < 2 and table.may_be_separated:
        return Told(None, f"{claim.path} may have other separators than commas.")
    found = f"{claim.path} has {table.columns} columns."
    if table.widest != table.narrowest:
        return Told(None, f"Not all records of {claim.path} have {table.columns} fields.")
    return Told(claim.wanted.holds(Decimal(table.columns)), found)


class _Table(NamedTuple):
    records: int = 0
    columns: int = 0
    """Fields of the first record."""
    narrowest: int = 0
    widest: int = 0
    widest_record: int = 0
    may_be_separated: bool = False
    """Whether another character than ours may separate the fields of the first."""


def _measure(path: str, text: str) -> _Table | Told:
    """The size of a table; told where it is none, or none that everybody reads alike."""
    separator = "\t" if path.casefold().endswith(".tsv") else ","
    table = _Table()
    try:
        for record in _records(text, separator):
            fields = len(record)
            if not table.records:
                other = any(mark in record[0] for mark in OTHER_SEPARATORS)
                table = _Table(0, fields, fields, fields, 1, fields == 1 and other)
            widest = fields > table.widest
            table = table._replace(
                records=table.records + 1,
                narrowest=min(table.narrowest, fields),
                widest=max(table.widest, fields),
                widest_record=table.records + 1 if widest else table.widest_record,
            )
    except csv.Error as error:
        unclosed = "unexpected end of data" in str(error)
        holds = False if unclosed else None
        return Told(holds, f"{path} cannot be read as a table: {error}.")
    return table


def _records(text: str, separator: str) -> Iterator[list[str]]:
    """The records that are not blank."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    return (record for record in reader if record)


def _as_words(text: str) -> regex.Pattern[str]:
    """Finds a text where it is not a part of a longer word or number: no `4` in `42` or `4.5`."""
    before = r"(?<!\w)(?<!\d[.,])" if text[0].isalnum() else ""
    after = r"(?!\w|[.,]\d)" if text[-1].isalnum() else ""
    return regex.compile(f"{before}{regex.escape(text)}{after}")


def _bare(text: str) -> str:
    """Letters and digits alone, so that no mark of Markdown stands between them."""
    return _NO_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())
