"""What the parts of the repository's file have in common, and how their faults are told.

A key of the file is one field of a `Section`: its type says what is allowed, and this module
turns what pydantic finds wrong into a line, a key and a sentence. Unknown keys are refused,
since a slip in a key would otherwise be no setting and nobody would be told.
"""

import difflib
import re
import types
from collections.abc import Iterable
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from config.yaml_lines import Document, Path, Problem, dotted, shown

MAX_LISTED = 30
"""Words that one sentence lists."""


def in_schema(**says: str | int) -> Any:
    """What the published JSON Schema says of a value whose check is our own."""
    return Field(json_schema_extra=dict(says))


class Section(BaseModel):
    """A part of the file: a map with known keys. A key without a value counts as not written."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: one for key, one in value.items() if one is not None}
        return value


def find_problems(error: ValidationError, root: type[Section], document: Document) -> list[Problem]:
    """What is wrong with a document, one problem for each fault that pydantic found."""
    found = []
    for fault in error.errors(include_url=False):
        path: Path = tuple(step for step in fault["loc"] if step != "[key]")
        key = dotted(path)
        found.append(Problem(document.line_of(path), key, _sentence(fault, root, path)))
    return found


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that may be meant, as a question to put behind a refusal; else empty."""
    near = difflib.get_close_matches(word[:80].casefold(), list(known), 1, 0.6)
    return f" Did you mean {shown(near[0])}?" if near else ""


def listed(words: Iterable[str], last: str = "and") -> str:
    """Words as code, in a phrase: `a`, `b` and `c`."""
    everything = list(words)
    parts = [shown(word) for word in everything[:MAX_LISTED]]
    if len(everything) > MAX_LISTED:
        parts.append(f"{len(everything) - MAX_LISTED} more")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _sentence(  # noqa: C901, PLR0911 -- a table of sentences
    fault: ErrorDetails, root: type[Section], path: Path
) -> str:
    match fault["type"]:
        case "extra_forbidden":
            keys = _keys(root, path[:-1])
            hint = nearest(str(path[-1]), keys)
            return f"there is no such key.{hint} Allowed are {listed(keys)}."
        case "string_type" if fault["input"] is None:
            return "it is empty."
        case "string_type":
            return "it must be text."
        case "list_type" | "tuple_type":
            return "it must be a list, such as `[first, second]`."
        case "dict_type":
            return "it must be a map from names to what they stand for."
        case "model_type" | "model_attributes_type":
            return f"it must be a map; its keys are {listed(_keys(root, path))}."
        case "too_long":
            limits = fault.get("ctx", {})
            return f"it has {limits['actual_length']} entries; {limits['max_length']} are the most."
        case "too_short":
            return "it is an empty list; leave the key out for what is usual."
        case "literal_error":
            choices = re.findall(r"'([^']+)'", fault["ctx"]["expected"])
            hint = nearest(str(fault["input"]), choices)
            return f"it must be {listed(choices, 'or')}.{hint}"
        case "value_error":
            return re.sub(r"^must ", "it must ", f"{fault['ctx']['error']}.")
    return re.sub(r"^Input should be ", "it must be ", fault["msg"]) + "."


def _keys(root: type[Section], path: Path) -> list[str]:
    """The keys that are allowed at a place of the file."""
    kind: Any = root
    for step in path:
        kind = _bare(kind)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            kind = kind.model_fields[str(step)].annotation
        else:  # a map's values, a list's entries
            kind = get_args(kind)[1 if get_origin(kind) is dict else 0]
    return list(_bare(kind).model_fields)


def _bare(kind: Any) -> Any:
    """A type without `Annotated` and without the alternative of None."""
    while True:
        origin = get_origin(kind)
        if origin is Annotated:
            kind = get_args(kind)[0]
        elif origin in {Union, types.UnionType}:
            kind = next(one for one in get_args(kind) if one is not type(None))
        else:
            return kind
