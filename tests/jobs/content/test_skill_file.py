"""A SKILL.md is read as its author meant it, with a warning where that takes leniency."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.content.skill_file import SkillText, parse_skill_file
from jobs.errors import Refused

PLAIN = "---\nname: word-count\ndescription: Counts words.\n---\n\n# Body\n\nCount.\n"


def read(text: str | bytes, folder: str = "word-count") -> SkillText:
    content = text if isinstance(text, bytes) else text.encode()
    return parse_skill_file(content, f"{folder}/SKILL.md", folder)


def test_a_plain_file_gives_name_description_and_the_text_below():
    assert read(PLAIN) == SkillText("word-count", "Counts words.", "# Body\n\nCount.\n", ())


@pytest.mark.parametrize(
    "content",
    [
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("---\n", "---  \n").encode(),
    ],
    ids=["crlf", "blanks-after-the-fence"],
)
def test_an_editor_s_habits_change_nothing(content: bytes):
    assert read(content) == read(PLAIN)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_byte_order_mark_changes_nothing_and_is_told(line_end: str):
    """Elsewhere it hides the front matter."""
    marked = read(b"\xef\xbb\xbf" + PLAIN.replace("\n", line_end).encode())
    [told] = marked.warnings
    assert "`word-count/SKILL.md` begins with a byte order mark" in told
    assert replace(marked, warnings=()) == read(PLAIN)


@pytest.mark.parametrize(
    "written",
    [
        "description: >-\n  Counts words.\n  Use for text.",
        "description: >\n  Counts words.\n  Use for text.\n",
        "description: |\n  Counts words.\n  Use for text.",
        "description: |+\n  Counts words.\n  Use for text.\n\n",
        "description: Counts words.\n  Use for text.",
        'description: "Counts words.\n  Use for text."',
    ],
)
def test_a_description_over_several_lines_is_read_whole(written: str):
    found = read(f"---\nname: word-count\n{written}\n---\nBody")
    assert found.description == "Counts words. Use for text."
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("line", "description"),
    [
        ("description: Counts words: in files and folders", "Counts words: in files and folders"),
        ("description: Counts: this: and that", "Counts: this: and that"),
        ("description: Use when: asked\n  to count: words", "Use when: asked to count: words"),
        ("description: @mention starts it", "@mention starts it"),
        ("description: `code` starts it", "`code` starts it"),
        ("description: 'half a quote", "'half a quote"),
        ("description: >\n  Counts: words\n\tand tabs", "Counts: words and tabs"),
        ("metadata: {broken: [\ndescription: Counts words.", "Counts words."),
    ],
)
def test_what_strict_yaml_refuses_is_read_line_by_line_with_a_warning(line: str, description: str):
    found = read(f"---\nname: word-count\n{line}\nlicense: MIT\n---\nBody")
    assert found.name == "word-count"
    assert found.description == description
    [warning] = found.warnings
    assert "`word-count/SKILL.md`" in warning
    assert "YAML" in warning


def test_the_warning_on_bad_yaml_names_the_line_in_the_file():
    [warning] = read("---\nname: word-count\ndescription: a: b\n---\n").warnings
    assert "line 3" in warning


@pytest.mark.parametrize(
    ("value", "name"), [("2024", "2024"), ("1e3", "1e3"), ("yes", "yes"), ("2024-01-01",) * 2]
)
def test_a_name_stays_the_letters_that_were_written(value: str, name: str):
    assert read(f"---\nname: {value}\ndescription: x\n---\n", name).name == name


def test_a_name_that_differs_from_the_folder_is_kept_with_a_warning():
    found = read("---\nname: template-skill\ndescription: x\n---\n", "template")
    assert found.name == "template-skill"
    assert "`template-skill`" in found.warnings[0]
    assert "`template`" in found.warnings[0]


@pytest.mark.parametrize(
    "name", ["../../etc", "a/b", '"a\\nb"', "<b>x</b>", "@everyone", "x" * 200, "[a, b]"]
)
def test_a_name_that_no_folder_could_bear_gives_way_to_the_folder_s(name: str):
    found = read(f"---\nname: {name}\ndescription: x\n---\n")
    assert "/" not in found.name
    assert found.name in {"word-count", "a b"}
    assert found.warnings


def test_without_front_matter_the_folder_gives_the_name():
    found = read("# Just a title\n")
    assert (found.name, found.text) == ("word-count", "# Just a title\n")
    assert "no front matter" in found.warnings[0]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", " \t\n"])
def test_an_empty_file_is_a_skill_with_a_warning(text: str):
    found = read(text)
    assert (found.name, found.description) == ("word-count", "")
    assert "is empty" in found.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: counter\ndescription: Counts words.\n# Body\n\nCount.",
        "---\nname: counter\ndescription: >\n  Counts\n  words.\n\n# Body",
        "---\nname: counter\ndescription: Counts words.",
        "---\r\nname: counter\r\ndescription: Counts words.\r\n\r\nCount.",
    ],
)
def test_a_front_matter_that_is_never_closed_still_names_the_skill(text: str):
    found = read(text, "counter")
    assert (found.name, found.description) == ("counter", "Counts words.")
    assert len(found.warnings) == 1


def test_a_front_matter_that_is_never_closed_stays_in_the_text():
    text = "---\nname: counter\n# Body"
    found = read(text, "counter")
    assert found.text == text
    assert "`---` is missing" in found.warnings[0]
    assert read("---").name == "word-count"


def test_a_rule_far_below_ends_a_front_matter_but_no_description():
    found = read("---\nname: counter\ndescription: Counts words.\n\n# Body\n\ntext\n---\nmore", "x")
    assert (found.name, found.description) == ("counter", "Counts words.")


def test_blank_lines_before_the_front_matter_are_remarked_upon():
    found = read(f"\n \n{PLAIN}")
    assert (found.name, found.description) == ("word-count", "Counts words.")
    assert found.text == "# Body\n\nCount.\n"
    assert "first line" in found.warnings[0]


@pytest.mark.parametrize(
    "body", ["one\n\n---\n\ntwo\n", "---\nname: other\n---\n", "```\n---\n```\n", "a\n...\n"]
)
def test_rules_in_the_body_end_nothing(body: str):
    found = read(f"---\nname: word-count\ndescription: x\n---\n{body}")
    assert (found.name, found.text, found.warnings) == ("word-count", body, ())


@pytest.mark.parametrize(
    ("line", "description"),
    [
        ('description: "Say \\"hi\\": twice"', 'Say "hi": twice'),
        ("description: 'it''s: quoted'", "it's: quoted"),
        ("description: &anchor Counts words.", "Counts words."),
        ("description: !note Counts words.", "Counts words."),
        ("description: !!str 2024", "2024"),
        ('description: "half \\ud83e a pair"', "half \ufffd a pair"),
        ("description: null", ""),
        ("description: ~", ""),
        ("description:", ""),
        ("description: C# and F#", "C# and F#"),
        ("description: Zählt Wörter 🧮", "Zählt Wörter 🧮"),
    ],
)
def test_a_value_is_what_yaml_says_it_is(line: str, description: str):
    assert read(f"---\nname: word-count\n{line}\n---\n").description == description


@pytest.mark.parametrize(
    "front",
    [
        "name:\tword-count\ndescription:\tCounts words.",
        "name: word-count\ndescription: *gone Counts words.",
        'name: word-count\ndescription: "Counts" words.',
        "name: word-count\ndescription: %Counts words.",
        "name: word-count\ndescription: Counts words.\nallowed-tools: [Read, Bash",
        "name: word-count\ndescription: Counts words.\n\tkey: value",
    ],
)
def test_tabs_anchors_and_quotes_that_break_yaml_lose_no_skill(front: str):
    found = read(f"---\n{front}\n---\nBody")
    assert found.name == "word-count"
    assert "words." in found.description
    assert "YAML" in found.warnings[0]


@pytest.mark.parametrize("front", ["- a\n- b", "just words", "", "# only a comment"])
def test_a_front_matter_without_fields_is_no_reason_to_lose_the_skill(front: str):
    found = read(f"---\n{front}\n---\nBody")
    assert (found.name, found.description, found.text) == ("word-count", "", "Body")


def test_a_long_description_is_neither_cut_nor_refused():
    description = "🧮" * 68 + "x" * 1_000
    found = read(f"---\nname: word-count\ndescription: {description}\n---\n")
    assert found.description == description
    [warning] = found.warnings
    assert "1,068" in warning


@pytest.mark.parametrize(
    ("content", "byte", "offset"),
    [
        (b"---\nname: a\n---\nIt\x92s", "0x92", 18),
        (PLAIN.encode("utf-16"), "0xff", 0),
        (b"---\nname: \xe9\n---\n", "0xe9", 10),
    ],
)
def test_what_is_not_utf8_is_refused_with_file_and_offset(content: bytes, byte: str, offset: int):
    with pytest.raises(Refused) as refusal:
        read(content)
    assert "`word-count/SKILL.md`" in str(refusal.value)
    assert f"{byte} at offset {offset}" in str(refusal.value)


@pytest.mark.parametrize(
    "front",
    [
        "a: &a [x, x]\n" + "".join(f"a{n}: &a{n} [*a, *a, *a]\n" for n in range(40)),
        "a: " + "[" * 30_000,
        "a: " + "{a: " * 10_000,
        "x" * 200_000,
        "!!python/object/apply:os.system ['true']",
        "name: !!binary x\nname: &x {<<: *x}",
        "? " * 5_000,
    ],
    ids=["aliases", "brackets", "braces", "long", "object", "merge", "keys"],
)
def test_hostile_yaml_costs_nothing_but_the_front_matter(front: str):
    found = read(f"---\n{front}\nname: word-count\n---\nBody")
    assert found.name == "word-count"
    assert found.text == "Body"


def test_a_process_in_the_c_locale_reads_utf8(tmp_path: Path):
    path = tmp_path / "SKILL.md"
    path.write_bytes("---\nname: zähler\ndescription: Zählt Wörter 🧮\n---\n".encode())
    code = (
        "import sys, pathlib\n"
        "from jobs.content.skill_file import parse_skill_file\n"
        "text = parse_skill_file(pathlib.Path(sys.argv[1]).read_bytes(), 'z/SKILL.md', 'z')\n"
        "assert text.description == 'Z\\u00e4hlt W\\u00f6rter \\U0001f9ee', text\n"
    )
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.defpath}
    subprocess.run([sys.executable, "-c", code, str(path)], env=environment, check=True)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("disable-model-invocation: true", True),
        ('disable-model-invocation : "true"', True),
        ("disable-model-invocation: false", False),
        ("# disable-model-invocation: true", False),
        ("description: about disable-model-invocation: true", False),
    ],
)
def test_a_skill_says_whether_agents_may_load_it_by_themselves(line, kept):
    read_back = read(f"---\nname: word-count\n{line}\n---\n# Body\n")
    assert read_back.for_people_only is kept
    assert not read(f"# Body\n\n{line}\n").for_people_only
