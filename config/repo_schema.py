"""The JSON Schema of the repository's file, for editors that complete and check it.

Made from `RepoFile` itself: names, kinds, limits and the sentences below the keys. It takes what
the parser takes, as far as JSON Schema can say it; that two labels differ, that an environment
has a definition and that a time of cron ever comes, only the parser knows.
"""

import json
from functools import cache
from typing import Any

from config.repo_file import MAX_ENVIRONMENTS, REPO_FILES, RepoFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""What pydantic writes, and editors read."""


def make_schema() -> dict[str, Any]:
    """The schema as plain JSON values."""
    schema: dict[str, Any] = _tidy(RepoFile.model_json_schema())
    for section in (schema, *schema["$defs"].values()):
        properties = section["properties"]
        for name, value in properties.items():
            properties[name] = _or_nothing(value)
    [named, _] = schema["properties"]["environments"]["anyOf"]
    named |= {"additionalProperties": False, "maxProperties": MAX_ENVIRONMENTS}
    return {"$schema": DIALECT, "title": REPO_FILES[0], **schema}


@cache
def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(make_schema(), indent=2, ensure_ascii=False) + "\n"


def _tidy(value: Any) -> Any:
    """Without the titles that pydantic makes of fields' names, and without lines in sentences."""
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    if isinstance(value, str):
        return " ".join(value.split())
    if not isinstance(value, dict):
        return value
    return {key: _tidy(one) for key, one in value.items() if not _is_noise(key, one)}


def _is_noise(key: str, value: Any) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and not value)


def _or_nothing(value: dict[str, Any]) -> dict[str, Any]:
    """The same, or no value at all: a key without one counts as not written."""
    if "anyOf" in value:
        return value  # one of them is null
    about = {key: one for key, one in value.items() if key in {"description", "default"}}
    rest = {key: one for key, one in value.items() if key not in about}
    return {"anyOf": [rest, {"type": "null"}], **about}
