"""A verdict's word is read however it is dressed, and never guessed."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.judging.verdict_words import find_verdict_word
from jobs.values import VerdictWord


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("pass", "pass"),
        ("PASS ✅", "pass"),
        ("**Pass**", "pass"),
        ("✅ pass.", "pass"),
        ("✔️", "pass"),
        ("✓", "pass"),
        ("`Passed`", "pass"),
        ("Fully met.", "pass"),
        ("ＰＡＳＳ", "pass"),
        ("Pass - the file exists", "pass"),
        ("PASS (2 of 2 values)", "pass"),
        (True, "pass"),
        ("Partially met", "partial"),
        ("partially_met", "partial"),
        ("🟡 Partial", "partial"),
        ("PARTIAL PASS", "partial"),
        ("FAILED", "fail"),
        ("❌", "fail"),
        ("__fail__!", "fail"),
        ("Not met", "fail"),
        ("does not pass", "fail"),
        ("Fail: N = 512 is not below 450", "fail"),
        (False, "fail"),
        ("cannot_verify", "cannot_verify"),
        ("n/a", "cannot_verify"),
        ("**N/A**", "cannot_verify"),
        ("Cannot be verified.", "cannot_verify"),
        ("can't verify", "cannot_verify"),
        ("can’t verify", "cannot_verify"),
        ("UNVERIFIABLE: the service is not here", "cannot_verify"),
        ("Unable to verify (no network, and the page is unknown)", "cannot_verify"),
    ],
)
def test_a_dressed_verdict_is_read(written: object, word: str) -> None:
    assert find_verdict_word(written) == word


@pytest.mark.parametrize(
    "written",
    [
        "unknown",
        "unclear",
        "cannot verify, but probably right",
        "cannot verify or fail",
        "n/a (pass)",
        "pass (n/a)",
        "cannot say",
        "",
        "   ",
        "✨",
        "pass ❌",
        "✅ ❌",
        "pass/fail",
        "pass or partial",
        "pass, but only in part",
        "pass (partially)",
        "not a fail",
        "passable",
        "1",
        "0.5",
        1,
        0,
        None,
        [],
        {"verdict": "pass"},
    ],
)
def test_anything_unclear_is_unknown(written: object) -> None:
    assert find_verdict_word(written) is None


@given(st.text())
def test_reading_a_word_never_raises(written: str) -> None:
    assert find_verdict_word(written) in {
        None,
        *get_args(VerdictWord),
    }
