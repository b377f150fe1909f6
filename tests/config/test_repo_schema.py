"""The published JSON Schema says what the parser says, and every key is explained."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from config.repo_file import RepoFile, RepoFileError, parse_repo_file
from config.repo_schema import make_schema, schema_text
from config.sections import Section

DOCS = Path(__file__).parent.parent.parent / "docs"
SCHEMA = make_schema()

WHOLE: dict[str, Any] = {
    "mention": "@measure",
    "labels": {"run": "measure", "done": "measured", "evals": ["case", "eval case"]},
    "models": ["claude-sonnet", "gpt-5"],
    "evals": {"globs": ["evals/**/*.json"], "folder": "evals/ours", "sync": True},
    "skills": {"globs": ["skills/**"], "excludes": ["skills/old", "**/drafts"]},
    "launcher": "claude-code",
    "trials": 3,
    "judge": "claude-opus",
    "environment": "small",
    "environments": {"small": {"image": "a/b:1", "hosts": ["pypi.org"], "packages": {"r": ["gg"]}}},
    "budgets": {"per_run": 2.5, "per_day": 50},
    "permissions": {"run": "maintain", "read": "read", "cancel": "write"},
    "schedule": {"sweep": "0 3 * * *", "summary": "0 6 * * MON", "digest": None},
    "baseline": {"max_age_days": 0},
    "canaries": False,
    "guesser": False,
    "archive": "blob",
    "comments": "short",
    "trigger": {"on_push": True, "models": ["haiku"]},
}
GOOD: list[dict[str, Any]] = [
    {},
    WHOLE,
    *({key: value} for key, value in WHOLE.items() if key != "environment"),
    {"environment": "none"},
    {"models": None, "labels": {"run": None}},
    {"skills": {"globs": ["**", "a/*/b", "./c", "a?/[bc]"]}},
    {"evals": {"folder": "./a/b/"}},
    {"budgets": {"per_run": 0.01, "per_day": 1000000}},
]
BAD: list[dict[str, Any]] = [
    {"colour": "red"},
    {"mention": "measure"},
    {"mention": "@"},
    {"labels": {"walk": "x"}},
    {"labels": {"run": ""}},
    {"labels": {"run": "x" * 51}},
    {"labels": "x"},
    {"models": "claude-sonnet"},
    {"models": [" "]},
    {"models": ["x"] * 11},
    {"evals": {"globs": []}},
    {"evals": {"globs": ["/a"]}},
    {"evals": {"globs": ["a/../b"]}},
    {"evals": {"globs": ["a//b"]}},
    {"evals": {"globs": ["a**/b"]}},
    {"evals": {"globs": ["**.json"]}},
    {"evals": {"globs": ["a\\b"]}},
    {"evals": {"folder": "../x"}},
    {"evals": {"folder": "a/*"}},
    {"evals": {"folder": "/a"}},
    {"evals": {"folder": "~/a"}},
    {"evals": {"folder": ".git/hooks"}},
    {"evals": {"folder": "a/.github/workflows"}},
    {"evals": {"folder": "-x"}},
    {"evals": {"sync": "yes"}},
    {"launcher": "cli"},
    {"trials": 0},
    {"trials": 21},
    {"trials": 1.5},
    {"trials": "many"},
    {"judge": ""},
    {"environment": "A b"},
    {"environments": {"none": {"image": "a"}}},
    {"environments": {"A": {"image": "a"}}},
    {"environments": {"a": {"image": "A"}}},
    {"environments": {f"e{number}": {"image": "a"} for number in range(51)}},
    {"budgets": {"per_run": 0}},
    {"budgets": {"per_day": -1}},
    {"budgets": {"per_day": 1000001}},
    {"budgets": {"per_day": "five"}},
    {"permissions": {"run": "owner"}},
    {"permissions": {"run": "none"}},
    {"schedule": {"sweep": "daily"}},
    {"schedule": {"sweep": "0 3 * * * *"}},
    {"baseline": {"max_age_days": -1}},
    {"archive": "s3"},
    {"comments": "long"},
    {"trigger": {"on_push": "on"}},
]


def is_taken(document: object) -> bool:
    """Whether the parser takes a file; JSON is YAML."""
    try:
        parse_repo_file(json.dumps(document).encode())
    except RepoFileError:
        return False
    return True


def keys(section: type[Section], prefix: str = "") -> Iterator[str]:
    """Every key of the file as a dotted path; the names of environments are anybody's."""
    for name, value in section.model_fields.items():
        yield f"{prefix}{name}"
        kind = value.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            yield from keys(kind, f"{prefix}{name}.")


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_the_published_schema_is_the_parsers():
    """`skillbench schema > docs/skillbench.schema.json` brings it up to date."""
    assert (DOCS / "skillbench.schema.json").read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("document", GOOD)
def test_what_the_parser_takes_the_schema_takes(document: dict[str, Any]):
    assert is_taken(document)
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []


@pytest.mark.parametrize("document", BAD)
def test_what_the_parser_refuses_the_schema_refuses(document: dict[str, Any]):
    assert not is_taken(document)
    assert not Draft202012Validator(SCHEMA).is_valid(document)


def test_every_key_says_what_it_is():
    for section in (SCHEMA, *SCHEMA["$defs"].values()):
        for name, value in section["properties"].items():
            assert value.get("description", "").endswith("."), name


def test_every_key_stands_in_the_document():
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z_.]+)` \|", text, re.MULTILINE))
    sections = {key.rpartition(".")[0] for key in keys(RepoFile)}
    assert named == set(keys(RepoFile)) - sections


def test_the_documents_example_is_taken():
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```yaml\n(# yaml-language-server.*?)```", text, re.DOTALL)
    repo_file = parse_repo_file(example.encode())
    assert repo_file.model_fields_set == set(RepoFile.model_fields)
