"""What is shown of a file by its first bytes: kinds, cuts, and contents that are made to hurt."""

import io
import json

import pytest

from bot.web.run_changes import MOST_LINES, MOST_SHOWN, find_change
from bot.web.run_transcript import (
    LONGEST_TEXT,
    MOST_WAITING,
    STEPS_A_PAGE,
    Conversation,
    read_conversation,
)
from bot.web.run_views import HEAD, WHOLE, FileView, view_file


def view(path: str, content: bytes, size: int | None = None) -> FileView:
    return view_file(path, content[: HEAD.size], len(content) if size is None else size, HEAD)


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("a.md", b"# Title\n\ntext\n", "text"),
        ("a.csv", b"a,b\n1,2\n", "table"),
        ("a.CSV", b"a;b\n1;2\n", "table"),
        ("a.tsv", b"a\tb\n1\t2\n", "table"),
        ("a.csv", b"one column\n", "text"),
        ("a.txt", b"\x89PNG\r\n\x1a\n rest", "picture"),
        ("a.png", b"no picture", "text"),
        ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", "picture"),
        ("a.gif", b"GIF89a", "picture"),
        ("a.jpg", b"\xff\xd8\xff\xe0", "picture"),
        ("a.svg", b"<svg/>", "text"),
        ("a.bmp", b"BM\0\0\0\0", "none"),
        ("a.pdf", b"%PDF-1.7", "none"),
        ("a.docx", b"PK\x03\x04", "none"),
        ("a.txt", b"bin\0ary", "none"),
        ("empty.txt", b"", "text"),
        ("a.txt", "ä".encode("utf-16"), "text"),
    ],
)
def test_a_file_is_shown_as_what_it_is(path: str, content: bytes, kind: str) -> None:
    assert view(path, content).kind == kind


def test_a_table_with_a_cell_without_end_is_text() -> None:
    content = b'a,b\n"' + b"x" * 200_000
    assert view_file("a.csv", content, len(content), WHOLE).kind == "text"


def test_a_large_picture_is_left_to_be_downloaded() -> None:
    assert view("a.png", b"\x89PNG\r\n\x1a\n", size=6_000_000).kind == "none"


def test_a_character_that_is_cut_at_the_end_spoils_no_text() -> None:
    content = b"x" * (HEAD.size - 1) + "€".encode() + b" and more"
    assert view("a.txt", content).text.startswith("xxx")
    assert "â" not in view_file("a.txt", content[: HEAD.size], len(content), WHOLE).text


def test_what_is_left_out_is_said() -> None:
    assert view("a.txt", b"line\n" * 24).left_out == ""
    assert view("a.txt", b"line\n" * 25).left_out == "Cut after 24 lines."
    assert "Lines are cut at" in view("a.txt", b"x" * 3_000).left_out
    rows = view("a.csv", b"a,b\n" + b"1,2\n" * 9)
    assert (len(rows.rows), rows.left_out) == (8, "Only the first 8 rows are shown.")
    wide = view("a.csv", b"\n".join([b",".join([b"c"] * 30)] * 3))
    assert (len(wide.head), wide.left_out) == (20, "Only 20 of 30 columns are shown.")


def test_a_ragged_table_is_made_even() -> None:
    table = view("a.csv", b"a,b\n1\n1,2,3\n")
    assert [len(row) for row in (table.head, *table.rows)] == [3, 3, 3]


def test_json_is_spread_over_lines_where_it_can_be() -> None:
    assert view("a.json", b'{"a":[1,"\\u00e4"]}').text == '{\n  "a": [\n    1,\n    "ä"\n  ]\n}'
    for content in (b"{broken", b"[" * 9_000, b"9" * 9_000):
        assert view("a.json", content).kind == "text"


