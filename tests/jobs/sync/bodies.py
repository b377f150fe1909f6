"""The other way round: an eval case in JSON as the issue that it may have been made of."""

from collections.abc import Mapping
from typing import Any


def render_issue(case: Mapping[str, Any]) -> str:
    """The body of an issue with the fields of a file, by the template's headings."""
    sections = {
        "Skills": _items(case["target_skills"]),
        "Language (Optional)": str(case.get("language") or ""),
        "Query": case["prompt"],
        "Expected Output": case["expected_output"],
        "Attached Files / Input Context (Optional)": _items(case["files"]),
        "Rubric Criteria (Assertions)": _items(case["assertions"]),
    }
    return "\n".join(f"## {title}\n\n{text}\n" for title, text in sections.items())


def _items(texts: list[str]) -> str:
    """A list; the lines of an item that has several stand below it."""
    return "\n".join("- " + text.replace("\n", "\n  ") for text in texts)
