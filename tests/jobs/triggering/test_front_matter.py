"""A description replaced in place: nothing else of the file moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.content.skill_file import parse_skill_file
from jobs.errors import Refused
from jobs.triggering.front_matter import find_description_problem, replace_description

PATH = "pdf/SKILL.md"
NEW = 'Fills forms: "tax" ones, it\'s for café staff # and more'


def around(before: str, after: str) -> tuple[str, str]:
    return (
        f"---\nname: pdf\n{before}",
        f"{after}license: MIT  # as is\n---\n# Body\n\ndescription: no\n",
    )


@pytest.mark.parametrize(
    ("written", "kept_behind"),
    [
        ("description: Old one\n", "\n"),
        ("description: Old one  # a comment\n", "  # a comment\n"),
        ('description: "Old: one"\n', "\n"),
        ("description: 'Old: it''s one'\n", "\n"),
        ("description: Old\n  wrapped over\n  lines\n", "\n"),
        ("description: >-\n  Old\n  one\n", "\n"),
        ("description: |+\n  Old\n  one\n\n", "\n"),
        ("description: >\n  Old\n# a comment\n", "\n# a comment\n"),
        ("description: Old: with a colon\n", "\n"),
        ("description: Old: with a colon\n  that: goes on\n", "\n"),
        ("description:\n", "\n"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_only_the_value_changes(written: str, kept_behind: str, line_end: str):
    head, tail = around("description: ", kept_behind)
    before, after = around(written, "")
    content = (before + after).replace("\n", line_end).encode()
    changed = replace_description(content, NEW, PATH).decode()
    value = changed[len(head.replace("\n", line_end)) : -len(tail.replace("\n", line_end))]
    assert changed.startswith(head.replace("\n", line_end))
    assert changed.endswith(tail.replace("\n", line_end))
    assert "\n" not in value
    assert parse_skill_file(changed.encode(), PATH, "pdf").description == NEW


def test_a_file_without_a_description_gets_one():
    changed = replace_description(b"---\nname: pdf\n---\nBody\n", "Fills forms", PATH)
    assert changed == b"---\ndescription: Fills forms\nname: pdf\n---\nBody\n"


def test_a_key_of_the_same_name_further_in_is_left_alone():
    content = b"---\nmeta:\n  description: inner\ndescription: outer\n---\nBody\n"
    assert replace_description(content, "Fills forms", PATH) == (
        b"---\nmeta:\n  description: inner\ndescription: Fills forms\n---\nBody\n"
    )


def test_a_byte_order_mark_stays():
    content = b"\xef\xbb\xbf---\nname: pdf\ndescription: Old\n---\nBody\n"
    assert replace_description(content, "New", PATH).startswith(b"\xef\xbb\xbf---\nname: pdf\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"# Body without front matter\n", "no front matter"),
        (b"---\nname: pdf\ndescription: never closed\n", "no front matter"),
        (b"---\nname: \x92\n---\n", "not UTF-8 \\(byte 10\\)"),
        (b"---\nname: [pdf\nname: x\n---\nBody\n", "Mend it first"),
    ],
)
def test_what_cannot_be_read_back_is_refused(content: bytes, said: str):
    with pytest.raises(Refused, match=said):
        replace_description(content, "New", PATH)


@pytest.mark.parametrize(
    ("description", "said"),
    [
        (" ", "it is empty"),
        ("a" * 1_025, "1,025 characters"),
        ("use <it>", "angle brackets"),
        ("two\nlines", "line breaks"),
    ],
)
def test_a_text_that_can_be_no_description_is_refused(description: str, said: str):
    problem = find_description_problem(description)
    assert problem is not None
    assert said in problem
    with pytest.raises(Refused, match=said):
        replace_description(b"---\nname: pdf\n---\n", description, PATH)


@pytest.mark.parametrize("description", ["کتاب\u200cها را می\u200cخواند", "For a 👩\u200d💻"])
def test_letters_that_are_joined_or_parted_are_no_control_characters(description: str):
    changed = replace_description(b"---\nname: pdf\n---\n", description, PATH)
    assert parse_skill_file(changed, PATH, "pdf").description == description


@given(st.text(max_size=200), st.sampled_from(["Old", '"Old: x"', ">-\n  Old\n  x", "Old: x"]))
def test_whatever_is_put_in_is_read_back(description: str, old: str):
    content = f"---\nname: pdf\ndescription: {old}\nlicense: MIT\n---\nBody\n".encode()
    try:
        changed = replace_description(content, description, PATH)
    except Refused:
        return
    assert parse_skill_file(changed, PATH, "pdf").description == " ".join(description.split())
    assert changed.endswith(b"\nlicense: MIT\n---\nBody\n")
