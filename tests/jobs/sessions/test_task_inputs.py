"""How inputs are named and quoted in a task, at the edges."""

from pathlib import Path

import pytest

from jobs.sessions.task import QUOTED_CHARACTERS, QUOTED_IN_ALL, name_inputs, render_task
from jobs.values import EvalCase, InputFile
from tests.builders import an_eval_case, an_input_file


def a_case(folder: Path, *contents: bytes) -> EvalCase:
    """A case whose input files are staged in a folder."""
    files: list[InputFile] = []
    for number, content in enumerate(contents, start=1):
        alias = f"input/input_{number:03}.csv"
        (folder / alias.removeprefix("input/")).write_bytes(content)
        files.append(an_input_file(source=f"in/{number}.csv", alias=alias, size_bytes=len(content)))
    return an_eval_case(inputs=tuple(files))


@pytest.mark.parametrize("letter", ["x", "ü", "語", "😀"])
def test_a_long_input_is_cut_between_two_letters_and_the_cut_is_named(tmp_path, letter):
    text = render_task(a_case(tmp_path, (letter * (QUOTED_CHARACTERS + 10)).encode()), tmp_path)
    quoted = text.split("===== BEGIN input/input_001.csv =====\n")[1].split("\n=====")[0]
    assert quoted == letter * QUOTED_CHARACTERS
    assert "it goes on" in text


@pytest.mark.parametrize("letter", ["x", "語", "😀"])
def test_an_input_that_just_fits_is_not_called_cut(tmp_path, letter):
    text = render_task(a_case(tmp_path, (letter * QUOTED_CHARACTERS).encode()), tmp_path)
    assert letter * QUOTED_CHARACTERS in text
    assert "it goes on" not in text


def test_many_inputs_share_one_room_and_all_are_listed(tmp_path):
    text = render_task(a_case(tmp_path, *[b"q" * QUOTED_CHARACTERS] * 5), tmp_path)
    assert text.count("q" * 100) == QUOTED_IN_ALL // 100
    assert text.count("- input/input_00") == 5


def test_an_empty_input_is_quoted_as_empty(tmp_path):
    text = render_task(a_case(tmp_path, b""), tmp_path)
    assert "BEGIN input/input_001.csv" in text
    assert "it goes on" not in text


def test_a_byte_order_mark_is_not_quoted(tmp_path):
    text = render_task(a_case(tmp_path, "\N{BYTE ORDER MARK}a,b\n".encode()), tmp_path)
    assert "=====\na,b\n=====" in text


def test_text_in_another_encoding_is_left_for_the_tools(tmp_path):
    text = render_task(a_case(tmp_path, "Größe\n".encode("latin-1")), tmp_path)
    assert "- input/input_001.csv (6 bytes)" in text
    assert "BEGIN input/input_001.csv" not in text


INPUTS = (
    an_input_file(source="evals/data/visits.csv", alias="input/input_001.csv"),
    an_input_file(source="evals/data/notes (old).txt", alias="input/input_002.txt"),
    an_input_file(source="one/same.csv", alias="input/input_003.csv"),
    an_input_file(source="two/same.csv", alias="input/input_004.csv"),
)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("./evals/data/visits.csv", "input/input_001.csv"),
        ("visits.csv, visits.csv", "input/input_001.csv, input/input_001.csv"),
        ("Open notes (old).txt", "Open input/input_002.txt"),
        ("[t](https://a.org/b/blob/main/evals/data/visits.csv)", "[t](input/input_001.csv)"),
        ("one/same.csv, two/same.csv", "input/input_003.csv, input/input_004.csv"),
        ("same.csv", "same.csv"),
        ("Write output/visits.csv", "Write output/visits.csv"),
        ("revisits.csv and visits.csv.gz", "revisits.csv and visits.csv.gz"),
        ("visits.csv/x and my-visits.csv", "visits.csv/x and my-visits.csv"),
    ],
)
def test_only_a_whole_name_of_an_input_becomes_its_alias(written, told):
    assert name_inputs(written, INPUTS) == told
