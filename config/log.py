"""Logging, set up once: events with named values, one a line, without secrets.

Everything passes through it, also what libraries log the usual way. Ids (`delivery`,
`request`) are bound once with `structlog.contextvars` and stand in each line until they
are unbound.
"""

import logging
import re
import sys
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor

HIDDEN = "[hidden]"

_SECRET_KEY = re.compile(
    r"secret|password|passwd|authorization|api_?key|private_?key|(access|auth|bearer)_?token|^token$",
    re.IGNORECASE,
)
_SECRET_TEXT = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_.]{16,}"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)",
    re.DOTALL,
)
"""Keys, tokens of GitHub and of the model providers, JWTs, and passwords inside addresses."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

QUIET = (
    "arq",
    "httpx",
    "httpcore",
    "httpx2",
    "httpcore2",
    "githubkit",
    "anthropic",
    "openai",
    "asyncio",
)
"""Libraries that log every call; only their warnings are worth a line."""


class Redactor:
    """Hides secrets: the values it was given, what looks like one, what is named like one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # the longest first, so that one secret within another leaves no rest of it
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 6}, key=len)[::-1]

    def __call__(self, _: Any, __: str, event: EventDict) -> EventDict:
        return self._hide_in_mapping(event)

    def hide(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return _SECRET_TEXT.sub(HIDDEN, text)

    def _hide_in_mapping(self, mapping: Mapping[str, Any]) -> MutableMapping[str, Any]:
        return {
            key: HIDDEN if value and _SECRET_KEY.search(str(key)) else self._hide_in(value)
            for key, value in mapping.items()
        }

    def _hide_in(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, bytes):
            return self.hide(value.decode("utf-8", errors="replace"))
        if isinstance(value, Mapping):
            return self._hide_in_mapping(value)
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self._hide_in(item) for item in value]
        if value is None or isinstance(value, (bool, int, float)):
            return value
        return self.hide(str(value))


def on_its_line(_: Any, __: str, event: EventDict) -> EventDict:
    """Keep what is logged from moving about on a terminal, or from passing for a line of ours.

    JSON escapes by itself. Only a traceback may have several lines, and those stand further in.
    """
    for key, value in event.items():
        if isinstance(value, str):
            is_trace = key in {"exception", "stack"}
            lines = value.split("\n") if is_trace else [value]
            event[key] = "\n    ".join(_CONTROL.sub(_escaped, line) for line in lines)
    return event


def _escaped(match: re.Match[str]) -> str:
    return repr(match[0])[1:-1]


def set_up_logging(
    *,
    as_json: bool,
    secrets: Iterable[str] = (),
    level: int = logging.INFO,
    stream: TextIO | None = None,
) -> None:
    """Send every log line to `stream` (standard error), as JSON or for reading.

    `secrets` are values that must not appear in any line, whatever name they go by.
    """
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    last: list[Processor] = (
        [structlog.processors.JSONRenderer()]
        if as_json
        else [on_its_line, structlog.dev.ConsoleRenderer(colors=False)]
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *before],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            Redactor(secrets),
            *last,
        ],
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
