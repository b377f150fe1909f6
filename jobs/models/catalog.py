"""Which models exist: a name as typed becomes the id that is sent, or a refusal.

Providers are asked for a model by its id, since not every model they serve is listed.
Ids go out as they were typed; only a family name (`sonnet`) or a `…-latest` is resolved,
so that both arms of a run, and its record, name one and the same model.
"""

import difflib
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from jobs.errors import Refused, Transient
from jobs.models.door import Door, SeenModel, Trouble
from jobs.models.doors import KEY_VARIABLES, Doors
from jobs.models.prices import price_known
from jobs.planning.model_names import (
    Provider,
    belongs_to,
    find_family,
    find_provider,
    identity,
    is_floating,
    split_provider,
)
from jobs.values import Model

KEPT_S = 60.0
"""How long a list or a found id is believed: long enough for one plan of many runs."""
NEAREST = 5
LEAST_ALIKE = 0.5
"""Share of letters in common (difflib's ratio) from which an id is worth offering."""
LONGEST_NAME = 200
Got = TypeVar("Got")


class ApiModelCatalog:
    """The models of the configured providers; implements `ModelCatalog`."""

    def __init__(self, doors: Doors, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._doors = doors
        self._monotonic = monotonic
        self._kept: dict[tuple[str, str], tuple[float, object]] = {}

    async def resolve(self, asked: str) -> Model:
        """Pin a model as typed to the id that is sent. Raises `Refused`, with the nearest ids
        where the provider does not know it, and `Transient` where it cannot be asked.
        """
        typed = asked.strip()
        if not typed or len(typed) > LONGEST_NAME or not typed.isprintable():
            raise Refused("a model name is missing, too long or holds unprintable characters.")
        provider = find_provider(typed) or self._doors.default_provider
        try:
            sent = await self._find_sent(typed, provider)
        except Trouble as trouble:
            raise _refusal_or_transient(trouble, provider) from trouble
        return Model(asked=asked, sent=sent, identity=identity(sent), provider=provider)

    def price_known(self, model: Model) -> bool:
        return price_known(model.sent, model.provider)

    async def _find_sent(self, typed: str, provider: Provider) -> str:
        door = self._doors.get(provider)
        family = find_family(typed) if provider == "anthropic" else None
        if family:
            return await self._newest(family, typed, door, provider)
        for name in _spellings(typed):
            seen = await self._keep((provider, name), partial(door.find, name))
            if seen is not None and not seen.retired:
                return seen.id if is_floating(name) else name
        listed = await self._listed(door, provider)
        if listed is None:
            # A gateway without a list of models cannot deny one; the session will tell.
            return _spellings(typed)[-1]
        raise Refused(_unknown(typed, provider, listed))

    async def _newest(self, family: str, typed: str, door: Door, provider: Provider) -> str:
        """The newest of a family by the provider's own dates, never by the id's digits:
        `claude-sonnet-4-20250514` is older than `claude-sonnet-4-6`.
        """
        listed = await self._listed(door, provider)
        members = [
            model
            for model in listed or ()
            if not model.retired and (model.line == family or belongs_to(model.id, family))
        ]
        if not members:
            raise Refused(_unknown(typed, provider, listed or ()))
        return max(members, key=lambda model: model.created_at).id

    async def _listed(self, door: Door, provider: Provider) -> Sequence[SeenModel] | None:
        return await self._keep((provider, ""), door.list)

    async def _keep(self, key: tuple[str, str], ask: Callable[[], Awaitable[Got]]) -> Got:
        """The answer of a moment ago, or a new one; that something is missing is not kept."""
        now = self._monotonic()
        self._kept = {name: kept for name, kept in self._kept.items() if kept[0] > now}
        if key in self._kept:
            return self._kept[key][1]  # type: ignore[return-value]  # stored under the same key
        answer = await ask()
        if answer is not None:
            self._kept[key] = (now + KEPT_S, answer)
        return answer


def _spellings(typed: str) -> list[str]:
    """What may be the id: all of it (gateways name models `openai/gpt-4o`), or what follows
    the prefix. A prefix with a colon is our own notation and is never part of an id.
    """
    explicit, rest = split_provider(typed)
    if explicit is None or rest == typed:
        return [typed]
    return [rest] if typed[-len(rest) - 1] == ":" else [typed, rest]


def _unknown(typed: str, provider: Provider, listed: Sequence[SeenModel]) -> str:
    ids = [model.id for model in listed if not model.retired]
    near = _nearest(typed, ids)
    offer = "The nearest it serves: " + ", ".join(f"`{name}`" for name in near) + "."
    shown = typed.replace("`", "'")
    return f"{provider} serves no model `{shown}`. " + (offer if near else "It lists no models.")


def _nearest(typed: str, ids: Sequence[str]) -> list[str]:
    """Existing ids most like the typed one, best first; the newest few if none is alike."""
    wanted = identity(typed)

    def likeness(name: str) -> tuple[bool, float]:
        same = identity(name)
        continues = same.startswith(wanted) or wanted.startswith(same)
        return continues, difflib.SequenceMatcher(None, wanted, same).ratio()

    alike = [name for name in ids if likeness(name) >= (False, LEAST_ALIKE)]
    return (sorted(alike, key=likeness, reverse=True) or list(ids))[:NEAREST]


def _refusal_or_transient(trouble: Trouble, provider: Provider) -> Exception:
    if trouble.status in {401, 403}:
        return Refused(
            f"{provider} does not accept the key in `{KEY_VARIABLES[provider]}`: "
            "set a valid one where skillbench runs."
        )
    return Transient(f"the models of {provider} cannot be asked for: {trouble.detail}")
