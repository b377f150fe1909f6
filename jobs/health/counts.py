"""How many sessions and readings of a run were expected, were there, and counted."""

from jobs.requests import Value

INVALID = "invalid: "
"""How the reason begins for which a run has no score where its arms cannot be compared."""


class Counts(Value):
    """Of one kind of thing."""

    expected: int
    observed: int
    """Those that were carried out, however they ended."""
    scored: int
    """Those that count: a session whose end is the agent's own, a reading with verdicts."""

    @property
    def agree(self) -> bool:
        return self.expected == self.observed == self.scored


class Health(Value):
    """What became of what was expected, and why the figures may not be believed."""

    sessions: Counts
    readings: Counts
    findings: tuple[str, ...] = ()
    """Each a clause that says precisely why both arms cannot be compared; none: they can."""

    @property
    def expected(self) -> int:
        """Sessions, as are the two below."""
        return self.sessions.expected

    @property
    def observed(self) -> int:
        return self.sessions.observed

    @property
    def scored(self) -> int:
        return self.sessions.scored
