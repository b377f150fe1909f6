"""How often an eval case is tried: what is said wins over tiers, and the command over the file."""

import pytest

from config.effective import make_effective
from config.repo_file import RepoFile, RepoFileError, parse_repo_file
from config.settings import Settings
from config.tiers import MAX_TRIALS, TIERS, HowOften, Said, settle
from tests.builders import a_request

NOTHING = Said()
FIXED = HowOften(trials=1, until_sure=False, most_trials=MAX_TRIALS)


@pytest.mark.parametrize(
    ("command", "file", "expected"),
    [
        (NOTHING, NOTHING, FIXED),
        (Said(tier="standard"), NOTHING, FIXED._replace(trials=3)),
        (Said(tier="quick"), Said(trials=5), FIXED),
        (Said(trials=5, tier="quick"), NOTHING, HowOften(5, until_sure=False, most_trials=5)),
        (NOTHING, Said(tier="thorough"), FIXED._replace(until_sure=True)),
        (Said(tier="thorough", trials=12), NOTHING, HowOften(12, until_sure=True, most_trials=12)),
        (Said(until_sure=True), Said(trials=3), HowOften(3, until_sure=True, most_trials=20)),
        (Said(trials=3), Said(tier="thorough"), HowOften(3, until_sure=False, most_trials=3)),
        (Said(until_sure=False), Said(tier="thorough"), FIXED),
        (Said(until_sure=False, tier="thorough"), NOTHING, FIXED),
    ],
)
def test_what_is_said_wins_over_a_tier_and_a_command_over_the_file(
    command: Said, file: Said, expected: HowOften
):
    assert settle(command, file) == expected


def test_each_tier_takes_at_least_as_much_as_the_one_before():
    most = [MAX_TRIALS if tier.until_sure else tier.trials for tier in TIERS.values()]
    assert most == sorted(most)


def test_the_file_may_name_a_tier_and_a_command_goes_before_it():
    repo_file = parse_repo_file(b"tier: thorough\n")
    assert make_effective(repo_file, Settings()).how_often.until_sure
    asked = a_request(tier="standard")
    effective = make_effective(repo_file, Settings(), asked)
    assert (effective.trials.value, effective.trials.origin) == (3, "command")
    assert not effective.how_often.until_sure


def test_the_file_may_ask_for_certainty_in_so_many_words():
    how_often = make_effective(parse_repo_file(b"until_sure: true\n"), Settings()).how_often
    assert how_often == FIXED._replace(until_sure=True)
    assert make_effective(RepoFile(), Settings()).how_often == FIXED


def test_a_tier_that_is_none_is_refused_with_those_there_are():
    with pytest.raises(RepoFileError, match="tier") as refused:
        parse_repo_file(b"tier: deep\n")
    assert all(name in str(refused.value) for name in TIERS)
