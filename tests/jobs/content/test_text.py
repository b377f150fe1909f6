"""Strangers' text has one spelling for each thing, and none of it comes alive in a reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.content.text import (
    clean_text,
    is_no_response,
    is_none,
    listed,
    quoted,
    size_words,
    without_blank_edges,
)


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("\ufeffa\ufeff", "a\ufeff"),
        ("a\0b", "a\ufffdb"),
        ("half \ud83e a pair", "half \ufffd a pair"),
        ("whole \ud83e\uddee pair", "whole 🧮 pair"),
        ("a\u2028b\x85c\x0bd", "a\u2028b\x85c\x0bd"),
    ],
)
def test_line_ends_marks_and_halves_are_settled(written: str, clean: str):
    assert clean_text(written) == clean


@given(text=st.text(alphabet=st.characters()))
def test_clean_text_can_be_stored_and_is_clean(text: str):
    clean = clean_text(text)
    assert clean.encode().decode() == clean
    assert clean_text(clean) == clean.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("text", "rest"),
    [("\n \n  a\n\n b \n\t\n", "  a\n\n b "), ("\n\n", ""), ("", ""), ("a", "a")],
)
def test_blank_lines_go_at_the_edges_only(text: str, rest: str):
    assert without_blank_edges(text) == rest


@pytest.mark.parametrize(
    "text",
    ["none", "None.", "_NONE_", "n/a", "N / A", "n.a.", "NA", "-", "—", "...", "", " \n", "[]",
     "(none)", "No", "nil", "null", "not applicable", "Not needed", "no files",
     "No attached files provided",
     "there are no inputs", "There are none.", "No data files are attached.",
     "Nothing is needed", "Ｎｏｎｅ", "_No response_", "- None"],
)  # fmt: skip
def test_words_for_nothing_are_known(text: str):
    assert is_none(text)


@pytest.mark.parametrize(
    "text",
    ["none of them", "no more than 9", "nan", "0", "n", "no files but one", "nothing else", "a",
     "No rows of the file are lost", "None are given but one", "nothing is as it was",
     "null hypothesis", "-1", "-" * 100 + "x" * 100],
)  # fmt: skip
def test_words_that_say_something_are_not(text: str):
    assert not is_none(text)


@pytest.mark.parametrize(
    ("text", "is_blank"), [("_No response_", True), ("none", False), ("", False)]
)
def test_only_a_form_s_own_words_are_no_response(text: str, is_blank: bool):
    assert is_no_response(text) is is_blank


@given(text=st.text(alphabet=st.characters(), max_size=400))
def test_a_quotation_is_one_code_span_on_one_line(text: str):
    shown = quoted(text)
    assert shown.startswith("`")
    assert shown.endswith("`")
    assert shown.count("`") == 2
    assert len(shown) <= 122
    assert not set(shown) & set("\n\r\u202e\u200b\0")
    assert shown.encode()


def test_a_long_list_is_counted_to_its_end():
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b", "c"]) == "`a`, `b` and `c`"
    assert listed([str(n) for n in range(25)]).endswith("`9` and 15 more")


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1 kB"), (54_321, "54 kB"), (999_600, "1 MB"),
     (300_000_000, "300 MB")],
)  # fmt: skip
def test_sizes_are_written_as_people_do(size: int, words: str):
    assert size_words(size) == words
