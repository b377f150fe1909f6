"""What code finds in the files of a session, and where it leaves the word to the judge."""

import os
from pathlib import Path

import pytest

from jobs.checks.facts import NOTHING_LEFT, tell
from jobs.checks.files import MAX_JSON_BYTES, MAX_TEXT_BYTES, OutputFolder
from jobs.checks.plain import recognise


def said(tmp_path: Path, text: str, files: dict[str, str | bytes]) -> bool | None:
    """Whether an assertion holds of these files; None where a reader must look."""
    for name, content in files.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    claims = recognise(text)
    assert claims, text
    told = tell(claims, OutputFolder(tmp_path))
    assert told.found.endswith((".", "”."))
    return told.holds


@pytest.mark.parametrize(
    ("files", "holds"),
    [
        ({"r.md": "x"}, True),
        ({"other.md": "x"}, False),
        ({"sub/r.md": "x"}, None),
        ({"R.md": "x"}, None),
        ({"r.md": ""}, None),
        ({"r.md": b"\0" * (MAX_TEXT_BYTES + 1)}, True),
    ],
)
def test_a_file_is_there_or_not_or_elsewhere(tmp_path: Path, files: dict[str, str], holds: bool):
    assert said(tmp_path, "`r.md` exists", files) is holds


@pytest.mark.parametrize(
    ("content", "holds"),
    [
        ("{}", True),
        (b"\xef\xbb\xbf[1]", True),
        ("", False),
        ("{'a': 1}", False),
        ('{"a": NaN}', False),
        ('{"a": 1,}', False),
        (b"\xff\xfe\xfa", None),
        ("[" * 200_000, None),
        ("9" * 5_000, None),
        ("1e99999999999999999999", None),
        ("[]" + " " * MAX_JSON_BYTES, None),
    ],
)
def test_json_parses_or_not_or_cannot_be_read(
    tmp_path: Path, content: str | bytes, holds: bool | None
):
    assert said(tmp_path, "`r.json` parses as JSON", {"r.json": content}) is holds


@pytest.mark.parametrize(
    ("content", "holds"),
    [
        ("a,b\n1,2\n", True),
        ("a,b\r\n1,2", True),
        ('a,b\n"x\ny",2\n', True),
        ("", False),
        ("\n\n", False),
        ("a,b\n1,2,3\n", False),
        ('a,b\n"1,2\n', False),
        ("a,b\n1\n", None),
        (b"a\n\xe9\n", None),
        (b"a\0,b\n", None),
        (f"a\n{'x' * 200_000}\n", None),
    ],
)
def test_csv_parses_or_not_or_may(tmp_path: Path, content: str | bytes, holds: bool | None):
    assert said(tmp_path, "`t.csv` parses as CSV", {"t.csv": content}) is holds


@pytest.mark.parametrize(
    ("value", "comparison", "holds"),
    [
        ("4", "is between 4 and 5", True),
        ("4.999", "is between 1 and 5", True),
        ("5.0001", "is between 1 and 5", False),
        ("3", "is greater than 3", False),
        ('"4"', "is between 1 and 5", None),
        ('"none"', "is between 1 and 5", False),
        ("true", "is between 0 and 2", False),
        ("null", "is at least 0", False),
        ("[4]", "is at least 0", None),
        ("42", "equals 42", True),
        ("42.0", "equals 42", True),
        ("3.14159", "equals 3.14", None),
        ("3.2", "equals 3.14", False),
        ("1e400", "is at least 5", True),
        ("true", "is true", True),
        ("1", "is true", False),
        ('"true"', "is true", None),
        ("null", "is null", True),
        ("0", "is false", False),
        ('"Ann"', 'is "Ann"', True),
        ('"ann "', 'is "Ann"', None),
        ('"Bob"', 'is "Ann"', False),
        ("42", "is `42`", True),
        ("42", 'is "42"', None),
        ("43", "is `42`", False),
        ('{"a": 1}', "is `42`", None),
    ],
)
def test_the_value_of_a_key_is_compared(
    tmp_path: Path, value: str, comparison: str, holds: bool | None
):
    files = {"r.json": f'{{"total": {value}}}'}
    assert said(tmp_path, f"`total` in `r.json` {comparison}", files) is holds


