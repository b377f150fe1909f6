"""Files of people's verdicts: read in both forms, and every line at fault told with its number."""

from pathlib import Path

import pytest

from bot.blobs import Blobs
from jobs.calibration.judged import JudgedRuns, add_kept, pair_all, read_archives
from jobs.calibration.labels import FaultyLines, Label, read_labels
from jobs.errors import Refused
from jobs.planning.dedup import record_of
from jobs.reporting.archive import ArchiveContent, make_archive
from jobs.values import Arm
from tests.broken_zips import BROKEN_ZIPS
from tests.builders import a_pass, a_result, a_run_spec, an_eval_case

RUN = a_run_spec().run_id


def written(folder: Path, text: str, name: str = "labels.jsonl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_both_forms_say_the_same(tmp_path: Path) -> None:
    lines = '{"human": "Pass", "judge": "pass/fail", "group": "G", "note": 3}\n\n'
    table = "\ufeffHuman,judge,group,note\r\nPass,pass/fail,G,3\r\n"
    [one] = read_labels(written(tmp_path, lines))
    [other] = read_labels(written(tmp_path, table, "labels.csv"))
    assert one.model_copy(update={"line": 2}) == other
    assert (one.human, one.judge) == ("pass", ("pass", "fail"))


def test_a_table_may_have_semicolons_and_verdict_for_human(tmp_path: Path) -> None:
    [one] = read_labels(written(tmp_path, "verdict;judge\ncannot verify;fail\n", "l.csv"))
    assert (one.human, one.judge) == ("cannot_verify", ("fail",))


@pytest.mark.parametrize(
    ("text", "name", "faults"),
    [
        (
            '{"human": "ok"}\nx\n\n{"human": "pass"}',
            "l.jsonl",
            ("l.jsonl:1", ":2: no JSON", ":4: "),
        ),
        ("[]\n3\n", "l.jsonl", (":1: no JSON object", ":2: no JSON object")),
        ('{"human": ["pass"], "judge": {"a": 1}}', "l.jsonl", (":1: ",)),
        ("human,judge\npass,pass\npass,pass,x\n", "l.csv", (":3: it has more cells",)),
        ('human,judge\npass,"pa"ss\n', "l.csv", (":2: no row of a table",)),
        ("human,run,assertion\npass,a,A1\n", "l.csv", (":2: without `judge` it needs `arm`",)),
        ("human,judge,trial\npass,pass,0\n", "l.csv", (":2: trial",)),
    ],
)
def test_every_line_at_fault_is_told_with_its_number(
    tmp_path: Path, text: str, name: str, faults: tuple[str, ...]
) -> None:
    with pytest.raises(FaultyLines) as told:
        read_labels(written(tmp_path, text, name))
    for fault in faults:
        assert fault in str(told.value)


def test_of_many_faults_the_first_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    with pytest.raises(FaultyLines, match="and 5 more lines"):
        read_labels(written(tmp_path, "x\n" * 25))


def test_a_quoted_column_may_hold_the_other_sign(tmp_path: Path) -> None:
    table = '\ufeff"asked, of whom";"human";"judge"\r\nann;pass;fail\r\n'
    [one] = read_labels(written(tmp_path, table, "l.csv"))
    assert (one.human, one.judge) == ("pass", ("fail",))


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ('"human"x,judge', "no row of a table"),
        ('"human,judge', "no row of a table"),
        (f"human,judge,{'a' * 200_000}", "no row of a table"),
        ("human,Human,judge", "two columns `human`"),
        ("verdict,judge,judge", "two columns `judge`"),
    ],
)
def test_a_first_line_that_names_no_columns_is_refused(
    tmp_path: Path, head: str, words: str
) -> None:
    with pytest.raises(Refused, match=f"l.csv:1: {words}"):
        read_labels(written(tmp_path, f"{head}\npass,fail,pass\n", "l.csv"))


@pytest.mark.parametrize(("text", "words"), [("", "holds no verdict"), ("\n\n", "no verdict")])
def test_an_empty_file_says_nothing(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        read_labels(written(tmp_path, text))


def test_a_table_without_the_column_and_a_file_that_is_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no column `human`"):
        read_labels(written(tmp_path, "a,b\n1,2\n", "l.csv"))
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused, match="UTF-8"):
        read_labels(tmp_path / "b.jsonl")
    with pytest.raises(Refused, match="cannot be read"):
        read_labels(tmp_path / "none.jsonl")


