"""A comment is cut only where blocks end, says so, and is never too long."""

from hypothesis import given
from hypothesis import strategies as st

from jobs.reporting.fit import CAP, Blocks, details, fit, size


def test_what_fits_comes_whole_and_in_order():
    parts = [
        Blocks(["a", "b"], "*cut*", before="### x\n\n"),
        Blocks([], "*cut*"),
        Blocks(["c"], ""),
    ]
    assert fit(["top"], parts, ["bottom"]) == "top\n\n### x\n\na\nb\n\nc\n\nbottom"


def test_what_does_not_fit_leaves_a_note_and_closes_what_it_opened():
    before, after = details("Rows")
    part = Blocks([f"- row {number:03}" for number in range(100)], "*cut*", before, after)
    text = fit(["top"], [part], ["bottom"], cap=300)
    assert size(text) <= 300
    assert "- row 000\n- row 001" in text
    assert text.endswith("\n\n*cut*\n\n</details>\n\nbottom")


def test_a_first_block_that_is_too_long_still_leaves_the_note():
    assert Blocks(["x" * 100], "*cut*").render(20) == "\n\n*cut*"


def test_short_parts_are_kept_whole_beside_a_long_one():
    long, short = Blocks(["x" * 10] * 1000, "*cut*"), Blocks(["short and whole"], "*cut*")
    text = fit([], [long, short, long], [], cap=1000)
    assert "short and whole" in text
    assert text.count("*cut*") == 2
    assert 900 < size(text) <= 1000


def test_bytes_are_counted_and_not_characters():
    part = Blocks(["🧮" * 10] * 3000, "*cut*")
    assert size(fit([], [part], [])) <= CAP < 65_536


@given(
    # no text of a report opens a tag: escaping comes before
    st.lists(
        st.lists(st.text(st.characters(exclude_characters="<"), max_size=50), max_size=20),
        max_size=5,
    ),
    st.integers(min_value=60, max_value=3000),
)
def test_any_blocks_stay_within_any_cap_with_both_ends_whole(parts, cap):
    blocks = [Blocks(texts, "*cut*", *details("T")) for texts in parts]
    text = fit(["top"], blocks, ["bottom"], cap=cap)
    assert size(text) <= cap
    assert text.startswith("top")
    assert text.endswith("bottom")
    assert text.count("<details>") == text.count("</details>") <= len(parts)
