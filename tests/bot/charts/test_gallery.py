"""Pictures that wait for their turn, and those that are kept."""

import asyncio

import pytest

from bot.charts.gallery import MOST_WAITING, Gallery, TooMany, name_of
from bot.charts.subject import Subject
from bot.web.aside import Aside
from tests.bot.charts.given import a_card, subjects


def a_badge() -> Subject:
    [subject] = subjects("badge", 1)
    return subject


def some_badges(count: int) -> list[Subject]:
    [subject] = subjects("badge", 1)
    assert subject.figures is not None
    return [
        subject.model_copy(
            update={
                "figures": subject.figures.model_copy(update={"card": a_card(name=f"skill {n}")})
            }
        )
        for n in range(count)
    ]


async def test_equal_pictures_are_drawn_once_for_all_who_ask() -> None:
    aside = Aside()
    gallery = Gallery(aside)
    try:
        name = name_of(a_badge(), "light", "svg")
        asking = [gallery.picture(name, a_badge(), "light", "svg") for _ in range(100)]
        drawn = await asyncio.gather(*asking)
        assert all(one is drawn[0] for one in drawn)
        assert await gallery.picture(name, a_badge(), "light", "svg") is drawn[0]
    finally:
        aside.close()


async def test_who_goes_away_takes_the_picture_from_nobody() -> None:
    aside = Aside()
    gallery = Gallery(aside)
    try:
        name = name_of(a_badge(), "light", "svg")
        first = asyncio.create_task(gallery.picture(name, a_badge(), "light", "svg"))
        second = asyncio.create_task(gallery.picture(name, a_badge(), "light", "svg"))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).startswith(b"<?xml")
        assert first.cancelled()
    finally:
        aside.close()


async def test_no_more_wait_than_can_be_drawn_soon() -> None:
    aside = Aside()
    gallery = Gallery(aside)
    try:
        asking = [
            gallery.picture(name_of(one, "light", "svg"), one, "light", "svg")
            for one in some_badges(MOST_WAITING + 5)
        ]
        answers = await asyncio.gather(*asking, return_exceptions=True)
        assert sum(isinstance(one, TooMany) for one in answers) == 5
        assert sum(isinstance(one, bytes) for one in answers) == MOST_WAITING
    finally:
        aside.close()


async def test_only_so_much_is_kept() -> None:
    """What was not asked for longest goes first."""
    aside = Aside()
    first, second, third = some_badges(3)
    names = [name_of(one, "light", "svg") for one in (first, second, third)]
    try:
        size = len(await Gallery(aside).picture(names[0], first, "light", "svg"))
        gallery = Gallery(aside, room_bytes=2 * size + size // 2)
        kept = [
            await gallery.picture(name, one, "light", "svg")
            for name, one in zip(names[:2], (first, second), strict=True)
        ]
        assert await gallery.picture(names[0], first, "light", "svg") is kept[0]
        await gallery.picture(names[2], third, "light", "svg")
        assert await gallery.picture(names[0], first, "light", "svg") is kept[0]
        assert await gallery.picture(names[1], second, "light", "svg") is not kept[1]
    finally:
        aside.close()


def test_a_name_tells_theme_format_and_data() -> None:
    subject, other = some_badges(2)
    names = {
        name_of(subject, "light", "svg"),
        name_of(subject, "dark", "svg"),
        name_of(subject, "light", "png"),
        name_of(other, "light", "svg"),
    }
    assert len(names) == 4


async def test_a_picture_that_cannot_be_drawn_is_told_and_drawn_anew() -> None:
    """Its process is lost; the next one who asks gets another."""
    aside = Aside(longest_s=0.0)
    gallery = Gallery(aside)
    name = name_of(a_badge(), "light", "svg")
    try:
        with pytest.raises(Exception, match="try again"):
            await gallery.picture(name, a_badge(), "light", "svg")
    finally:
        aside.close()
