"""Scrubbing: what gives an arm away goes, what the task itself says stays."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.judging.scrub import Scrubber
from jobs.values import Assertion
from tests.builders import a_skill, an_eval_case, some_assertions

PLAIN = Scrubber(a_skill(), an_eval_case(prompt="Summarize the poem."))
ADMIRAL = Scrubber(
    a_skill(path="admiral", name="admiral"), an_eval_case(prompt="Derive ADSL with admiral.")
)

GIVEAWAYS = (
    "skill/references/method.md",
    "/box/skill/SKILL.md",
    ".claude/skills/word-count/SKILL.md",
    "text/word-count/notes.md",
    "SKILL.md",
    "skill.MD",
    "the word-count skill",
    "`word-count` skill",
    "**word-count** skill",
    "Word Count skill",
    "skill word-count",
    "Skill: word-count",
    'skill "word-count"',
    "Skill(word-count)",
    "skill named `word-count`",
    "word_count_skill.py",
    "output_A",
    "output_B/report.md",
    "with_skill",
    "without_skill",
    "with-skill",
    "base_skill",
    "candidate_skill",
    "without the skill",
    "according to the skill",
    "According to the\nskill's guidelines",
    "following skill instructions",
    "as per the provided skill",
    "the Skill tool",
    "skill-guided",
    '<skill name="word-count">',
)


@pytest.mark.parametrize("text", GIVEAWAYS)
def test_a_give_away_is_replaced(text: str) -> None:
    scrubbed, count = PLAIN.scrub(f"Made {text}, as asked.")
    assert count >= 1
    assert "skill" not in scrubbed.lower()
    assert "word-count" not in scrubbed.lower()
    assert "output_" not in scrubbed
    assert scrubbed.startswith("Made ")
    assert scrubbed.endswith("as asked.")


@pytest.mark.parametrize(
    "text",
    [
        "a skilled reader has many skills",
        "the skill level and the skill set of the team",
        "done with skill and care",
        "skills/experience required",
        "output_a = output_1",
        "outputs and output.csv",
        "The word count is 42.",
        "",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert PLAIN.scrub(text) == (text, 0)


def test_a_name_that_the_task_uses_stays_while_the_phrase_around_it_goes() -> None:
    assert ADMIRAL.scrub("library(admiral)  # admiral 1.3") == (
        "library(admiral)  # admiral 1.3",
        0,
    )
    assert ADMIRAL.scrub("I used the admiral skill.") == ("I used the admiral approach.", 1)
    assert ADMIRAL.scrub("see skills/admiral/SKILL.md") == ("see notes/admiral/notes.md", 2)


def test_a_name_of_one_common_word_is_no_give_away_by_itself() -> None:
    scrubber = Scrubber(a_skill(path=".", name="pdf"), an_eval_case(prompt="Write a report."))
    assert scrubber.scrub("report.pdf and out/pdf/a.pdf") == ("report.pdf and out/pdf/a.pdf", 0)
    assert scrubber.scrub("made with the pdf skill") == ("made with the approach", 1)


def test_a_domain_phrase_of_the_task_stays_in_any_spelling() -> None:
    case = an_eval_case(assertions=(Assertion(id="A1", text="States the word count"),))
    assert Scrubber(a_skill(), case).scrub("the word-count is 42") == ("the word-count is 42", 0)


def test_a_phrase_of_an_assertion_stays() -> None:
    case = an_eval_case(
        assertions=(Assertion(id="A1", text="`with_skill` and SKILL.md are explained"),)
    )
    text = "with_skill and SKILL.md, but without_skill"
    assert Scrubber(a_skill(), case).scrub(text) == ("with_skill and SKILL.md, but variant", 1)


@pytest.mark.parametrize("name", ["---", "c++", "a", "skill", "my-skill", "(x", "ß-ſ"])
def test_any_name_makes_a_scrubber(name: str) -> None:
    scrubber = Scrubber(a_skill(path=f"s/{name}", name=name), an_eval_case(prompt="Do it."))
    assert scrubber.scrub(f"the {name} skill, output_A")[1] >= 1


def test_hostile_text_does_not_slow_the_search_down() -> None:
    started = time.process_time()
    for text in (" " * 200_000, "skill " * 40_000, "using " * 40_000, "skill/" * 40_000):
        PLAIN.scrub(f"{text}skill")
    assert time.process_time() - started < 10


PIECES = st.sampled_from(
    [
        *GIVEAWAYS,
        "skill",
        "the",
        "word-count",
        "Word Count",
        "SKILL",
        "42",
        " ",
        "\n",
        "/",
        "-",
        "_",
    ]
)
MIXED = st.lists(PIECES | st.text(max_size=6), max_size=12).map(" ".join)


@given(prompt=MIXED, assertion=MIXED)
def test_the_words_of_prompt_and_assertions_are_never_touched(prompt: str, assertion: str) -> None:
    case = an_eval_case(prompt=prompt, assertions=(Assertion(id="A1", text=assertion),))
    scrubber = Scrubber(a_skill(), case)
    assert scrubber.scrub(prompt) == (prompt, 0)
    assert scrubber.scrub(assertion) == (assertion, 0)


@given(text=MIXED)
def test_a_name_of_the_task_is_never_lost(text: str) -> None:
    case = an_eval_case(prompt="Use word-count.", assertions=some_assertions())
    scrubbed, _ = Scrubber(a_skill(path="word-count"), case).scrub(text)
    assert scrubbed.count("word-count") == text.count("word-count")


@given(text=st.text(max_size=200) | MIXED)
def test_scrubbing_never_raises_and_counts_what_it_changed(text: str) -> None:
    scrubbed, count = PLAIN.scrub(text)
    assert (count == 0) == (scrubbed == text)
