"""Cuts a person's records into texts that can be found one by one."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jobs.errors import Refused
from jobs.targets.user_data import LARGEST_FILE

LONGEST_CHUNK = 24_000
"""Characters of one text; what an embedding takes at most."""


def make_chunks(folder: Path) -> list[str]:
    """The profile whole, each event, each exam value, and the device values of each day.

    Raises `Refused` for files that cannot be read as the records that they should be.
    """
    chunks = []
    profile = _read(folder / "profile.json")
    if profile is not None:
        chunks.append(f"Profile: {json.dumps(profile, ensure_ascii=False)}")
    timeline = _read(folder / "timeline.json")
    entries = timeline.get("entries") if isinstance(timeline, dict) else None
    if not isinstance(entries, list):
        raise Refused(f"{folder.name}/timeline.json must hold a list of `entries`")
    known = [one for one in entries if isinstance(one, dict)]
    chunks += [*_events(known), *_exams(known), *_device_days(known)]
    return [chunk[:LONGEST_CHUNK] for chunk in chunks]


def _events(entries: list[dict[str, Any]]) -> Iterator[str]:
    for one in entries:
        event = one.get("event")
        if one.get("entry_type") == "event" and isinstance(event, dict):
            told = {key: value for key, value in event.items() if value is not None}
            span = f"{one.get('time')} to {one.get('end_time') or 'open'}"
            yield f"Event, {span}: {json.dumps(told, ensure_ascii=False)}"


def _exams(entries: list[dict[str, Any]]) -> Iterator[str]:
    for one in entries:
        if one.get("entry_type") == "exam_indicator":
            where = ", ".join(
                str(one[key]) for key in ("exam_type", "exam_location") if one.get(key)
            )
            yield f"Exam, {one.get('time')} ({where}): {_measured(one)}"


def _device_days(entries: list[dict[str, Any]]) -> Iterator[str]:
    days: dict[str, list[str]] = {}
    for one in entries:
        if one.get("entry_type") == "device_indicator":
            days.setdefault(str(one.get("time", ""))[:10], []).append(_measured(one))
    for day, values in sorted(days.items()):
        yield f"Device values of {day}: {'; '.join(values)}"


def _measured(one: Mapping[str, Any]) -> str:
    return f"{one.get('indicator')} {one.get('value')} {one.get('unit') or ''}".rstrip()


def _read(path: Path) -> Any:
    """A JSON file; None where it is not there. Raises `Refused`."""
    if not path.is_file() or path.is_symlink():
        return None
    if path.stat().st_size > LARGEST_FILE:
        raise Refused(f"{path.name} is larger than {LARGEST_FILE:,} bytes")
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise Refused(f"{path.parent.name}/{path.name} is no JSON") from None
