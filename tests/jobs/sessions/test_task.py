"""The task text: the same in both arms, and silent about all that a session may not know."""

from pathlib import Path

import pytest

from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.task import (
    QUOTED_CHARACTERS,
    QUOTED_IN_ALL,
    SYSTEM,
    name_inputs,
    render_prompt,
    render_task,
)
from jobs.values import Arm, InputFile
from tests.builders import a_run_spec, a_skill, an_eval_case, an_input_file, some_limits

SKILL = "---\nname: word-count\n---\n# Count\nUse `scripts/count.sh`.\n"


def staged(folder: Path, *contents: bytes, suffix: str = ".txt") -> tuple[InputFile, ...]:
    """Input files with these contents, staged in a folder under their aliases."""
    folder.mkdir(exist_ok=True)
    files = []
    for number, content in enumerate(contents, start=1):
        name = f"input_{number:03d}{suffix}"
        (folder / name).write_bytes(content)
        files.append(
            an_input_file(
                source=f"text/samples/poem-{number}{suffix}",
                alias=f"input/{name}",
                size_bytes=len(content),
            )
        )
    return tuple(files)


def a_session_spec(tmp_path: Path, arm: Arm, **case_changes) -> SessionSpec:
    with_skill = arm is Arm.WITH_SKILL
    return SessionSpec(
        arm=arm,
        run=a_run_spec(eval_case=an_eval_case(**case_changes), skill=a_skill()),
        trial=1,
        skill_folder=tmp_path / "skill" if with_skill else None,
        skill_text=SKILL if with_skill else None,
        inputs_folder=tmp_path / "input",
        limits=some_limits(),
        bundle=tmp_path / "bundle.zip",
        scratch=tmp_path,
    )


def test_both_arms_are_told_the_same_and_one_the_skill_before_it(tmp_path):
    inputs = staged(tmp_path / "input", b"Roses are red.\n")
    changes = {"inputs": inputs, "notes": ("Be brief.",), "language": "German"}
    plain = render_prompt(a_session_spec(tmp_path, Arm.WITHOUT_SKILL, **changes))
    skilled = render_prompt(a_session_spec(tmp_path, Arm.WITH_SKILL, **changes))
    assert skilled.endswith("\n\n" + plain)
    before = skilled.removesuffix(plain)
    assert SKILL.strip() in before
    assert "skill/" in before
    assert "skill" not in plain.lower()


def test_the_task_holds_what_the_case_says(tmp_path):
    case = an_eval_case(
        inputs=staged(tmp_path / "input", b"Roses are red.\n"),
        notes=("The poem is by nobody.",),
        language="German",
    )
    task = render_task(case, tmp_path / "input")
    assert "Count the words of the poem." in task
    assert "Language: German" in task
    assert "- The poem is by nobody." in task
    assert "- input/input_001.txt (15 bytes)" in task
    assert "BEGIN input/input_001.txt =====\nRoses are red.\n===== END" in task
    assert "output/" in task


@pytest.mark.parametrize("arm", Arm)
def test_nothing_is_told_that_a_session_may_not_know(tmp_path, arm):
    inputs = staged(tmp_path / "input", b"Roses are red.\n")
    session = a_session_spec(tmp_path, arm, inputs=inputs)
    told = SYSTEM + render_prompt(session)
    case = session.run.eval_case
    secrets = [
        *(assertion.text for assertion in case.assertions),
        case.expected_output,
        *(file.source for file in case.inputs),
        "poem-1.txt",
        case.id,
        session.run.repo.full_name,
        *Arm,
        "benchmark",
        "judge",
        "baseline",
        str(tmp_path),
    ]
    assert [secret for secret in secrets if secret.lower() in told.lower()] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Count the words of poem.txt.", "Count the words of input/input_001.txt."),
        ("Read `samples/poem.txt`!", "Read `input/input_001.txt`!"),
        ("See ./text/samples/poem.txt", "See input/input_001.txt"),
        (
            "[the poem](https://github.com/acme/skills/blob/main/text/samples/poem.txt)",
            "[the poem](input/input_001.txt)",
        ),
        ("Write output/poem.txt", "Write output/poem.txt"),
        ("my-poem.txt and poem.txt.bak stay", "my-poem.txt and poem.txt.bak stay"),
        ("A poem, txt or not", "A poem, txt or not"),
    ],
)
def test_an_input_is_called_by_its_alias_wherever_it_is_named(text, said):
    assert name_inputs(text, [an_input_file()]) == said


def test_a_name_that_two_inputs_share_names_neither():
    inputs = [
        an_input_file(source="a/data.csv", alias="input/input_001.csv"),
        an_input_file(source="b/data.csv", alias="input/input_002.csv"),
    ]
    text = "Compare a/data.csv with b/data.csv; each is a data.csv."
    assert name_inputs(text, inputs) == (
        "Compare input/input_001.csv with input/input_002.csv; each is a data.csv."
    )


def test_a_long_input_is_quoted_as_far_as_there_is_room(tmp_path):
    inputs = staged(tmp_path / "input", *[b"x" * (QUOTED_CHARACTERS + 50)] * 5)
    task = render_task(an_eval_case(inputs=inputs), tmp_path / "input")
    assert task.count("x" * QUOTED_CHARACTERS) == QUOTED_IN_ALL // QUOTED_CHARACTERS
    assert "x" * (QUOTED_CHARACTERS + 1) not in task
    assert "it goes on" in task
    assert "- input/input_005.txt" in task, "what is not quoted is still listed"


def test_a_file_that_is_no_text_is_listed_and_not_quoted(tmp_path):
    inputs = staged(tmp_path / "input", b"PK\x03\x04\0\0", b"\xff\xfe\xfd\xfc")
    task = render_task(an_eval_case(inputs=inputs), tmp_path / "input")
    assert task.count("- input/input_00") == 2
    assert "BEGIN" not in task


def test_a_quotation_ends_between_two_characters(tmp_path):
    inputs = staged(tmp_path / "input", "ä↔🙂".encode() * (2 * QUOTED_CHARACTERS))
    task = render_task(an_eval_case(inputs=inputs), tmp_path / "input")
    assert "BEGIN input/input_001.txt" in task
    assert "\ufffd" not in task
