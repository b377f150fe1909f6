"""Work that is asked for by several: done once, told to all, ended with the last who waits."""

import asyncio

import pytest

from jobs.environments.once import Once
from jobs.errors import Refused


class Work:
    """Something slow, which counts how often it was begun and cancelled."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self.release = asyncio.Event()
        self.error: Exception | None = None

    async def do(self) -> int:
        self.begun += 1
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error:
            raise self.error
        return self.begun


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_who_asks_meanwhile_gets_the_same():
    once, work = Once[int](), Work()
    asking = [asyncio.create_task(once.run("a", work.do)) for _ in range(3)]
    await settle()
    work.release.set()
    assert await asyncio.gather(*asking) == [1, 1, 1]
    assert await once.run("a", work.do) == 2


async def test_two_keys_are_two_works():
    once, work = Once[int](), Work()
    work.release.set()
    await asyncio.gather(once.run("a", work.do), once.run("b", work.do))
    assert work.begun == 2


async def test_all_hear_of_a_failure_and_the_next_one_tries_again():
    once, work = Once[int](), Work()
    work.error = Refused("no")
    asking = [asyncio.create_task(once.run("a", work.do)) for _ in range(3)]
    await settle()
    work.release.set()
    heard = await asyncio.gather(*asking, return_exceptions=True)
    assert [str(one) for one in heard] == ["no"] * 3
    work.error = None
    assert await once.run("a", work.do) == 2


async def test_the_work_goes_on_while_somebody_waits_and_ends_with_the_last():
    once, work = Once[int](), Work()
    first, second = (asyncio.create_task(once.run("a", work.do)) for _ in range(2))
    await settle()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert (work.cancelled, second.done()) == (0, False)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    assert work.cancelled == 1
    work.release.set()
    assert await once.run("a", work.do) == 2
