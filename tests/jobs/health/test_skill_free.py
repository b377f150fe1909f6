"""Whatever of a skill reaches the arm without one is found, and nothing else is taken for it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.errors import Refused
from jobs.health.baseline import check_baseline
from jobs.health.skill_free import PASSAGE, SkillMark, find_passage, find_share, find_traces
from jobs.values import InputFile
from tests.builders import an_eval_case, an_input_file

SKILL = """\
---
name: word-count
description: Counts words in plain text.
---
# How to count

Read the file first. Split it at blanks, strip punctuation from both ends of each word, and
count what is left. Report the total on a line of its own, beginning with `Total:`, then list
the ten longest words with their lengths, the longest first, ties in the order of the alphabet.
"""
SENTENCE = SKILL[SKILL.index("Split it") : SKILL.index(" with their lengths")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    skill = tmp_path / "staged"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKILL)
    (skill / "references" / "stop-words.txt").write_text("a\nan\nthe\n")
    (skill / "__init__.py").write_text("")
    return skill


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / "input").mkdir(parents=True)
    (work / "output").mkdir()
    return work


def mark(folder: Path, *inputs: InputFile) -> SkillMark:
    return SkillMark.read("word-count", folder, SKILL, inputs)


def digest(skill: SkillMark, path: str) -> str:
    return next(sha for sha, name in skill.files.items() if name == path)


def test_a_folder_with_inputs_and_a_task_is_free(folder: Path, work: Path) -> None:
    """An empty file is nobody's, though the skill has one too."""
    (work / "input" / "input_001.py").write_text("")
    (work / "input" / "input_002.txt").write_text("Some words to count.\n")
    assert find_traces(mark(folder), work, "# Task\n\nCount the words of input_002.txt.") == ()


def test_a_file_of_the_skill_is_found_under_any_name(folder: Path, work: Path) -> None:
    (work / "deep" / "er").mkdir(parents=True)
    (work / "deep" / "er" / "list.dat").write_text("a\nan\nthe\n")
    [told] = find_traces(mark(folder), work, "")
    assert "`deep/er/list.dat`" in told
    assert "`references/stop-words.txt`" in told


@pytest.mark.parametrize("place", ["skill", ".claude/skills/word-count", ".claude/skills/other"])
def test_a_folder_in_which_skills_are_found_is_told(folder: Path, work: Path, place: str) -> None:
    """Also an empty one, and one of another skill."""
    (work / place).mkdir(parents=True)
    [told] = find_traces(mark(folder), work, "")
    assert place in told


def test_an_input_that_the_eval_case_attaches_is_no_trace(folder: Path, work: Path) -> None:
    """Both arms are given it; that it is the skill's is said once, elsewhere."""
    (work / "input" / "input_001.txt").write_text("a\nan\nthe\n")
    sha = digest(mark(folder), "references/stop-words.txt")
    attached = an_input_file(source="data/stop.txt", alias="input/input_001.txt", sha256=sha)
    assert find_traces(mark(folder, attached), work, "") == ()
    [remark] = check_baseline(mark(folder, attached), an_eval_case(inputs=(attached,)), "", work)
    assert "`data/stop.txt`" in remark
    assert "`references/stop-words.txt`" in remark


def test_an_eval_case_that_attaches_the_skill_itself_is_refused(folder: Path, work: Path) -> None:
    sha = digest(mark(folder), "SKILL.md")
    attached = an_input_file(source="notes/how.md", sha256=sha)
    with pytest.raises(Refused, match=r"notes/how\.md.*SKILL\.md.*Take it out"):
        check_baseline(mark(folder, attached), an_eval_case(inputs=(attached,)), "", work)


