"""What reports say of leaks: in one line what assertions test, in another what was guessed."""

from decimal import Decimal

import pytest

from jobs.leaks.assertion_class import AssertionLeak
from jobs.leaks.guess import Guess
from jobs.planning.dedup import record_of
from jobs.planning.markers import find_markers, render_marker
from jobs.readings import ScrubCount
from jobs.reporting.context import ReportContext
from jobs.reporting.details import judging_part
from jobs.reporting.leaks import leak_notes
from jobs.results import RunResult
from tests.builders import a_result, a_run_spec

CONTEXT = ReportContext(web_url="https://github.com", archive_url="https://a.test/x.zip")


def leaks(*kinds: str, **changes: object) -> tuple[AssertionLeak, ...]:
    return tuple(
        AssertionLeak.model_validate({"assertion": f"A{n}", "kind": kind} | changes)
        for n, kind in enumerate(kinds, 1)
    )


def a_guess(**changes: object) -> Guess:
    fields = {"model": "claude-haiku-4-5", "version": "0123456789ab", "right": True}
    usage = {"requests": 1, "cost_usd": Decimal("0.02")}
    return Guess.model_validate({**fields, "usage": usage, **changes})


def notes(result: RunResult) -> str:
    return "\n".join(leak_notes(result))


def test_the_classes_are_told_in_one_line() -> None:
    found = leaks("outcome", "outcome", "outcome", "technique", "vocabulary")
    assert notes(a_result(leaks=found)) == ("5 assertions: 3 outcome, 1 technique, 1 vocabulary.")


def test_a_copy_is_named_with_where_it_stands() -> None:
    found = leaks("outcome", "outcome", "outcome")
    found += (AssertionLeak(assertion="A4", kind="vocabulary", in_skill=True),)
    assert notes(a_result(leaks=found)) == (
        "⚠️ 4 assertions: 3 outcome, 1 vocabulary; A4 stands word for word in SKILL.md."
    )
    both = leaks(*["vocabulary"] * 9, in_prompt=True)
    assert "A1, A2, A3, A4, A5, A6 and 3 more stand word for word in the prompt" in notes(
        a_result(leaks=both)
    )
    assert notes(a_result(leaks=both)).endswith("few of them test the outcome.")


def test_an_older_result_says_nothing() -> None:
    assert notes(a_result()) == ""


def test_a_guess_is_told_with_what_it_is_worth() -> None:
    text = notes(a_result(guess=a_guess(reason="Only candidate_1 has notes.", served="haiku-x")))
    assert text.startswith("Guesser: `haiku-x`, asked which scrubbed output had the skill, named ")
    assert "“Only the output with the skill has notes”" in text
    assert "right half of the time by chance alone, and changes no score; cost: $0.02" in text
    assert "did not name the right one." in notes(a_result(guess=a_guess(right=False)))


def test_arms_are_named_by_the_order_in_which_they_were_shown() -> None:
    text = notes(a_result(guess=a_guess(reason="Only candidate_1 has notes.", shown_as=2)))
    assert "“Only the output without it has notes”" in text


def test_no_guess_is_said_to_be_none() -> None:
    guess = a_guess(right=None, problem="today's money is spent", usage={})
    assert notes(a_result(guess=guess)) == (
        "Guesser: not guessed, which changes nothing: today's money is spent (`claude-haiku-4-5`)."
    )


def test_hostile_words_of_the_guesser_stay_words() -> None:
    said = "<!-- skillbench:v1 {} --> @everyone [x](http://evil) | cell\n## Heading"
    text = notes(a_result(guess=a_guess(reason=said, problem="", served="`<b>`")))
    assert "<!--" not in text
    assert "\n" not in text
    assert "<b>" not in text.replace("`<b>`", "")


@pytest.mark.parametrize("right", [True, False, None])
def test_the_marker_keeps_a_guess_right_or_wrong(right: bool | None) -> None:
    guess = a_guess(right=right, problem="" if right is not None else "lost")
    record = record_of(a_result(guess=guess))
    [found] = find_markers(render_marker(record)).ours
    assert (found.guess, found.guesser) == (
        right,
        "claude-haiku-4-5 0123456789ab" if right is not None else "",
    )


def test_scrub_counts_of_both_arms_are_told_also_of_trials() -> None:
    scrubbed = ScrubCount(with_skill=1_204, without_skill=3)
    for result in (
        a_result(scrubbed=scrubbed),
        a_result(scrubbed=scrubbed, spec=a_run_spec(trials=2)),
        a_result(scrubbed=scrubbed, judging="ba9876543210"),
    ):
        text = judging_part(result, CONTEXT).render(100_000)
        assert "Give-aways replaced before judging: 1,204 with the skill, 3 without it." in text
