"""Where readers may disagree, code leaves the word to the judge: whoever wins must be right."""

from pathlib import Path

import pytest

from jobs.checks.facts import tell
from jobs.checks.files import OutputFolder
from jobs.checks.plain import recognise
from tests.jobs.checks.test_facts import said


@pytest.mark.parametrize(
    "text",
    [
        "The file `a.md or b.md` exists",
        'The file "report.md or notes.md" exists',
        "Creates `report.md if needed.md`",
        "Creates `report-YYYY-MM-DD.md`",
        "Creates `report_N.md`",
        "The file `input/a.md` exists",
        "`n` in `r.json` is between 5 and 1",
        "`n` in `r.json` is `> 5`",
        "`n` in `r.json` is `not 5`",
        '`n` in `r.json` is "a number"',
        "`n` in `r.json` is `string`",
        '`n` in `r.json` is "approximately 5"',
        '`n` in `r.json` is "between 1 and 5"',
    ],
)
def test_what_is_a_description_is_not_taken_for_the_thing(text: str):
    assert recognise(text) == ()


@pytest.mark.parametrize(
    ("text", "content", "holds"),
    [
        ("contains the text `Total: 4`", "Total: 42", None),
        ("contains the text `Total: 4`", "Total: 4.5", None),
        ("contains the text `Total: 4`", "Total: 42, then Total: 4.", True),
        ("contains the text `cat`", "concatenate", None),
        ("does not contain the text `cat`", "concatenate", None),
        ("contains the text `5 rows`", "1.5 rows", None),
        ("contains the text `Total: 4`", "**Total:** 4", None),
        ("contains the text `1234`", "1,234", None),
        ("contains the text `naïve`", "nai\u0308ve", None),
        ("contains the text `—`", "none here", False),
        ("does not contain the text `—`", "none here", True),
        ("contains the text `Dear <name>`", "Dear Ann", None),
        ("contains the text `Dear {name}`", "Dear Ann", None),
        ("contains the text `Total: …`", "Total: 4", None),
        ("does not contain the text `{name}`", "Dear Ann", True),
        ("has exactly 2 lines", "a\u2028b\nc\x0cd\n", True),
        ("has exactly 2 lines", "a\r\nb\r\n", True),
        ("has at least 4 lines", "a\n\n\nb\n", None),
    ],
)
def test_a_text_is_found_only_where_everybody_finds_it(
    tmp_path: Path, text: str, content: str, holds: bool | None
):
    assert said(tmp_path, f"`r.txt` {text}", {"r.txt": content}) is holds


@pytest.mark.parametrize(
    ("content", "holds"),
    [
        ('{"a": 1}'.encode("utf-16"), None),
        ('{"a": "é"}'.encode("latin-1"), None),
        ('{"a": "é"}', True),
    ],
)
def test_json_in_other_letters_than_utf_8_is_left_to_the_judge(
    tmp_path: Path, content: str | bytes, holds: bool | None
):
    assert said(tmp_path, "`r.json` is valid JSON", {"r.json": content}) is holds


def test_a_key_that_stands_there_twice_has_no_value_that_all_readers_see(tmp_path: Path):
    files: dict[str, str | bytes] = {"r.json": '{"total": 3, "total": 5, "n": 1}'}
    assert said(tmp_path, "`total` in `r.json` is 5", files) is None
    assert said(tmp_path, "`r.json` is valid JSON", files) is True


def test_prose_in_a_file_that_is_called_a_table_is_left_to_the_judge(tmp_path: Path):
    files: dict[str, str | bytes] = {"t.csv": "<html>\n<p>Not found</p>\n"}
    assert said(tmp_path, "`t.csv` is valid CSV", files) is None


@pytest.mark.parametrize("value", ["5", "true", '"x"'])
def test_a_value_of_another_kind_than_a_text_is_left_to_the_judge(tmp_path: Path, value: str):
    files: dict[str, str | bytes] = {"r.json": f'{{"n": {value}}}'}
    expected = False if value == '"x"' else None
    assert said(tmp_path, '`n` in `r.json` is "correct"', files) is expected


@pytest.mark.parametrize("value", ["1e9999999", "-1e999999999999999", "1e-9999999", '"\\ud800"'])
@pytest.mark.parametrize("claim", ["`n` in `r.json` equals 3.14", "`r.json` has a key `n`"])
def test_values_that_are_made_to_hurt_are_read_and_told(tmp_path: Path, value: str, claim: str):
    (tmp_path / "r.json").write_text(f'{{"n": {value}}}')
    told = tell(recognise(claim), OutputFolder(tmp_path))
    assert told.holds is ("has" in claim)
    assert told.found.encode()
