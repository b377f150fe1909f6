"""Addresses of the pages, for what shows them: `jobs/dashboard/addresses.py` makes them."""

from jobs.dashboard.addresses import (
    ChartKind,
    Picture,
    Theme,
    chart_address,
    repo_address,
    run_address,
    runs_address,
    skill_address,
)

__all__ = [
    "ChartKind",
    "Picture",
    "Theme",
    "chart_address",
    "repo_address",
    "run_address",
    "runs_address",
    "skill_address",
]