@pytest.mark.parametrize(
    "content",
    [f"{SKILL}\n", SKILL.replace("\n", "\r\n"), SKILL.split("---")[2], f"# Mine\n{SKILL}"],
)
def test_an_input_that_is_the_skill_but_for_a_trifle_is_refused(
    folder: Path, work: Path, content: str
) -> None:
    attached = an_input_file(source="notes/how.md", alias="input/input_001.md", sha256="c" * 64)
    (work / "input" / "input_001.md").write_text(content, newline="")
    with pytest.raises(Refused, match=r"notes/how\.md.*most of the SKILL\.md.*Take"):
        check_baseline(mark(folder), an_eval_case(inputs=(attached,)), "", work)


def test_an_input_that_holds_a_passage_is_remarked_upon(folder: Path, work: Path) -> None:
    """Such as data that SKILL.md shows a piece of, or a text that quotes it."""
    attached = an_input_file(source="data/a.md", alias="input/input_001.md", sha256="c" * 64)
    (work / "input" / "input_001.md").write_text(f"Somebody wrote: {SENTENCE[:165]}")
    [remark] = check_baseline(mark(folder), an_eval_case(inputs=(attached,)), "", work)
    assert "`data/a.md` holds a passage" in remark
    (work / "input" / "input_001.md").write_bytes(b"\xff\xfe\0 words")
    assert check_baseline(mark(folder), an_eval_case(inputs=(attached,)), "", work) == ()


@pytest.mark.parametrize(
    "told",
    [
        f"Please do this: {SENTENCE}",
        SENTENCE.upper(),
        "\n".join(f"> {word}," for word in SENTENCE.split()),
        f"{'x' * 5_000} {SENTENCE.replace(',', ' —')}",
    ],
)
def test_a_passage_of_the_skill_is_found_however_it_is_laid_out(folder: Path, told: str) -> None:
    """Case, line ends, quotation marks and punctuation hide nothing."""
    with pytest.raises(Refused, match="passage of the SKILL"):
        check_baseline(mark(folder), an_eval_case(inputs=()), told, Path())


@pytest.mark.parametrize(
    "told",
    [
        "",
        "Read the file first. Report the total, then list the ten longest words.",
        "Counts words in plain text.",
        SENTENCE[:100],
    ],
)
def test_words_that_any_task_may_use_are_no_passage(folder: Path, told: str) -> None:
    assert check_baseline(mark(folder), an_eval_case(inputs=()), told, Path()) == ()


def test_a_passage_in_a_language_without_blanks_is_found_too() -> None:
    skill = "".join(chr(0x4E00 + number) for number in range(400))
    assert find_passage(skill, f"请{skill[100:260]}。")
    assert not find_passage(skill, skill[100:200])


def test_texts_that_are_nearly_alike_everywhere_are_gone_through_once() -> None:
    """Piece by piece, and each at all its places, this would take hours."""
    skill, told = ("a" * 100 + "b") * 3_000, ("a" * 100 + "c") * 3_000
    assert not find_passage(skill, told)


@pytest.mark.parametrize("front", ["", "---\nname: polite\ndescription: Be polite.\n---\n\n"])
def test_instructions_that_are_shorter_than_a_passage_are_found_as_a_whole(front: str) -> None:
    instructions = "Answer in French, politely, and sign each letter with `The team`."
    told = f"Write a letter. {instructions}"
    assert find_passage(front + instructions, told).startswith("Answer")
    assert find_share(front + instructions, told) == 1
    assert not find_passage(front + instructions, "Answer in French, politely.")
    assert not find_passage(f"{front}Be polite.", "Be polite.")
    assert not find_passage(front, "Write a letter.")


@given(
    st.text(alphabet="abcdefghij .,\n", min_size=0, max_size=200),
    st.text(alphabet="klmnopqrst .,\n", min_size=0, max_size=200),
    st.integers(min_value=0, max_value=300),
)
def test_a_passage_is_found_wherever_it_begins(before: str, after: str, start: int) -> None:
    skill = "".join(f"{number} " for number in range(1_000))
    passage = skill[start : start + 3 * PASSAGE]
    assert find_passage(skill, before + passage + after)
    assert not find_passage(skill, before + passage[:PASSAGE] + after)
