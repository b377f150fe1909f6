"""One short game of chaos with every test run; `make chaos` plays more and longer ones."""

from tests.chaos.game import Size, play
from tests.jobs.sessions.watching import adopting_orphans

SHORT = Size(workers=2, askings=3, kills=2, faults=5, span_s=6.0)
SEED = 2


async def test_nothing_is_lost_and_nothing_done_twice_whatever_is_killed(app_key: str) -> None:
    with adopting_orphans():
        outcome = await play(SEED, SHORT, private_key_pem=app_key)
    assert outcome.findings == [], f"logs: {outcome.folder}"
    assert outcome.finished >= 2
    assert outcome.broken.kills.total() == SHORT.kills
