"""When a line of cron last said that something is due. All times are UTC."""

from datetime import datetime, timedelta

from cronsim import CronSim

MINUTE = timedelta(minutes=1)


def find_last_tick(line: str, *, after: datetime, until: datetime) -> datetime | None:
    """The latest time of a line of cron behind `after` and not behind `until`; None: there is none.

    However many were missed in between, one is given. `line` is one that the repository's file
    may hold (`config.repo_kinds.Cron`).
    """
    start = until.replace(second=0, microsecond=0) + MINUTE
    tick: datetime | None = next(CronSim(line, start, reverse=True), None)
    return tick if tick is not None and tick > after else None
