"""The fuzzer finds what is planted, and tries the same inputs again for the same seed."""

import random
from pathlib import Path

import pytest

from tools.fuzz.deliveries import DeliveryMaker
from tools.fuzz.kinds import Kind, run_kind
from tools.fuzz.mutate import Mutator

SEEDS = (b'{"a": [1, {"b": "text"}], "c": null}', b"# Title\n\n- item\n")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What led to a finding is kept below the working folder."""
    monkeypatch.chdir(tmp_path)


def test_a_planted_defect_is_found_and_its_input_kept() -> None:
    def read(content: bytes) -> str:
        if b"\0" in content:
            raise IndexError("planted")
        return "read"

    figures = run_kind(Kind(name="planted", seeds=SEEDS, read=read), 200, seed=1)
    assert figures.findings
    assert "IndexError: planted" in figures.findings[0]
    [kept, *_] = Path(".fuzz").iterdir()
    with pytest.raises(IndexError):
        read(kept.read_bytes())


def test_a_reader_without_defect_is_found_none() -> None:
    figures = run_kind(Kind(name="sound", seeds=SEEDS, read=len), 200, seed=1)
    assert figures.findings == []
    assert figures.inputs == 200


def test_the_same_seed_makes_the_same_inputs_within_their_length() -> None:
    def some(seed: int) -> list[bytes]:
        mutator = Mutator(SEEDS, (b"piece",), random.Random(seed), 5_000)
        return [mutator.next() for _ in range(300)]

    assert some(7) == some(7) != some(8)
    assert max(map(len, some(7))) <= 5_000
    assert len(set(some(7))) > 200


def test_deliveries_are_signed_mostly_and_forged_enough() -> None:
    maker = DeliveryMaker(1, installation_id=7)
    made = [maker.make() for _ in range(250)]
    kinds = {sent.kind.split(",")[0] for sent in made}
    assert kinds >= {"signed", "forged", "replayed", "cut", "garbled"}
    assert sum(sent.signed for sent in made) > 125
    again = DeliveryMaker(1, installation_id=7)
    assert [again.make().raw for _ in range(250)] == [sent.raw for sent in made]
