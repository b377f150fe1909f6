"""YAML becomes plain values with their lines; what could hide a bomb is refused by line."""

import tracemalloc

import pytest

from config.yaml_lines import MAX_BYTES, Problem, YamlError, dotted, parse_yaml, shown


def problems_of(content: str | bytes) -> list[Problem]:
    """Everything that is wrong with a file, whether it could be read to its end or not."""
    written = content if isinstance(content, bytes) else content.encode()
    try:
        return parse_yaml(written).problems
    except YamlError as error:
        return error.problems


def test_values_are_strings_lists_and_maps_with_their_lines():
    document = parse_yaml(b"a: 1\nb:\n  - x\n  - {c: no}\n\nd: |\n  two\n  lines\n")
    assert document.content == {"a": "1", "b": ["x", {"c": "no"}], "d": "two\nlines\n"}
    assert document.lines == {
        ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("b", 1, "c"): 4, ("d",): 6,
    }  # fmt: skip
    assert document.line_of(("b", 1, "nothing", "here")) == 4
    assert document.line_of(("z",)) == 1


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("no", "no"),
        ("3.10", "3.10"),
        ("2026-01-01", "2026-01-01"),
        ("0o7", "0o7"),
        ("true", "true"),
        ("~", None),
        ("null", None),
        ("", None),
        ('""', ""),
        ("'~'", "~"),
        ('"null"', "null"),
    ],
)
def test_a_plain_word_stays_the_word_that_was_written(written: str, read: str | None):
    assert parse_yaml(f"key: {written}\n".encode()).content == {"key": read}


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"---\n", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_holds_nothing(content: bytes):
    assert parse_yaml(content).content is None


def test_a_byte_order_mark_and_windows_line_ends_change_nothing():
    document = parse_yaml(b"\xef\xbb\xbfa: x\r\nb:\r\n- y\r\n")
    assert document.content == {"a": "x", "b": ["y"]}
    assert document.line_of(("b", 0)) == 3


@pytest.mark.parametrize(
    ("content", "line", "key", "text"),
    [
        ("a: 1\nb: *x\n", 2, "b", "aliases such as `*x` are not read."),
        ("a: &x 1\n", 1, "a", "anchors such as `&x` are not read."),
        ("\n\n&k a: 1\n", 3, "", "anchors such as `&k` are not read."),
        ("a: !!python/name:os.system\n", 1, "a", "tags such as"),
        ("a: ! x\n", 1, "a", "tags such as `!` are not read."),
        ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, "b.c", "stands there twice, first in line 3."),
        ("a: 1\n---\nb: 1\n", 2, "", "a second document begins"),
        ("a: b: c\n", 1, "", "no valid YAML (`mapping values are not allowed here`)"),
        ("a: [1,\n", 2, "", "no valid YAML"),
        ("a:\n\t- x\n", 2, "", "no valid YAML"),
        ("a: x\n? [b]\n: c\n", 2, "", "a key must be a word"),
        ("*a : b\n", 1, "", "a key must be a word"),
        ("a: x\nb: \x07\n", 2, "", "a control character"),
        ('a: "\\0"\n', 1, "a", "a control character"),
        ('a: "\\ud800"\n', 1, "a", "half a letter"),
        ('a: "\\UFFFFFFFF"\n', 1, "", "no valid YAML"),
        (f"%YAML {'9' * 5000}.1\n---\na\n", 1, "", "no valid YAML"),
        ("a:\n" + "  - " * 20 + "x", 2, "a" + "[0]" * 11, "more than 12 deep"),
        (b"a: 1\nb: \xe9\n", 2, "", "not UTF-8 (byte 0xe9)"),
        ("a: 1\n".encode("utf-16"), 1, "", "not UTF-8 (byte 0xff)"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_key(
    content: str | bytes, line: int, key: str, text: str
):
    [problem, *_] = problems_of(content)
    assert (problem.line, problem.key) == (line, key)
    assert text in problem.text


def test_several_faults_are_told_at_once():
    found = problems_of("a: &x 1\nb: *x\na: 2\nc: !t 3\n")
    assert [problem.line for problem in found] == [1, 2, 3, 4]


def test_a_large_file_is_not_parsed_at_all():
    assert problems_of(b"a: [\n" * 200_000) == [
        Problem(0, "", f"it has 1,000,000 bytes; at most {MAX_BYTES:,} are read.")
    ]


@pytest.mark.parametrize(
    "content",
    [
        "[" * MAX_BYTES,
        "{" * MAX_BYTES,
        "- " * (MAX_BYTES // 2),
        "? " * (MAX_BYTES // 2),
        "a: " * (MAX_BYTES // 3),
        "&a [" * (MAX_BYTES // 4),
        "[" + "a," * (MAX_BYTES // 16) + "]",
        "a: &a [x,x]\n" + "".join(f"b{n}: &b{n} [*a,*a,*a]\n" for n in range(2_000)),
        "\n".join(f"k{number}: {number}" for number in range(1_000)),
        '"' + "\\x41" * (MAX_BYTES // 4 - 1) + '"',
        "'" * MAX_BYTES,
        "!" * MAX_BYTES,
        "a: |\n" + " x\n" * (MAX_BYTES // 3 - 2),
    ],
    ids=lambda content: content[:6],
)
def test_no_file_grows_beyond_a_few_megabytes(content: str):
    """A bomb is small and stands for a lot; here nothing stands for more than itself."""
    tracemalloc.start()
    try:
        problems_of(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16_000_000


def test_quotations_stay_in_their_code_span():
    assert shown("a`b\n@c\u202e\0") == "`a'b @c`"
    assert shown("x" * 500) == f"`{'x' * 79}…`"
    assert shown("\u200b") == "` `"
    assert dotted(("environments", "r", "hosts", 0)) == "environments.r.hosts[0]"
