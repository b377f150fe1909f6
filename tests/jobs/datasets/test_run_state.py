"""What workers that share a run tell each other."""

from pathlib import Path

from bot.blobs import Blobs
from jobs.datasets.run_state import ChunkBegun, RunState, chunk_key
from jobs.requests import LONGEST_KEY
from tests.input_builders import a_request


async def test_a_run_that_is_carried_on_forgets_whom_it_has_lost(tmp_path: Path) -> None:
    state = RunState(Blobs(tmp_path.as_uri()), "0123456789ab")
    begun = ChunkBegun(times=2, ended=7, key="k")
    await state.put_begun(0, begun)
    assert await state.get_begun(0) == begun
    assert await state.get_begun(1) == ChunkBegun()
    await state.reopen(1)
    assert await state.get_begun(0) == ChunkBegun()


def test_chunks_of_the_longest_request_have_keys_of_their_own() -> None:
    asked = a_request(key="k" * LONGEST_KEY)
    keys = {
        chunk_key(asked, "0123456789ab", number, ended=ended)
        for number in (1, 10, 11)
        for ended in (0, 1, 2)
    }
    assert len(keys) == 9
    assert {len(key) for key in keys} == {LONGEST_KEY}
