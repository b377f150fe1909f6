"""The files of a measurement: the page that can be watched, the results, the logs."""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from jobs.errors import Refused

_WAITING = (
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="2">'
    "<title>skillbench</title><p>The harness is being checked …</p>"
)


@dataclass(frozen=True, slots=True)
class TriggerFiles:
    """Where what was measured goes; a place that is None was not asked for."""

    page: Path | None
    folder: Path | None
    """Holds `results.json`; of an optimization also `report.html` and `logs/`."""

    @classmethod
    def make(cls, report: str, results: Path | None, skill_name: str, *, optimizing: bool) -> Self:
        """Make the places. `report` is a path, `auto` or `none`. Blocks.

        Only an optimization says anything with the model that a log could keep.

        Raises `Refused` where one cannot be written to, before anything was spent.
        """
        stamp = time.strftime("%Y-%m-%d_%H%M%S")
        folder = results / stamp if results else None
        page: Path | None = Path(report)
        if report == "none":
            page = None
        elif report == "auto":
            temporary = Path(tempfile.gettempdir())
            page = folder / "report.html" if folder else temporary / f"{skill_name}_{stamp}.html"
        try:
            if folder:
                (folder / "logs" if optimizing else folder).mkdir(parents=True)
            if page:
                page.parent.mkdir(parents=True, exist_ok=True)
                page.write_text(_WAITING, encoding="utf-8")
        except OSError as problem:
            raise Refused(f"`{problem.filename}` cannot be written: {problem.strerror}.") from None
        return cls(page, folder)

    @property
    def log(self) -> Path | None:
        """Where what was said with the model about descriptions goes."""
        return self.folder / "logs" / "proposals.jsonl" if self.folder else None

    def show(self, page: str) -> None:
        """Write the page anew, whole or not at all, since a browser may be reading it."""
        if self.page:
            new = self.page.with_suffix(".new")
            new.write_text(page, encoding="utf-8")
            new.replace(self.page)

    def save(self, result: dict[str, Any], page: str | None) -> None:
        """Write what was found at the end."""
        if page is not None:
            self.show(page)
        if self.folder:
            text = json.dumps(result, indent=2, ensure_ascii=False)
            (self.folder / "results.json").write_text(text + "\n", encoding="utf-8")
            if page is not None and self.page != self.folder / "report.html":
                (self.folder / "report.html").write_text(page, encoding="utf-8")
