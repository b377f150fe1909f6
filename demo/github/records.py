"""Smaller records that hang on a repository and name no account of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class MovedIssue:
    """Where a transferred issue went."""

    repository_id: int
    number: int


@dataclass(eq=False, kw_only=True)
class Label:
    """A label of a repository."""

    id: int
    name: str
    color: str
    description: str | None = None


@dataclass(eq=False, kw_only=True)
class Check:
    """A check run."""

    id: int
    app_id: int
    """The App that made it."""
    suite_id: int
    name: str
    commit: str
    external_id: str = ""
    details_url: str | None = None
    status: str = "queued"
    conclusion: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Mapping[str, Any]] = field(default_factory=list)
    """As they were sent, in the order in which they came."""
    actions: list[Mapping[str, str]] = field(default_factory=list)
    started_at: datetime
    completed_at: datetime | None = None
