"""Eval cases one after the other: what counts as evidence, and how a set is divided into lines."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jobs.planning.dedup import Duplicate, find_fixture, record_key
from jobs.planning.plan import Plan
from jobs.results import RunRecord
from jobs.sequential.evals import Line, find_lines
from jobs.values import RunSpec
from tests.builders import A_COMMIT, a_model, a_request, a_run_record, a_run_spec, an_eval_case
from tests.input_builders import an_input_file

SERVED = {"served": "claude-sonnet-4-6", "judge_served": "claude-opus-4-7", "judge_prompt": "p"}


class Book:
    """A ledger that knows some runs by their keys."""

    def __init__(self) -> None:
        self.known: dict[str, RunRecord] = {}

    def tell(self, spec: RunSpec, difference: float, **changes: object) -> None:
        """A run of this key has ended with such a difference."""
        score = {"with_skill": 0.5 + difference, "without_skill": 0.5}
        fixture = find_fixture(spec.eval_case)
        said = {"run": spec.run_id, "eval_id": spec.eval_case.id, "score": score, **SERVED}
        record = a_run_record(**(said | {"fixture": fixture} | changes))
        self.known[record_key(spec)] = record

    async def find(self, key: str) -> RunRecord | None:
        return self.known.get(key)

    async def record(self, key: str, record: RunRecord) -> None:
        self.known[key] = record

    async def note(self, record: RunRecord) -> None:
        """Nothing asks for it here."""

    async def records(self, _: str) -> list[RunRecord]:
        return list(self.known.values())

    @asynccontextmanager
    async def hold(self, _: str) -> AsyncIterator[None]:
        yield


def an_eval(number: int, *, fixture: str = "", **changes: object) -> RunSpec:
    inputs = (an_input_file(sha256=fixture * 64),) if fixture else ()
    case = an_eval_case(id=f"github-issue-{number}", digest=f"{number:064}", inputs=inputs)
    said = {"run_id": f"{number:012x}", "eval_case": case, "until_sure": "evals"}
    return a_run_spec(**(said | changes))


def line(count: int, **changes: object) -> Line:
    specs = tuple(an_eval(number) for number in range(count))
    return Line(**({"rows": tuple(range(count)), "specs": specs} | changes))


async def test_a_set_is_sure_once_eight_of_it_point_one_way() -> None:
    book, evals = Book(), line(12)
    for done in range(8):
        assert (await evals.look(done, book)).decision == "open"
        book.tell(evals.specs[done], 0.25)
    assert await evals.look(8, book) == ("higher", 8, 0, 0, 4)


async def test_what_has_not_come_to_its_turn_counts_for_nothing_though_others_have_run_it() -> None:
    """Else who asks while others measure could stop at a good moment of theirs."""
    book, evals = Book(), line(12)
    for spec in evals.specs:
        book.tell(spec, 0.25)
    assert (await evals.look(3, book)).wins == 3


async def test_ties_and_eval_cases_without_a_score_bring_the_cap_nearer() -> None:
    book, evals = Book(), line(10)
    for spec in evals.specs[:2]:
        book.tell(spec, 0.0)
    assert (await evals.look(2, book)).decision == "open"
    look = await evals.look(3, book)  # the third was refused, say
    assert (look.decision, look.ties, look.left, look.most) == ("futile", 2, 7, 9)


async def test_results_from_before_the_request_are_evidence() -> None:
    known = tuple(an_eval(number) for number in range(20, 26))
    book, evals = Book(), line(4, known=known)
    for spec in known:
        book.tell(spec, -0.25)
    assert (await evals.look(0, book)).decision == "open"
    for done, spec in enumerate(evals.specs[:2], start=1):
        book.tell(spec, -0.25)
        look = await evals.look(done, book)
    assert look == ("lower", 0, 0, 8, 2)


async def test_measured_anew_only_the_runs_of_this_request_count() -> None:
    book, evals = Book(), line(9, is_forced=True)
    for spec in evals.specs:
        book.tell(spec, 0.25, run="from before")
    assert (await evals.look(8, book)).wins == 0
    for spec in evals.specs[:8]:
        book.tell(spec, 0.25)
    assert (await evals.look(8, book)).wins == 8


async def test_nothing_is_pooled_across_snapshots_and_judges() -> None:
    """What answers now is what the set is about."""
    book, evals = Book(), line(12)
    for number, spec in enumerate(evals.specs[:9]):
        judge = "claude-opus-4-7" if number < 5 else "claude-opus-4-8"
        book.tell(spec, 0.25, judge_served=judge)
        book.known[record_key(spec)] = book.known[record_key(spec)].model_copy(
            update={"run": f"{number:02}"}
        )
    assert (await evals.look(9, book)).wins == 4


async def test_evals_that_must_stay_dormant_or_tell_nothing_are_left_out() -> None:
    book, evals = Book(), line(12)
    book.tell(evals.specs[0], 0.25, should_load=False)
    book.tell(evals.specs[1], 0.25, canary_passed=True)
    book.tell(evals.specs[2], 0.25)
    assert (await evals.look(3, book)).wins == 1


async def test_eval_cases_of_one_fixture_are_looked_at_when_all_are_there() -> None:
    """Else the moment could be chosen in which they point the right way."""
    specs = (*(an_eval(number, fixture="f") for number in range(3)), an_eval(9))
    book, evals = Book(), line(0, rows=(0, 1, 2, 3), specs=specs)
    for spec, difference in zip(specs, (0.25, 0.25, -0.25, 0.25), strict=True):
        book.tell(spec, difference)
    looks = [await evals.look(done, book) for done in range(5)]
    assert [one.wins for one in looks] == [0, 0, 0, 1, 2]
    assert [one.left for one in looks] == [2, 2, 2, 1, 0]


def test_runs_of_one_set_make_a_line_and_others_go_by_themselves() -> None:
    other = a_model(sent="gpt-5", identity="gpt5")
    alone = a_run_spec(until_sure="trials", trials=20)
    runs = (an_eval(1), an_eval(1, model=other), alone, an_eval(2), an_eval(2, model=other))
    known = Duplicate(
        spec=an_eval(3), model="claude-sonnet-4-6", url="", score=None, source="ledger"
    )
    plan = Plan(request=a_request(), commit=A_COMMIT, runs=runs, duplicates=(known,), refused=())
    lines = find_lines(plan)
    assert [one.rows for one in lines] == [(0, 3), (1, 4), (2,)]
    assert [len(one.known) for one in lines] == [1, 0, 0]
    assert [one.may_stop for one in lines] == [True, True, False]
