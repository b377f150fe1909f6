"""Two commands on one machine never carry out the same run at once: it would be paid twice."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jobs.errors import Refused


@contextmanager
def one_at_a_time(data_dir: Path, run_id: str) -> Iterator[None]:
    """Hold a run while the block lasts; the system lets go of it if this process dies.

    Raises `Refused` where another process holds it.
    """
    path = data_dir / "locks" / f"{run_id}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(
                f"the run {run_id} is under way in another process on this machine. Wait for "
                "it, or stop it there."
            ) from None
        yield  # the file stays: were it removed, two could hold it under one name