@pytest.mark.parametrize(
    ("content", "key", "holds"),
    [
        ('{"a.b": 1}', "a.b", True),
        ('{"a": {"b": 1}}', "a.b", True),
        ('{"a": [{"b": 1}]}', "a[0].b", True),
        ('{"a": [{"b": 1}]}', "a[3].b", None),
        ('{"x": {"total": 1}}', "total", None),
        ('{"Total": 1}', "total", None),
        ('{"x": 1}', "total", False),
        ('[{"total": 1}]', "total", None),
        ('"total"', "total", None),
        ('{"x": ' + "[" * 900 + "]" * 900 + "}", "total", False),
    ],
)
def test_a_key_is_there_or_not_or_elsewhere(
    tmp_path: Path, content: str, key: str, holds: bool | None
):
    assert said(tmp_path, f"`r.json` has a key `{key}`", {"r.json": content}) is holds


@pytest.mark.parametrize(
    ("text", "content", "holds"),
    [
        ("contains the text `Total: 4`", "x\nTotal: 4\n", True),
        ("contains the text `Total: 4`", "total:  4", None),
        ("contains the text `Total: 4`", "nothing", False),
        ("contains the text `Total: 4`", b"Total: 4\0", None),
        ("contains the text `Total: 4`", "Total: 4".encode("utf-16"), None),
        ("does not contain the text `secret`", "all fine", True),
        ("does not contain the text `secret`", "a secret", False),
        ("does not contain the text `secret`", "A Secret", None),
        ("matches the regex `^# \\w+$`", "intro\n# Title\n", True),
        ("matches the regex `^# \\w+$`", "Title", False),
        ("does not match the regex `\\d{3}`", "12", True),
        ("does not match the regex `\\d{3}`", "123", False),
        ("has at least 2 lines", "a\nb", True),
        ("has at least 3 lines", "a\nb\n", False),
    ],
)
def test_what_stands_in_a_text_is_found(
    tmp_path: Path, text: str, content: str | bytes, holds: bool | None
):
    assert said(tmp_path, f"`r.txt` {text}", {"r.txt": content}) is holds


@pytest.mark.parametrize(
    ("text", "content", "holds"),
    [
        ("has at least 2 rows", "h\n1\n2\n", True),
        ("has at least 3 rows", "h\n1\n2\n", None),
        ("has at least 4 rows", "h\n1\n2\n", False),
        ("has exactly 2 data rows", "h\n1\n2\n", True),
        ("has exactly 3 data rows", "h\n1\n2\n", False),
        ("has 2 columns", "a,b\n1,2\n", True),
        ("has 3 columns", "a,b\n1,2\n", False),
        ("has 2 columns", "a;b\n1;2\n", None),
        ("has 2 columns", "a,b\n1\n", None),
        ("has at least 1 row", "", False),
    ],
)
def test_rows_and_columns_are_counted_whether_or_not_there_is_a_header(
    tmp_path: Path, text: str, content: str, holds: bool | None
):
    assert said(tmp_path, f"`t.csv` {text}", {"t.csv": content}) is holds


def test_a_table_of_tabs_is_read_as_one(tmp_path: Path):
    assert said(tmp_path, "`t.tsv` has 2 columns", {"t.tsv": "a\tb\n1\t2\n"}) is True


def test_a_session_that_left_nothing_fulfils_nothing(tmp_path: Path):
    told = tell(recognise("`r.md` does not contain the text `secret`"), OutputFolder(tmp_path))
    assert (told.holds, told.found) == (False, NOTHING_LEFT)


def test_a_missing_file_lacks_no_word(tmp_path: Path):
    text = "`r.md` does not contain the text `secret`"
    assert said(tmp_path, text, {"other.md": "x"}) is False


def test_every_claim_of_an_assertion_must_hold(tmp_path: Path):
    text = "`r.json` exists and is valid JSON"
    assert said(tmp_path, text, {"r.json": "{"}) is False
    assert said(tmp_path, text, {"r.json": "{}"}) is True


def test_a_pattern_that_takes_for_ever_is_left_to_the_judge(tmp_path: Path):
    text = "`r.txt` matches the regex `(a|aa)+$`"
    assert said(tmp_path, text, {"r.txt": "a" * 60 + "!"}) is None


def test_links_and_special_files_are_no_files(tmp_path: Path):
    outside = tmp_path / "secret.json"
    outside.write_text("{}")
    output = tmp_path / "output"
    output.mkdir()
    (output / "r.json").symlink_to(outside)
    os.mkfifo(output / "f.json")
    (output / "d.json").mkdir()
    (output / "x.md").write_text("x")
    for name in ("r.json", "f.json", "d.json", f"{'x' * 300}.json"):
        told = tell(recognise(f"`{name}` parses as JSON"), OutputFolder(output))
        assert told.holds is not True, name
