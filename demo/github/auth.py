"""Who calls: the App by a signed JWT, or an installation by a token that lasts an hour.

A JWT is judged by this machine's clock, since the App signs it with its own; a token's age
is judged by the local GitHub's clock, so that a test can let an hour pass.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import jwt

from demo.github.answers import Problem, make_field_error
from demo.github.state import Access, Account, App, Installation, Repository

TOKEN_LIFETIME = timedelta(hours=1)
_LONGEST_JWT_S = 600
_CLOCK_DRIFT_S = 60


@dataclass(frozen=True, slots=True)
class InstallationToken:
    """What a caller with this token may do, where, and until when."""

    text: str
    installation: Installation
    expires_at: datetime
    permissions: Mapping[str, Access]
    repository_ids: frozenset[int] | None
    """None: every repository of the installation."""

    def covers(self, repository: Repository) -> bool:
        return self.installation.covers(repository) and (
            self.repository_ids is None or repository.id in self.repository_ids
        )

    def allows(self, permission: str, access: Access) -> bool:
        granted = self.permissions.get(permission)
        return granted in {"write", access}


@dataclass(frozen=True, slots=True)
class SignInCode:
    """What a code of the web flow stands for."""

    account: Account
    callback: str
    challenge: str
    """SHA-256 of the proof key (PKCE) in base64url; empty: none is asked for."""
    expires_at: datetime


Caller = Literal["app"] | InstallationToken | Account
"""The App, an installation, or a person who has signed in to the App."""


class Tokens:
    """Checks credentials and hands out installation tokens."""

    def __init__(self, app: App, clock: Callable[[], datetime]) -> None:
        self.issued: list[InstallationToken] = []
        self.codes: dict[str, SignInCode] = {}
        self.authorized: set[int] = set()
        """Ids of the people who have once let the App know who they are: it asks no more."""
        self._people: dict[str, Account] = {}
        self._app = app
        self._clock = clock

    def identify(self, authorization: str | None) -> Caller:
        """Who sends this `Authorization` header. Raises `Problem` 401."""
        scheme, _, credential = (authorization or "").partition(" ")
        if not credential:
            raise Problem(401, "Requires authentication")
        if scheme.lower() not in {"bearer", "token"}:
            raise Problem(401)
        if credential.count(".") == 2:
            self._verify_jwt(credential)
            return "app"
        if (person := self._people.get(credential)) is not None:
            return person
        for token in self.issued:
            if secrets.compare_digest(token.text.encode(), credential.encode()):
                if self._clock() >= token.expires_at:
                    break
                if token.installation.suspended_at is not None:
                    raise Problem(403, "This installation has been suspended")
                return token
        raise Problem(401)

    def issue(
        self,
        installation: Installation,
        body: Mapping[str, Any],
        repositories: Sequence[Repository],
    ) -> InstallationToken:
        """A new token, narrowed to the repositories and permissions the body asks for.

        Raises `Problem` 403 while suspended and 422 for what was never granted.
        """
        if installation.suspended_at is not None:
            raise Problem(403, "This installation has been suspended")
        permissions = self._narrow_permissions(body.get("permissions"))
        names, ids = body.get("repositories"), body.get("repository_ids")
        chosen: frozenset[int] | None = None
        if names is not None or ids is not None:
            chosen = frozenset(
                r.id for r in repositories if r.name in (names or ()) or r.id in (ids or ())
            )
            if len(chosen) < len(names or ()) or len(chosen) < len(ids or ()):
                raise Problem(
                    422,
                    "There is at least one repository that does not exist or is not accessible "
                    "to the parent installation.",
                )
        token = InstallationToken(
            text=f"ghs_{secrets.token_hex(18)}",
            installation=installation,
            expires_at=self._clock() + TOKEN_LIFETIME,
            permissions=permissions,
            repository_ids=chosen,
        )
        self.issued.append(token)
        return token

    def issue_to(self, person: Account) -> str:
        """A new token of somebody who has signed in."""
        token = f"ghu_{secrets.token_hex(18)}"
        self._people[token] = person
        return token

    def revoke_all(self, installation: Installation) -> None:
        """Forget the tokens of an installation that is gone."""
        self.issued = [token for token in self.issued if token.installation is not installation]

    def _narrow_permissions(self, asked: Any) -> Mapping[str, Access]:
        if asked is None:
            return dict(self._app.permissions)
        if not isinstance(asked, dict):
            raise make_field_error("Installation", "permissions", "invalid")
        for name, access in asked.items():
            granted = self._app.permissions.get(name)
            if access not in {"read", "write"} or granted not in {access, "write"}:
                raise Problem(
                    422, "The permissions requested are not granted to this installation."
                )
        return asked

    def _verify_jwt(self, text: str) -> None:
        try:
            claims = jwt.decode(
                text,
                self._app.public_key_pem,
                algorithms=["RS256"],
                leeway=_CLOCK_DRIFT_S,
                options={"require": ["exp", "iat", "iss"], "verify_iss": False},
            )
        except jwt.ExpiredSignatureError as error:
            raise Problem(
                401,
                "'Expiration time' claim ('exp') must be a numeric value representing the "
                "future time at which the assertion expires",
            ) from error
        except jwt.ImmatureSignatureError as error:
            raise Problem(
                401,
                "'Issued at' claim ('iat') must be an Integer representing the time that the "
                "assertion was issued",
            ) from error
        except jwt.InvalidTokenError as error:
            raise Problem(401, "A JSON web token could not be decoded") from error
        if str(claims["iss"]) not in {str(self._app.id), self._app.client_id}:
            raise Problem(401, "'Issuer' claim ('iss') must be an Integer")
        if claims["exp"] - claims["iat"] > _LONGEST_JWT_S + _CLOCK_DRIFT_S:
            raise Problem(401, "'Expiration time' claim ('exp') is too far in the future")
