"""Work beside the web process, in a real process."""

import asyncio
import os

import pytest

from bot.web.aside import Aside
from jobs.errors import Refused, Transient


def add(first: int, second: int) -> int:
    return first + second


def refuse() -> None:
    raise Refused("no")


def die() -> None:
    os._exit(3)


def stay() -> None:
    while True:
        pass


async def test_work_is_done_in_another_process() -> None:
    aside = Aside()
    try:
        assert await aside.run(add, 2, second=3) == 5
        assert await aside.run(os.getpid) != os.getpid()
    finally:
        aside.close()


async def test_what_work_raises_is_raised_here() -> None:
    aside = Aside()
    try:
        with pytest.raises(Refused, match="no"):
            await aside.run(refuse)
    finally:
        aside.close()


async def test_a_lost_process_is_told_and_begun_anew() -> None:
    aside = Aside()
    try:
        with pytest.raises(Transient):
            await aside.run(die)
        assert await aside.run(add, 1, 1) == 2
    finally:
        aside.close()


async def test_work_without_end_is_ended_and_keeps_nobody_waiting() -> None:
    aside = Aside(longest_s=5)
    try:
        await aside.run(add, 1, 1)
        with pytest.raises(Transient):
            await aside.run(stay)
        assert await aside.run(add, 1, 1) == 2
    finally:
        aside.close()


async def test_what_waits_loses_nothing_by_work_without_end() -> None:
    aside = Aside(longest_s=5)
    try:
        await aside.run(add, 1, 1)
        found = await asyncio.gather(
            aside.run(stay), *(aside.run(add, 1, one) for one in range(3)), return_exceptions=True
        )
        assert isinstance(found[0], Transient)
        assert found[1:] == [1, 2, 3]
    finally:
        aside.close()


async def test_what_waits_loses_nothing_by_a_lost_process() -> None:
    aside = Aside()
    try:
        found = await asyncio.gather(aside.run(die), aside.run(add, 1, 1), return_exceptions=True)
        assert isinstance(found[0], Transient)
        assert found[1] == 2
    finally:
        aside.close()


async def test_what_nobody_waits_for_any_more_keeps_nobody_waiting() -> None:
    aside = Aside(longest_s=30)
    try:
        await aside.run(add, 1, 1)
        left = asyncio.create_task(aside.run(stay))
        await asyncio.sleep(0)
        left.cancel()
        assert await aside.run(add, 1, 1) == 2
        with pytest.raises(asyncio.CancelledError):
            await left
    finally:
        aside.close()


async def test_no_process_is_begun_behind_the_end() -> None:
    aside = Aside()
    aside.close()
    with pytest.raises(Transient):
        await aside.run(add, 1, 1)
