"""A judge of the family of what it judges is told before anything is spent."""

from jobs.inquiries.words import tell_relatives


def test_a_judge_of_the_same_family_is_told() -> None:
    (said,) = tell_relatives(["claude-opus", "gpt-5.2"], ["claude-sonnet"])
    assert said.startswith("⚖️ Judge and model are of one family (Claude).")


def test_one_of_another_family_is_not() -> None:
    assert list(tell_relatives(["gpt-5.2"], ["claude-sonnet", "gemini-2.5-pro"])) == []


def test_a_models_name_cannot_write_markup() -> None:
    (said,) = tell_relatives(["[x](http://a.b)"], ["[x](http://a.b)"])
    assert "](http" not in said
