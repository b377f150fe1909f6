"""The tools of `<suite>/retrieve`: seven ways to look into one person's records.

They are ours: a suite's own programs are never run. Six always work; `query_duckdb` is there
where DuckDB is installed.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from jobs.conversation import Tool, ToolOutcome
from jobs.datasets.dialogue import ToolUse
from jobs.faults import first_fault
from jobs.targets import record_queries as queries
from jobs.targets.record_queries import MOST_HITS, MOST_RESULTS, Records
from jobs.targets.record_sql import RecordTables, is_offered

LONGEST_RESULT = 16_000
"""Characters of what a tool answers."""
Source = Literal["auto", "device", "exam"]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ListFiles(_Arguments):
    """List the person's files with their sizes."""


class ReadFile(_Arguments):
    """Without a path: the structure of a file. With one: what stands there."""

    filename: str
    path: str | None = None
    max_items: int = Field(5, ge=1, le=MOST_RESULTS)


class QueryJson(_Arguments):
    """Look into a file by JMESPath, by a simple path, or by a key and a part of its value."""

    filename: str
    jmes: str | None = None
    path: str | None = None
    where_key: str | None = None
    where_value: str | None = None
    select: Annotated[
        tuple[str, ...],
        BeforeValidator(lambda one: one.split(",") if isinstance(one, str) else one),
    ] = ()
    max_results: int = Field(MOST_RESULTS, ge=1, le=MOST_RESULTS)
    offset: int = Field(0, ge=0)


class SearchFile(_Arguments):
    """Find a word in the keys and values of a file, or below a path of it."""

    filename: str
    keyword: str
    path: str = "$"
    max_hits: int = Field(MOST_HITS, ge=1, le=MOST_HITS)


class LookupIndicator(_Arguments):
    """Values of the indicators whose name holds a text, of one date or of all."""

    indicator: str
    date: str | None = None
    source: Source = "auto"
    max_results: int = Field(8, ge=1, le=MOST_RESULTS)
    offset: int = Field(0, ge=0)


class ListIndicatorsOnDate(_Arguments):
    """The names of all indicators that were measured on a date."""

    date: str
    source: Source = "auto"


class QueryDuckdb(_Arguments):
    """Reading SQL (DuckDB) over device_indicators, exam_indicators and events; 200 rows, 5 s."""

    sql: str = Field(max_length=10_000)


class RecordTools:
    """The tools of one conversation (a `jobs.conversation.ToolBox`)."""

    def __init__(self, folder: Path) -> None:
        self._records = Records(folder)
        self._user = folder.name.replace("_AT_", "@")
        self._tables: RecordTables | None = None
        self._calls: list[ToolUse] = []
        self._kinds: Mapping[str, tuple[type[_Arguments], Callable[[Any], object]]] = {
            "list_files": (ListFiles, lambda _: self._records.files()),
            "read_file": (ReadFile, self._read_file),
            "query_json": (QueryJson, self._query_json),
            "search_file": (SearchFile, self._search_file),
            "lookup_indicator": (LookupIndicator, self._lookup),
            "list_indicators_on_date": (ListIndicatorsOnDate, self._list_on_date),
            **({"query_duckdb": (QueryDuckdb, self._query_duckdb)} if is_offered() else {}),
        }
        self.tools: Sequence[Tool] = [
            Tool(name, (kind.__doc__ or "").strip(), kind.model_json_schema())
            for name, (kind, _) in self._kinds.items()
        ]

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        outcome = await asyncio.to_thread(self._call, name, arguments)
        self._calls.append(ToolUse(name=name, arguments=arguments, result=outcome.text))
        return outcome

    def take_calls(self) -> tuple[ToolUse, ...]:
        """What was called since this was last asked."""
        taken, self._calls = tuple(self._calls), []
        return taken

    def _call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        if name not in self._kinds:
            return ToolOutcome(f"there is no tool {name[:100]}", failed=True)
        kind, work = self._kinds[name]
        try:
            found = work(kind.model_validate(arguments))
        except ValidationError as error:
            return ToolOutcome(first_fault(error), failed=True)
        except ValueError as fault:
            return ToolOutcome(str(fault), failed=True)
        text = json.dumps(found, ensure_ascii=False, default=str)
        if len(text) > LONGEST_RESULT:
            text = f"{text[:LONGEST_RESULT]} … (cut; ask for less)"
        return ToolOutcome(text)

    def _read_file(self, asked: ReadFile) -> object:
        content = self._records.content(asked.filename)
        if asked.path is None:
            return queries.outline(content, asked.max_items)
        return queries.at_path(content, asked.path)

    def _query_json(self, asked: QueryJson) -> object:
        content = self._records.content(asked.filename)
        ways = [asked.jmes, asked.path, asked.where_key]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("say one of jmes, path, or where_key with where_value")
        if asked.jmes is not None:
            found = queries.by_jmespath(content, asked.jmes)
        elif asked.path is not None:
            found = queries.at_path(content, asked.path)
        else:
            found = queries.where(content, asked.where_key or "", asked.where_value or "")
        return _page(queries.select(found, asked.select), asked.max_results, asked.offset)

    def _search_file(self, asked: SearchFile) -> object:
        content = queries.at_path(self._records.content(asked.filename), asked.path)
        return queries.search(content, asked.keyword, asked.max_hits)

    def _lookup(self, asked: LookupIndicator) -> object:
        found = queries.lookup(self._records, asked.indicator, asked.date, asked.source)
        return _page(found, asked.max_results, asked.offset)

    def _list_on_date(self, asked: ListIndicatorsOnDate) -> object:
        return queries.indicators_on(self._records, asked.date, asked.source)

    def _query_duckdb(self, asked: QueryDuckdb) -> object:
        if self._tables is None:
            self._tables = RecordTables(self._records, self._user)
        return self._tables.query(asked.sql)


def _page(found: object, most: int, offset: int) -> object:
    """A part of a list, with how long it is; anything else as it is."""
    if not isinstance(found, list):
        return found
    return {"total": len(found), "offset": offset, "results": found[offset : offset + most]}
