"""What was measured on a pull request speaks for the default branch once its version lies there."""

from collections.abc import Iterable, Sequence

from jobs.ports import Ledger
from jobs.results import RunRecord
from jobs.values import Skill


async def settle_merged(
    records: Sequence[RunRecord], skills: Iterable[Skill], ledger: Ledger
) -> list[RunRecord]:
    """The records, where runs of pull requests count that measured a version the branch has now.

    How it came there makes no difference. The ledger is told, so that whoever does not look at
    the branch's skills knows it, too; `skills` are all that it has.
    """
    shas = {skill.sha for skill in skills}
    settled = []
    for record in records:
        is_there = bool(record.pull) and record.skill_sha in shas
        settled.append(record.model_copy(update={"pull": 0}) if is_there else record)
        if is_there:
            await ledger.note(settled[-1])
    return settled