async def archived(folder: Path, **changes: object) -> Path:
    await make_archive(ArchiveContent(result=a_result(**changes), bundles={}), folder / "archives")
    return folder / "archives"


async def test_the_judges_word_is_looked_up_in_an_archive(tmp_path: Path) -> None:
    """By arm, or by candidate as the first reading showed them."""
    lines = (
        f'{{"human": "fail", "run": "{RUN}", "assertion": "a2", "arm": "without_skill"}}\n'
        f'{{"human": "fail", "eval_id": "{a_run_spec().eval_case.id}", "assertion": "A2", '
        '"candidate": "candidate_2"}\n'
    )
    path = written(tmp_path, lines)
    runs = read_archives(await archived(tmp_path))
    one, other = pair_all(read_labels(path), runs, path)
    assert one == other
    assert (one.person, one.judge) == ("fail", ("fail", "fail"))
    record = record_of(a_result())
    assert one.series == (record.served, record.judge_served, record.judge_prompt)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("run", "0" * 12, "nothing is kept of the run"),
        ("assertion", "A9", "no assertion `A9`; there are `A1`, `A2`, `A3`"),
        ("arm", "base_skill", "no arm `base_skill`; there are `with_skill`, `without_skill`"),
        ("trial", "2", "no trial 2 with a score"),
    ],
)
async def test_what_is_not_there_is_told_with_what_there_is(
    tmp_path: Path, field: str, value: str, words: str
) -> None:
    fields = {"human": "pass", "run": RUN, "assertion": "A1", "arm": "with_skill", "trial": "1"}
    fields[field] = value
    table = f"{','.join(fields)}\n{','.join(fields.values())}\n"
    path = written(tmp_path, table, "labels.csv")
    with pytest.raises(FaultyLines, match=r"labels\.csv:2: ") as told:
        pair_all(read_labels(path), read_archives(await archived(tmp_path)), path)
    assert words in str(told.value)


async def test_of_several_runs_of_one_eval_case_one_must_be_named(tmp_path: Path) -> None:
    await archived(tmp_path)
    folder = await archived(tmp_path, spec=a_run_spec(run_id="b" * 12))
    path = written(
        tmp_path,
        f'{{"human": "pass", "eval_id": "{a_run_spec().eval_case.id}", "assertion": "A1", '
        '"arm": "with_skill"}',
    )
    with pytest.raises(FaultyLines, match="has 2 runs"):
        pair_all(read_labels(path), read_archives(folder), path)


async def test_a_run_is_found_in_the_store_as_well(tmp_path: Path) -> None:
    path = written(
        tmp_path, f'{{"human": "pass", "run": "{RUN}", "assertion": "A1", "arm": "with_skill"}}'
    )
    blobs = Blobs((tmp_path / "blobs").as_uri())
    await blobs.put(f"runs/{RUN}/ended.json", a_result().model_dump_json().encode())
    runs, labels = JudgedRuns(), read_labels(path)
    await add_kept(labels, runs, blobs)
    [one] = pair_all(labels, runs, path)
    assert one.judge == ("pass", "pass")


def test_a_folder_without_an_archive_is_refused(tmp_path: Path) -> None:
    for number, content in enumerate([b"no zip", *BROKEN_ZIPS.values()]):
        (tmp_path / f"a{number}.zip").write_bytes(content)
    (tmp_path / "result.json").write_text("[" * 100_000)
    with pytest.raises(Refused, match="holds no archive"):
        read_archives(tmp_path)
    with pytest.raises(Refused, match="is not there"):
        read_archives(tmp_path / "none")


def test_only_what_a_judge_said_is_held_against_people() -> None:
    """Where only code decided, there is no judge to calibrate."""
    result = a_result(passes=(a_pass(1), a_pass(2)), spec=a_run_spec(eval_case=an_eval_case()))
    [row, *_] = result.assertions
    by_code = [
        one.model_copy(update={"by_machine": True, "judge_said": None}) for one in row.with_skill
    ]
    changed = row.model_copy(update={"with_skill": tuple(by_code)})
    runs = JudgedRuns([result.model_copy(update={"assertions": (changed, *result.assertions[1:])})])
    label = Label(line=1, human="pass", run=RUN, assertion=row.assertion.id, arm=Arm.WITH_SKILL)
    with pytest.raises(FaultyLines, match="only code decided"):
        pair_all([label], runs, Path("l.jsonl"))