def test_a_difference_has_lines_with_signs() -> None:
    change = find_change("same\nold\n", "same\nnew\n+++ odd\n--- odd\n")
    assert (change.added, change.removed, change.left_out) == (3, 1, "")
    shown = [(line.sign, line.text) for line in change.lines if line.kind != "gap"]
    assert shown == [(" ", "same"), ("\N{MINUS SIGN}", "old"), ("+", "new"), ("+", "+++ odd"),
                     ("+", "--- odd")]  # fmt: skip


def test_a_difference_without_end_is_bounded() -> None:
    before = "\n".join(f"line {number % 97}" for number in range(20_000))
    after = "\n".join(f"line {number * 7 % 97}" + "y" * 9_000 for number in range(2_000))
    change = find_change(before, after)
    assert len(change.lines) <= MOST_SHOWN
    assert change.removed <= MOST_LINES
    assert "Only the first 1,000 lines" in change.left_out
    assert max(len(line.text) for line in change.lines) <= MOST_LINES


def event(kind: str, **content: object) -> bytes:
    line = {"at": "2026-05-04T12:00:00+00:00", "kind": kind, "content": content}
    return json.dumps(line).encode() + b"\n"


def talk(*events: bytes, page: int = 1) -> Conversation:
    return read_conversation(io.BytesIO(b"".join(events)), page)


def test_a_call_and_its_answer_are_one_step() -> None:
    found = talk(
        event("prompt", model="m", system="s", prompt="p"),
        event("tool_call", id="1", name="bash", arguments={"command": "ls"}),
        event("tool_call", id="2", name="read", arguments={"path": "a", "line": 3}),
        event("tool_result", id="2", failed=True, text="no"),
        event("tool_result", id="1", failed=False, text="yes"),
        event("end", end="max_turns", detail="it was the last"),
    )
    assert [one.kind for one in found.steps] == ["prompt", "tool", "tool", "end"]
    first, second, end = found.steps[1:]
    assert (first.arguments, first.text, first.is_failed) == ("ls", "yes", False)
    assert (second.arguments, second.text, second.is_failed) == ("path: a\nline: 3", "no", True)
    assert (end.name, end.is_failed) == ("max turns", True)


def test_an_answer_on_the_next_page_stands_with_its_call() -> None:
    calls = [event("tool_call", id=str(n), name="t", arguments={}) for n in range(STEPS_A_PAGE)]
    late = [event("tool_result", id=str(STEPS_A_PAGE - 1), failed=False, text="late")]
    found = talk(*calls, *late, event("text", text="after"))
    assert found.steps[-1].text == "late"
    assert (found.page, found.pages, found.total) == (1, 2, STEPS_A_PAGE + 1)
    assert talk(*calls, *late, event("text", text="after"), page=2).steps[0].text == "after"
    assert talk(*calls, page=99).page == 1


def test_lines_that_are_none_are_told_and_hurt_nothing() -> None:
    odd = (b"{broken\n", b"[1, 2]\n", b"\xff\xfe\n", b'{"kind": 3, "content": {}}\n', b"[" * 9_000
           + b"\n", event("unheard", x=1), event("text", text={"a": 1}), b"\n")  # fmt: skip
    found = talk(*odd)
    assert [one.kind for one in found.steps] == ["odd"] * 6 + ["text"]
    assert found.steps[-1].text == '{"a": 1}'
    lone = talk(b'{"kind": "text", "content": {"text": "\\ud800"}}\n')
    assert lone.steps[0].text == "\ud800"
    assert talk().pages == 1


def test_long_texts_are_cut_and_counted() -> None:
    found = talk(event("text", text="x" * (LONGEST_TEXT + 7)))
    assert len(found.steps[0].text) == LONGEST_TEXT
    assert found.steps[0].left_out == 7


def test_calls_without_answers_are_not_kept_for_ever() -> None:
    calls = [event("tool_call", id=str(n), name="t") for n in range(MOST_WAITING + 5)]
    found = talk(*calls, event("tool_result", id="0", failed=False, text="too late"))
    assert found.steps[0].is_answered is False
    assert found.total == MOST_WAITING + 6
