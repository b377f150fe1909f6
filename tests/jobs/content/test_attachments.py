"""Files become inputs under neutral names, prose stays whole, and nothing is an error."""

from pathlib import Path

import pytest

from jobs.content.attachments import Attached, Barred, read_attachments
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from tests.jobs.content.trees import Link, write_tree


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return write_tree(
        tmp_path,
        {
            "data/a.csv": "1",
            "data/b c.TXT": "2",
            "data/deep/d": "3",
            "key.md": "- answer",
            "alias.csv": Link("data/a.csv"),
            "outside.csv": Link("/etc/hostname"),
            "README.md": "read me",
        },
    )


def read(snapshot: Snapshot, *entries: str, barred: tuple[str, ...] = ()) -> Attached:
    return read_attachments(entries, snapshot, (".",), Barred(frozenset(barred)))


@pytest.mark.parametrize(
    "written",
    [
        "data/a.csv",
        "- data/a.csv",
        "* `data/a.csv`",
        "1. ./data/a.csv",
        "[the words](data/a.csv)",
        "[the words](../blob/main/data/a.csv)",
        "[x](https://git.example/o/r/blob/feature/x/data/a.csv?raw=true)",
        "https://git.example/o/r/blob/main/data/a.csv",
        "https://git.example/o/r/raw/main/data/a.csv",
        "/data/a.csv",
        "**data/a.csv**",
        "data/a.csv, data/a.csv",
        "data/a.csv and alias.csv",
        "```\ndata/a.csv\n```",
        "data/a.csv.",
    ],
)
def test_a_file_is_recognised_however_it_is_written(snapshot: Snapshot, written: str):
    found = read(snapshot, written)
    assert [(file.source, file.alias) for file in found.inputs] == [
        ("data/a.csv", "input/input_001.csv")
    ]
    assert found.notes == ()
    assert found.remarks == ()


def test_aliases_are_numbered_and_keep_a_plain_ending(snapshot: Snapshot):
    found = read(snapshot, "data/b c.TXT", "data/deep/d", "data/a.csv", "data/a.csv")
    assert [file.alias for file in found.inputs] == [
        "input/input_001.txt",
        "input/input_002",
        "input/input_003.csv",
    ]
    assert found.inputs[2].size_bytes == 1
    assert found.inputs[2].sha256.startswith("6b86b273ff34fce1")


def test_a_folder_stands_for_its_files(snapshot: Snapshot):
    found = read(snapshot, "data/")
    assert [file.source for file in found.inputs] == ["data/a.csv", "data/b c.TXT", "data/deep/d"]


def test_in_prose_the_neutral_name_takes_the_file_s_place(snapshot: Snapshot):
    found = read(snapshot, "- `data/a.csv`: the words\n- see [that](data/deep/d), too.\n\nBoth.")
    assert found.notes == (
        "- input/input_001.csv: the words\n- see input/input_002, too.\n\nBoth.",
    )
    assert "data/" not in found.notes[0]


@pytest.mark.parametrize(
    "prose",
    [
        "Data come from a package.\n```r\nlibrary(toydata)\n\ndm <- toydata::dm\n```",
        "Data come from a package.\n\n    library(toydata)\n    dm <- toydata::dm",
        "Download it from https://data.example/x.csv, please.",
        "The data of 2024 and/or 2025.",
        "`inputs/hr.tsv`**\n```tsv\nhr\n0.1\n```",
    ],
)
def test_prose_goes_into_the_task_whole_and_in_order(snapshot: Snapshot, prose: str):
    assert read(snapshot, prose).notes == (prose,)
    assert read(snapshot, *prose.split("\n")).notes == (prose,)
    assert read(snapshot, prose).inputs == ()


@pytest.mark.parametrize(
    "entries",
    [
        ("None",),
        ("none",),
        ("N/A",),
        ("n.a.",),
        ("n/a.",),
        ("-",),
        ("nothing",),
        ("_None_",),
        ("- None",),
        ("_No response_",),
        ("",),
        (),
        ("No files",),
        ("Not applicable",),
        ("None, everything is in the query.",),
        ("None. Everything is in the query.",),
        ("None - everything is in the query",),
        ("None", "everything is in the query."),
        ("No external files", "all data are specified in the query."),
    ],
)
def test_words_for_nothing_attach_nothing_and_leave_no_half_sentence(
    snapshot: Snapshot, entries: tuple[str, ...]
):
    assert read(snapshot, *entries) == Attached((), (), ())


def test_a_condition_after_none_is_kept(snapshot: Snapshot):
    found = read(snapshot, "None", "all parameters are in the query. No hard cap on the size.")
    assert found.notes == ("No hard cap on the size.",)


def test_none_that_begins_a_sentence_about_files_is_prose(snapshot: Snapshot):
    prose = "None of the columns is sorted."
    assert read(snapshot, prose).notes == (prose,)


@pytest.mark.parametrize("written", ["missing/x.md", "outside.csv", "../../etc/passwd"])
def test_an_entry_that_names_no_file_is_no_error(snapshot: Snapshot, written: str):
    found = read(snapshot, written)
    assert found.inputs == ()
    assert found.notes == (written,)


def test_a_path_that_leads_nowhere_is_remarked_upon(snapshot: Snapshot):
    [remark] = read(snapshot, "missing/x.md").remarks
    assert "`missing/x.md`" in remark


def test_a_file_that_no_session_may_see_is_neither_input_nor_prose(snapshot: Snapshot):
    found = read(snapshot, "key.md", "see key.md and `data/a.csv`", barred=("key.md",))
    assert [file.source for file in found.inputs] == ["data/a.csv"]
    assert "key.md" not in found.notes[0]


def test_too_many_bytes_name_the_file_and_its_size(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"big.bin": ""})
    with (tmp_path / "big.bin").open("wb") as sparse:
        sparse.truncate(150_000_000)
    with pytest.raises(Refused, match=r"`big\.bin` alone has 150 MB"):
        read(snapshot, "big.bin")


def test_too_many_files_are_refused(tmp_path: Path):
    snapshot = write_tree(tmp_path, {f"d/{n}.txt": "x" for n in range(201)})
    with pytest.raises(Refused, match="More than 200 files"):
        read(snapshot, "d/")
