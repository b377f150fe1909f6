"""Work beside a block ends with it, and never hides that somebody cancelled the block."""

import asyncio

import pytest

from jobs.alongside import all_ended, alongside

WAIT_S = 5.0


class Unhurried:
    """Work that, once it is cancelled, takes until it is told to end."""

    def __init__(self) -> None:
        self.ending = asyncio.Event()
        self.may_end = asyncio.Event()

    async def run(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.ending.set()
            await self.may_end.wait()


async def test_the_work_is_over_when_the_block_is() -> None:
    async with asyncio.timeout(WAIT_S), alongside(asyncio.Event().wait()) as task:
        assert not task.done()
    assert task.cancelled()


async def test_a_cancellation_that_arrives_while_the_work_ends_is_obeyed() -> None:
    """What follows the block must not be reached: whoever cancelled waits for us to stop."""
    work = Unhurried()
    reached = False

    async def block() -> None:
        nonlocal reached
        async with alongside(work.run()):
            await asyncio.sleep(0)  # the work begins
        reached = True

    running = asyncio.create_task(block())
    async with asyncio.timeout(WAIT_S):
        await work.ending.wait()
        running.cancel()
        work.may_end.set()  # both in one turn of the loop
        await asyncio.wait({running})
    assert running.cancelled()
    assert not reached


async def break_down() -> None:
    raise ValueError("the work's")


async def test_an_error_of_the_work_comes_out_at_the_end_of_the_block() -> None:
    done = []

    async def block() -> None:
        async with alongside(break_down()) as task:
            await asyncio.wait({task})
            done.append("the block went on")

    with pytest.raises(ValueError, match="the work's"):
        await block()
    assert done == ["the block went on"]


async def test_an_error_of_the_block_is_the_one_that_is_told() -> None:
    async def block() -> None:
        async with alongside(break_down()) as task:
            await asyncio.wait({task})
            raise KeyError("the block's")

    with pytest.raises(KeyError, match="the block's"):
        await block()


async def test_of_several_works_none_is_left_behind_when_they_are_stopped() -> None:
    """The one that is quick to end does not end the wait for the one that is not."""
    unhurried = Unhurried()
    together = asyncio.create_task(all_ended([asyncio.Event().wait(), unhurried.run()]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    together.cancel()
    async with asyncio.timeout(WAIT_S):
        await unhurried.ending.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not together.done()
        unhurried.may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await together


async def test_of_several_works_one_that_fails_lets_the_others_end() -> None:
    ended = []

    async def fails() -> int:
        raise ValueError("the first to fail")

    async def ends() -> int:
        for _ in range(5):
            await asyncio.sleep(0)
        ended.append("the other")
        return 1

    with pytest.raises(ValueError, match="the first to fail"):
        await all_ended([fails(), ends()])
    assert ended == ["the other"]
    assert await all_ended([ends(), ends()]) == [1, 1]
