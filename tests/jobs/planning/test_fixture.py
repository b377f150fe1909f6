"""Which eval cases rest on the same input files."""

from jobs.planning.dedup import find_fixture, record_of
from tests.builders import a_result, a_run_spec, an_eval_case, an_input_file


def test_a_fixture_is_what_the_inputs_hold_whatever_they_are_called() -> None:
    first, second = an_input_file(sha256="1" * 64), an_input_file(sha256="2" * 64)
    renamed = an_input_file(sha256="1" * 64, source="other.csv", alias="input/input_002.csv")
    both = find_fixture(an_eval_case(inputs=(first, second)))
    assert both == find_fixture(an_eval_case(inputs=(second, renamed)))
    assert len({both, find_fixture(an_eval_case(inputs=(first,)))}) == 2


def test_an_eval_case_without_inputs_shares_nothing() -> None:
    assert not find_fixture(an_eval_case(inputs=()))


def test_a_record_bears_its_fixture() -> None:
    case = an_eval_case(inputs=(an_input_file(),))
    record = record_of(a_result(spec=a_run_spec(eval_case=case)))
    assert record.fixture == find_fixture(case)
    assert not record.sure
