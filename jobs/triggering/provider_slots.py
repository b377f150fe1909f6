"""How many sessions go on together with one provider, whoever asked for them.

Each measurement has a limit of its own; several at once would add up to more than a provider
takes from one key. Each waits with no more sessions than its own limit, so none waits for
the end of another.
"""

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ProviderSlots:
    """The slots of one process, made when a provider is first asked."""

    _slots: dict[str, asyncio.Semaphore] = field(default_factory=dict)

    def get(self, provider: str, at_once: int) -> asyncio.Semaphore:
        """The provider's slots, `at_once` of them where there are none yet."""
        return self._slots.setdefault(provider, asyncio.Semaphore(at_once))
