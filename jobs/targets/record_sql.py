"""SQL over a person's timeline, in DuckDB: three tables in memory and nothing else within reach.

DuckDB comes with the extra `records`; without it the tool is not offered. The connection can
open no file and reach no address, so what a model asks for can be wrong and no worse.
"""

import importlib.util
import threading
from typing import TYPE_CHECKING, Any

from jobs.targets.record_queries import TIMELINE, Records

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LIMIT_S = 5.0
MOST_ROWS = 200
_EVENT = (
    "event_id", "event_type", "event_name", "start_date", "duration_days", "interrupted",
    "interruption_date",
)  # fmt: skip
_COLUMNS = {
    "device_indicators": ("user_id", "time", "indicator", "device_type", "value", "unit"),
    "exam_indicators": (
        "user_id", "time", "indicator", "exam_type", "exam_location", "value", "unit",
    ),
    "events": ("user_id", "time", "end_time", *_EVENT),
}  # fmt: skip
_TABLES = {
    "device_indicator": "device_indicators",
    "exam_indicator": "exam_indicators",
    "event": "events",
}
_BEGINNINGS = ("select", "with", "describe", "pragma table_info", "pragma show_tables", "show")


def is_offered() -> bool:
    """Whether DuckDB is installed."""
    return importlib.util.find_spec("duckdb") is not None


class RecordTables:
    """The tables of one person. Every method blocks."""

    def __init__(self, records: Records, user: str) -> None:
        import duckdb  # noqa: PLC0415 -- an extra

        self._connection = duckdb.connect(
            ":memory:", config={"threads": 1, "memory_limit": "512MB"}
        )
        self._connection.execute("SET enable_external_access = false")
        for table, columns in _COLUMNS.items():
            kinds = ", ".join(f'"{name}" VARCHAR' for name in columns)
            self._connection.execute(f"CREATE TABLE {table} ({kinds})")
        self._fill(records, user)
        self._connection.execute("SET lock_configuration = true")

    def _fill(self, records: Records, user: str) -> None:
        content = records.content(TIMELINE)
        rows: dict[str, list[tuple[str | None, ...]]] = {table: [] for table in _COLUMNS}
        for one in content.get("entries", ()) if isinstance(content, dict) else ():
            table = _TABLES.get(one.get("entry_type", "")) if isinstance(one, dict) else None
            if table is not None:
                event = one.get("event") if isinstance(one.get("event"), dict) else {}
                flat = {**one, **event, "user_id": user}
                rows[table].append(tuple(_text(flat.get(name)) for name in _COLUMNS[table]))
        for table, content_rows in rows.items():
            insert_rows(self._connection, table, content_rows)

    def query(self, sql: str) -> dict[str, Any]:
        """Rows of one reading statement. Raises `ValueError` with a sentence for the model."""
        statement = " ".join(sql.split()).lower().lstrip("(")
        if not statement.startswith(_BEGINNINGS):
            raise ValueError("only SELECT, WITH, DESCRIBE and PRAGMA table_info or show_tables")
        import duckdb  # noqa: PLC0415

        stop = threading.Timer(LIMIT_S, self._connection.interrupt)
        stop.start()
        try:
            if len(self._connection.extract_statements(sql)) != 1:
                raise ValueError("one statement at a time")
            # a transaction that is never kept: what slips through a WITH changes nothing
            self._connection.begin()
            try:
                found = self._connection.execute(sql)
                names = [one[0] for one in found.description or ()]
                rows = found.fetchmany(MOST_ROWS + 1)
            finally:
                self._connection.rollback()
        except duckdb.InterruptException:
            raise ValueError(f"the query took longer than {LIMIT_S:g} s") from None
        except duckdb.Error as fault:
            raise ValueError(f"DuckDB says: {str(fault)[:500]}") from None
        finally:
            stop.cancel()
        result: dict[str, Any] = {
            "columns": names,
            "rows": [list(map(_plain, one)) for one in rows],
        }
        if len(rows) > MOST_ROWS:
            result |= {"rows": result["rows"][:MOST_ROWS], "note": f"the first {MOST_ROWS} rows"}
        return result


def insert_rows(
    connection: "DuckDBPyConnection", table: str, rows: list[tuple[str | None, ...]]
) -> None:
    """Put rows into a table, column by column, a thousand times as fast as row by row."""
    if not rows:
        return
    columns = [list(column) for column in zip(*rows, strict=True)]
    unnested = ", ".join("unnest(?::VARCHAR[])" for _ in columns)
    connection.execute(f"INSERT INTO {table} SELECT {unnested}", columns)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
