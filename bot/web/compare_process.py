"""The process that compares: two reports as JSON on its input; figures and words on its output."""

import json
import sys
from dataclasses import asdict
from typing import Any

from jobs.datasets.compare import compare_reports
from jobs.datasets.compare_words import HEAD, find_cells, find_conclusion, find_notes
from jobs.errors import Refused


def main() -> None:
    first, second = json.load(sys.stdin)
    json.dump(compare(first, second), sys.stdout)


def compare(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """`conclusion`, `head`, `rows` and `notes`, with what they say as figures; or why there are
    none, as `refused`.
    """
    try:
        found = compare_reports(first, second)
    except Refused as refusal:
        return {"refused": str(refusal)}
    return {
        "conclusion": find_conclusion(found),
        "head": HEAD,
        "rows": [find_cells(row) for row in found.rows],
        "notes": find_notes(found),
        "differences": [asdict(row) | {"difference": row.difference} for row in found.rows],
        "only_first": found.only_first,
        "only_second": found.only_second,
        "ungraded": found.ungraded,
    }


if __name__ == "__main__":
    main()
