"""Redis, for what is told of past runs."""

from tests.jobs.inquiries.conftest import redis

__all__ = ["redis"]
