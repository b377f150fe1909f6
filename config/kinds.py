"""Kinds of settings that a plain type does not check: addresses, periods, the mention.

A deployment learns at its start what it cannot use, not from the first job that fails. Each
refusal says what would be taken; none repeats the value, which may hold a password.
"""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from config.environments.definition import is_host

_NUMBER = re.compile(r"\s*\d{1,9}(?:\.\d+)?\s*")
_MENTION = re.compile(r"@[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_ORIGIN = re.compile(r"https?://[^/?#@\s*]+")
_APP_ID = re.compile(r"[0-9]{1,20}|Iv[A-Za-z0-9.]{1,60}")


def _period(value: Any) -> Any:
    """Numbers are seconds, also where they arrive as text, as the environment's do."""
    if isinstance(value, str):
        if _NUMBER.fullmatch(value):
            return float(value)
        if not re.fullmatch(r"P[0-9DTHMSW.]+|\d{1,4}:\d\d:\d\d(?:\.\d+)?", value):
            raise ValueError("must be seconds (1800), ISO 8601 (PT30M) or a clock's (00:30:00)")
    return value


def _positive(value: timedelta) -> timedelta:
    if value <= timedelta():
        raise ValueError("must be longer than nothing")
    return value


def _web_address(value: str) -> str:
    """Without the slash at its end. Empty stays empty: the setting is not set."""
    if not value:
        return value
    if not _is_address(value, ("http", "https")):
        raise ValueError("must be an address such as https://host or https://host/path")
    return value.rstrip("/")


def _redis_address(value: str) -> str:
    is_socket = re.match(r"unix://[^?#]*/[^?#]", value)
    if value and not is_socket and not _is_address(value, ("redis", "rediss")):
        raise ValueError("must be redis://host:port/0, rediss://host:port/0 or unix:///socket")
    return value


def _blob_address(value: str) -> str:
    if value and not re.match(r"file://(?:localhost)?/|s3://[^/?#]", value):
        raise ValueError("must be file:///folder or s3://bucket/prefix")
    return value


def _is_address(value: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in schemes and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # a port that is no number, a bracket left open
        return False


def _hosts(value: str) -> str:
    names = [name.strip().lower() for name in value.split(",") if name.strip()]
    if names in (["*"], ["none"]) or all(is_host(name) for name in names):
        return ",".join(names)
    raise ValueError(
        "must be full names of hosts, separated by commas, such as pypi.org; `*` for all, "
        "`none` for none"
    )


def _origins(value: str) -> str:
    origins = [one.strip().lower() for one in value.split(",") if one.strip()]
    if not all(_ORIGIN.fullmatch(one) and _is_address(one, ("http", "https")) for one in origins):
        raise ValueError(
            "must be origins, separated by commas, such as https://charts.example.org: without a "
            "path, and no `*`"
        )
    return ",".join(origins)


def _mention(value: str) -> str:
    if not _MENTION.fullmatch(value):
        raise ValueError("must look like @name, of letters, digits, `.`, `_` and `-`")
    return value


def _app_id(value: str) -> str:
    if value and not _APP_ID.fullmatch(value):
        raise ValueError("must be the App's id, a number, or its client id, which begins with Iv")
    return value


Period = Annotated[timedelta, BeforeValidator(_period), AfterValidator(_positive)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
RedisAddress = Annotated[str, AfterValidator(_redis_address)]
BlobAddress = Annotated[str, AfterValidator(_blob_address)]
Mention = Annotated[
    str, AfterValidator(_mention), Field(json_schema_extra={"pattern": f"^{_MENTION.pattern}$"})
]
HostList = Annotated[str, AfterValidator(_hosts)]
"""A comma list of hosts in lower case, `*` or `none`."""
OriginList = Annotated[str, AfterValidator(_origins)]
"""A comma list of origins, in lower case as browsers send them."""
Dollars = Annotated[Decimal, Field(gt=0, le=1_000_000)]
AppId = Annotated[str, AfterValidator(_app_id)]
