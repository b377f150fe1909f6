"""Who may register the App: whoever can read the log, once.

A token is printed there and is good for one redemption within an hour. It opens a session, in
which every form bears a key of its own and every trip to GitHub a state that is good once.
"""

import hmac
import secrets
import time
from collections.abc import Callable

LIFETIME_S = 3600.0
"""Of a token and of a session; GitHub gives the whole registration as long."""


class Gate:
    """One token, one session; a later redemption ends the session before it."""

    def __init__(
        self, announce: Callable[[str], None], *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._announce = announce
        self._now = now
        self._token, self._token_until = "", 0.0
        self._session, self._session_until = "", 0.0
        self._state = ""
        self.form_key = ""
        """Stands in every form of the session."""

    def ensure_token(self) -> None:
        """Print a token, unless one is good still."""
        if not self._token or self._now() >= self._token_until:
            self._token = secrets.token_urlsafe(32)
            self._token_until = self._now() + LIFETIME_S
            self._announce(self._token)

    def redeem(self, typed: str) -> str | None:
        """The new session for a token that is good; None for any other."""
        is_good = _same(typed.strip(), self._token) and self._now() < self._token_until
        if not is_good:
            return None
        self._token = ""
        self._session = secrets.token_urlsafe(32)
        self._session_until = self._now() + LIFETIME_S
        self.form_key = secrets.token_urlsafe(32)
        self._state = ""
        return self._session

    def is_open(self, session: str) -> bool:
        """Whether this is the session that goes on."""
        return _same(session, self._session) and self._now() < self._session_until

    def bears_key(self, typed: str) -> bool:
        """Whether a form is one of this session's."""
        return _same(typed, self.form_key)

    def make_state(self) -> str:
        """A state for one trip to GitHub; an earlier one is good no more."""
        self._state = secrets.token_urlsafe(32)
        return self._state

    def take_state(self, given: str) -> bool:
        """Whether a trip ends that began here; it cannot end twice."""
        is_good = _same(given, self._state)
        self._state = ""
        return is_good


def _same(given: str, expected: str) -> bool:
    """In constant time; nothing is the same as what is not there."""
    return bool(expected) and hmac.compare_digest(given.encode(), expected.encode())
