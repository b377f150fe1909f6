"""The process that compares: two reports as JSON on its input, the rows and words on its output."""

import json
import sys
from typing import Any

from jobs.datasets.compare import compare_reports
from jobs.datasets.compare_words import HEAD, find_cells, find_conclusion, find_notes
from jobs.errors import Refused


def main() -> None:
    first, second = json.load(sys.stdin)
    json.dump(compare(first, second), sys.stdout)


def compare(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """`conclusion`, `head`, `rows` and `notes`; or why there are none, as `refused`."""
    try:
        found = compare_reports(first, second)
    except Refused as refusal:
        return {"refused": str(refusal)}
    return {
        "conclusion": find_conclusion(found),
        "head": HEAD,
        "rows": [find_cells(row) for row in found.rows],
        "notes": find_notes(found),
    }


if __name__ == "__main__":
    main()
