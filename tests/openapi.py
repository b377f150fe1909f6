"""GitHub's own description of its API, as a judge of requests and answers.

The description is large (13 MB of JSON), so it is read once and each operation's schemas are
built when first needed. It is OpenAPI 3.0: `nullable` is translated to plain JSON Schema.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT4
from referencing.retrieval import to_cached_resource

from demo.github import Exchange

DESCRIPTION = (
    Path(__file__).parent / "npm/node_modules/@octokit/openapi/generated/api.github.com.json"
)
_ERROR_STATUSES = {301, 307, 400, 401, 403, 404, 410, 422, 429, 500, 502, 503, 504}
"""Any endpoint may answer these, described or not, with GitHub's basic error; it redirects
where a repository was renamed (https://docs.github.com/rest, "Best practices")."""

_INSTALLATIONS = {"type": "array", "items": {"$ref": "#/components/schemas/installation"}}
"""The list of installations is described as if an account were a user *and* an enterprise at
once; a single one is described as either, which is what GitHub sends."""

_UNDESCRIBED = re.compile(r"^/graphql$")

_BY_ID = re.compile(r"^/repositories/\d+")
"""Where a redirect leads: the same endpoints as below the repository's name."""

_BARE = re.compile(r"vnd\.github\.(v3\.)?(sha|raw)\b|application/octet-stream")
"""Media types that bring bare bytes, which the description does not know."""

_formats = FormatChecker(formats=())


@_formats.checks("date-time", raises=ValueError)
def _is_date_time(value: object) -> bool:
    return not isinstance(value, str) or bool(datetime.fromisoformat(value))


@_formats.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(re.fullmatch(r"[a-z][a-z+.-]*://[^\s{}]+", value))


class NotDescribed(AssertionError):  # noqa: N818 -- reads as what was found
    """The exchange is not what GitHub's description allows; the text says where."""


class Description:
    """GitHub's description, asked about one exchange at a time."""

    def __init__(self, path: Path = DESCRIPTION) -> None:
        if not path.exists():
            raise FileNotFoundError(f"{path} is missing: run `npm ci --prefix tests/npm`")
        self._document = json.loads(path.read_bytes())
        listing = self._document["paths"]["/app/installations"]["get"]["responses"]["200"]
        listing["content"]["application/json"]["schema"] = _INSTALLATIONS
        self._validators: dict[int, Draft4Validator] = {}

    @cached_property
    def _registry(self) -> Registry[Any]:
        @to_cached_resource(loads=lambda schema: schema, from_contents=DRAFT4.create_resource)
        def retrieve(uri: str) -> Any:
            return _translate(self._deref({"$ref": "#/" + uri.removeprefix("github:")}))

        return Registry[Any](retrieve=retrieve)  # type: ignore[call-arg]

    def find_operation(self, method: str, path: str) -> Mapping[str, Any] | None:
        """The operation that serves a path; of templates with fewest blanks the longest wins."""
        # a last part may be empty (`/contents`, `/tarball`) and then takes its slash along
        for spelled in (path, path + "/"):
            fitting = [
                (template.count("{"), -len(template), template)
                for template, operations in self._document["paths"].items()
                if method.lower() in operations and _template_pattern(template).fullmatch(spelled)
            ]
            if fitting:
                *_, template = min(fitting)
                operation: Mapping[str, Any] = self._document["paths"][template][method.lower()]
                return operation
        return None

    def validate_request(self, method: str, path: str, body: Any, query: Mapping[str, str]) -> None:
        """Raise `NotDescribed` unless GitHub would understand the request."""
        operation = self._operation(method, path)
        parameters = [self._deref(parameter) for parameter in operation.get("parameters", [])]
        known = {row["name"]: row["schema"] for row in parameters if row["in"] == "query"}
        for name, text in query.items():
            if name not in known:
                raise NotDescribed(f"{method} {path}: query parameter {name!r} does not exist")
            schema = self._deref(known[name])
            self._validate(schema, _read_parameter(schema, text), f"{method} {path}?{name}=")
        self._validate_body(operation, body, f"{method} {path} body")

    def _validate_body(self, operation: Mapping[str, Any], body: Any, where: str) -> None:
        content = self._deref(operation.get("requestBody", {})).get("content", {})
        if body is None:
            return
        if "application/json" not in content:
            raise NotDescribed(f"{where}: this endpoint takes no JSON")
        schema = self._deref(content["application/json"]["schema"])
        self._validate(schema, body, where)
        properties = schema.get("properties")
        if properties and isinstance(body, dict) and (unknown := body.keys() - properties.keys()):
            raise NotDescribed(f"{where}: unknown fields {sorted(unknown)}")

    def validate_response(self, method: str, path: str, status: int, body: Any) -> None:
        """Raise `NotDescribed` unless GitHub describes such an answer."""
        where = f"{method} {path} answer {status}"
        responses = self._operation(method, path)["responses"]
        if str(status) in responses:
            content = self._deref(responses[str(status)]).get("content", {})
            if "application/json" in content and (body is not None or status < 300):
                self._validate(content["application/json"]["schema"], body, where)
        elif status in _ERROR_STATUSES:
            self._validate({"$ref": "#/components/schemas/basic-error"}, body, where)
        elif status != 304:
            raise NotDescribed(f"{where}: GitHub does not describe this status")

    def validate_webhook(self, event: str, payload: Mapping[str, Any]) -> None:
        """Raise `NotDescribed` unless GitHub sends such a payload with such an event."""
        action = payload.get("action")
        name = "-".join(filter(None, [event, action])).replace("_", "-")
        described = self._document["x-webhooks"].get(name)
        if described is None:
            raise NotDescribed(f"webhook {name} is not described")
        content = described["post"]["requestBody"]["content"]["application/json"]
        self._validate(content["schema"], payload, f"webhook {name}")

    def _operation(self, method: str, path: str) -> Mapping[str, Any]:
        operation = self.find_operation(method, path)
        if operation is None:
            raise NotDescribed(f"{method} {path}: GitHub has no such endpoint")
        return operation

    def _deref(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            found: Any = self._document
            for key in schema["$ref"].removeprefix("#/").split("/"):
                found = found[key]
            schema = found
        return schema

    def _validate(self, schema: Mapping[str, Any], value: Any, where: str) -> None:
        # schemas live as long as the document, so their identity is a sound key
        key = id(self._deref(schema))
        if key not in self._validators:
            translated = _translate(self._deref(schema))
            self._validators[key] = Draft4Validator(
                translated, registry=self._registry, format_checker=_formats
            )
        found = self._validators[key].iter_errors(value)
        errors = sorted((one for one in found if not _is_gone(one)), key=lambda error: error.path)
        if errors:
            raise NotDescribed(f"{where}: " + "; ".join(map(_tell, errors[:5])))


def _is_gone(error: ValidationError) -> bool:
    """A null that GitHub sends and describes in webhooks alone: a head whose fork was deleted."""
    return error.instance is None and list(error.path)[-2:] == ["head", "repo"]


@lru_cache(maxsize=1)
def load_description() -> Description:
    """The description, read once in a process."""
    return Description()


def check_exchanges(exchanges: Iterable[Exchange]) -> None:
    """Raise `NotDescribed` for the first exchange that GitHub does not describe.

    An answer that a switched-on fault gave is not judged; the request before it is.
    """
    description = load_description()
    for exchange in exchanges:
        if _UNDESCRIBED.match(exchange.path):
            continue
        path = _BY_ID.sub("/repos/owner/name", exchange.path)
        is_refusal = 400 <= exchange.status < 500
        if not is_refusal:
            description.validate_request(
                exchange.method, path, exchange.request_body, exchange.query
            )
        is_bare = bool(_BARE.search(exchange.headers.get("accept", ""))) and not is_refusal
        if not (exchange.faulted or is_bare or (is_refusal and exchange.route == "")):
            description.validate_response(exchange.method, path, exchange.status, exchange.answer)


@cache
def _template_pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    # a path, a ref or a label may hold slashes of its own
    wide = {"path", "ref", "name", "branch", "tag", "tree_sha"}
    return re.compile(
        "".join(
            re.escape(part) if place % 2 == 0 else (".*" if part in wide else "[^/]+")
            for place, part in enumerate(parts)
        )
    )


def _read_parameter(schema: Mapping[str, Any], text: str) -> Any:
    if schema.get("type") in {"integer", "boolean"}:
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _translate(schema: Any) -> Any:
    """OpenAPI 3.0's schema as JSON Schema: nulls where they are allowed, references renamed."""
    if isinstance(schema, list):
        return [_translate(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str):
        return {"$ref": "github:" + schema["$ref"].removeprefix("#/")}
    plain = {
        # under `properties` keys are names of fields, whatever they look like
        key: {name: _translate(field) for name, field in value.items()}
        if key == "properties"
        else _translate(value)
        for key, value in schema.items()
        if key not in _IGNORED
    }
    if schema.get("nullable") is True:
        return {"anyOf": [{"type": "null"}, plain]}
    return plain


_IGNORED = {"nullable", "example", "examples", "description", "default", "discriminator"}


def _tell(error: ValidationError) -> str:
    """Where and why: of alternatives that all failed, the leaves that failed them."""
    leaves = list(_leaves(error))
    return " | ".join(
        f"{'/'.join(map(str, leaf.absolute_path)) or 'the whole'}: {_reason(leaf)}"
        for leaf in leaves[:6]
    )


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    if not error.context:
        yield error
    for inner in error.context or ():
        yield from _leaves(inner)


def _reason(leaf: ValidationError) -> str:
    # the value itself can be a whole repository; its end is where the reason stands
    return leaf.message if len(leaf.message) < 200 else "…" + leaf.message[-160:]
