"""What a trigger evaluation or an optimization needs of the world."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.settings import Settings
from jobs.conversation import Agent, ModelCatalog
from jobs.errors import Refused
from jobs.ports import BlobStore, Budget, Clock, Pages
from jobs.triggering.evaluation import Observer
from jobs.triggering.provider_slots import ProviderSlots
from jobs.values import Model
from jobs.world import World


@dataclass(frozen=True, slots=True)
class Observers:
    """How a session can be held and watched on this machine, and why it cannot otherwise."""

    ready: Mapping[str, Observer]
    missing: Mapping[str, str]

    def get(self, launcher: str, model: Model) -> Observer:
        """The observer for a launcher. Raises `Refused` with what to install or to choose."""
        if launcher not in self.ready:
            raise Refused(
                f"the launcher `{launcher}` cannot be used here: {self.missing[launcher]}"
            )
        if launcher == "claude-code" and model.provider != "anthropic":
            raise Refused(
                f"Claude Code cannot run {model.asked}: it speaks to Anthropic's API alone. "
                "Choose a Claude model, or the launcher `api`."
            )
        return self.ready[launcher]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerWorld:
    """Sessions, a model to write descriptions, and where things are kept."""

    observers: Observers
    agent: Agent
    catalog: ModelCatalog
    blobs: BlobStore
    budget: Budget
    settings: Settings
    clock: Clock
    scratch: Path
    """A folder of this process alone."""
    provider_slots: ProviderSlots = field(default_factory=ProviderSlots)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerRequestWorld:
    """What a request on GitHub needs: sessions, and the place to answer."""

    place: World
    triggers: TriggerWorld
    pages: Pages
