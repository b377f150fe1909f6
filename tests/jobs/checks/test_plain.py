"""An assertion is code's to decide only where its whole text says what code can see."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.checks.claims import (
    Claim,
    Contains,
    Counts,
    Exists,
    HasKey,
    KeyIs,
    Matches,
    Parses,
    Range,
    Text,
    Value,
)
from jobs.checks.plain import LONGEST, LONGEST_PATTERN, recognise

AT_LEAST_3 = Range(low=Decimal(3))


@pytest.mark.parametrize(
    "text",
    [
        "A file named `report.md` exists",
        "The file report.md exists.",
        "**The file `report.md` exists**",
        "the output file `output/report.md` was created",
        "There is a file called “report.md” in the output folder",
        "`./output/report.md` must exist",
        "The report is saved as `report.md`",
        "Results are written to report.md",
        "The output file is saved as report.md",
        "Saves its report to a file called `report.md`",
        "Creates a file named report.md",
        "Writes `output/report.md`",
        "`report.md` exists and is not empty",
        "`report.md` is present in `output/`",
    ],
)
def test_that_a_file_is_there_is_recognised(text: str):
    assert recognise(text) == (Exists("report.md"),)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("`a/report.json` parses as JSON", (Parses("a/report.json", "json"),)),
        ("report.json is valid JSON", (Parses("report.json", "json"),)),
        ("The file `t.csv` can be parsed as CSV.", (Parses("t.csv", "csv"),)),
        ("`t.csv` is a well-formed CSV file", (Parses("t.csv", "csv"),)),
        (
            "`report.json` exists and is valid JSON",
            (Exists("report.json"), Parses("report.json", "json")),
        ),
    ],
)
def test_that_a_file_parses_is_recognised(text: str, claims: tuple[Claim, ...]):
    assert recognise(text) == claims


@pytest.mark.parametrize(
    ("comparison", "value"),
    [
        ("is between 1 and 5", Range(Decimal(1), Decimal(5))),
        ("lies between -1.5 and 2e3 (inclusive)", Range(Decimal("-1.5"), Decimal("2e3"))),
        ("is at least 3", AT_LEAST_3),
        ("is no less than `3`", AT_LEAST_3),
        ("is >= 3", AT_LEAST_3),
        ("is at most 1,200", Range(high=Decimal(1200))),
        ("is greater than 3", Range(low=Decimal(3), without_ends=True)),
        ("is below 3", Range(high=Decimal(3), without_ends=True)),
        ("equals 42", Decimal(42)),
        ("must be 0.5", Decimal("0.5")),
        ("is true", True),
        ("= null", None),
        ('is "Ann"', Text("Ann", in_code=False)),
        ("is exactly `42`", Text("42", in_code=True)),
    ],
)
def test_what_the_value_of_a_key_must_be_is_recognised(comparison: str, value: Value):
    wanted = (KeyIs("r.json", "total", value),)
    assert recognise(f"The value of `total` in `r.json` {comparison}") == wanted
    assert recognise(f"In `r.json`, the key total {comparison}.") == wanted
    assert recognise(f"the field `total` of output/r.json {comparison}") == wanted


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("`r.json` has a key `total`", HasKey("r.json", "total")),
        ("`r.md` contains the text `Total: 4`", Contains("r.md", "Total: 4")),
        ("`r.md` contains `**bold** __init__`", Contains("r.md", "**bold** __init__")),
        ('The string "Total: 4" appears in r.md', Contains("r.md", "Total: 4")),
        ("`t.csv` contains the text `a,b`", Contains("t.csv", "a,b")),
        ("`r.md` does not contain the text `secret`", Contains("r.md", "secret", absent=True)),
        ("`r.md` matches the regex `^# .+$`", Matches("r.md", "^# .+$")),
        ("The regular expression `a+` is found in r.md", Matches("r.md", "a+")),
        ("`r.md` should not match the regex `a+`", Matches("r.md", "a+", absent=True)),
        ("`t.csv` has at least 3 rows", Counts("t.csv", "rows", AT_LEAST_3)),
        ("`t.csv` has three columns", Counts("t.csv", "columns", Range(Decimal(3), Decimal(3)))),
        ("`t.csv` contains at least 3 data rows", Counts("t.csv", "data rows", AT_LEAST_3)),
        ("notes.txt must have at least 3 lines", Counts("notes.txt", "lines", AT_LEAST_3)),
    ],
)
def test_what_stands_in_a_file_is_recognised(text: str, claim: Claim):
    assert recognise(text) == (claim,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The report explains why 3 rows were dropped",
        "`report.md` exists and lists all outliers",
        "The cleaned, sorted output is saved as `result.csv`",
        "The file `report.md` exists, or the answer says why not",
        "If there are outliers, the file `report.md` exists",
        "A file exists",
        "`total` exists",
        "The file `*.csv` exists",
        "The file `../report.md` exists",
        "The file `/etc/passwd.txt` exists",
        "The file `a//b.md` exists",
        "`report.json` is valid JSON with three keys",
        "`report.json` is a JSON object",
        "The total in report.json is 4",
        "`total` in `a.json` is 4.5%",
        "`total` in `a.json` is between `low` and `high`",
        "`total` in `a.json` is about 4",
        "`total` in `a.csv` is 4",
        "`a.json` in `b.json` is `x`",
        "`t.csv` contains `total`",
        "`r.json` contains `total`",
        "`report.md` has 3 columns",
        "`t.csv` has 3 lines",
        "`t.csv` has about 3 rows",
        "`t.csv` has 3 rows for each region",
        "`r.md` matches the regex `(`",
        "`r.md` does not exist",
        "Creates `report.md` from the template",
        "Writes the totals to `report.md`",
        f"`r.md` matches the regex `{'a' * (LONGEST_PATTERN + 1)}`",
        f"`r.md` contains the text `{'a' * LONGEST}`",
        "§0§ exists",
        "`§0§.md` exists and `x.md` too",
    ],
)
def test_all_else_is_left_to_the_judge(text: str):
    assert recognise(text) == ()


@given(
    st.text(max_size=80)
    | st.lists(
        st.sampled_from(
            [
                "`",
                '"',
                "the file ",
                "`r.json`",
                " exists",
                " is ",
                "key ",
                "`n` in ",
                "4",
                "§0§",
                "a/",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_whatever_is_written_gives_claims_about_files_below_the_output(text: str):
    for claim in recognise(text):
        assert claim.path
        assert not claim.path.startswith("/")
        assert ".." not in claim.path.split("/")
