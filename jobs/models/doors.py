"""Which provider is reached where, and with which key.

The one place that reads the providers' settings. It opens no connection; a provider
without a key is refused in words that name the variable to set.
"""

import gc

from config.settings import Settings
from jobs.errors import Refused
from jobs.models.anthropic_door import AnthropicDoor
from jobs.models.door import Door
from jobs.models.openai_door import OpenAIDoor
from jobs.models.pace import Pace
from jobs.planning.model_names import Provider

GEMINI_BASE_URL = "https://generativelanguage.googleapis.com/v1beta/openai/"
"""Google's OpenAI-compatible endpoint (ai.google.dev/gemini-api/docs/openai)."""
KEY_VARIABLES: dict[Provider, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
}
_OPENAI_HOST = "://api.openai.com"


class Doors:
    """The providers as configured."""

    def __init__(self, settings: Settings, *, gemini_base_url: str = GEMINI_BASE_URL) -> None:
        self._keys: dict[Provider, str] = {
            "anthropic": settings.anthropic_api_key.get_secret_value(),
            "openai": settings.openai_api_key.get_secret_value(),
            "gemini": settings.gemini_api_key.get_secret_value(),
        }
        self._base_urls: dict[Provider, str] = {
            "anthropic": settings.anthropic_base_url,
            "openai": settings.openai_base_url,
            "gemini": gemini_base_url,
        }
        self._paces: dict[Provider, Pace] = {name: Pace() for name in self._keys}
        self._open: dict[Provider, Door] = {}

    def get(self, provider: Provider) -> Door:
        """The door to a provider. Raises `Refused` where it is not configured."""
        if not self.configured(provider):
            raise Refused(
                f"no key for {provider} is configured: set `{KEY_VARIABLES[provider]}` "
                "where skillbench runs."
            )
        if provider not in self._open:  # one for all, since it shares its connections
            self._open[provider] = self._make(provider)
        return self._open[provider]

    def _make(self, provider: Provider) -> Door:
        address = {"api_key": self._keys[provider], "base_url": self._base_urls[provider]}
        pace = self._paces[provider]
        if provider == "anthropic":
            return AnthropicDoor(**address, pace=pace)
        return OpenAIDoor(**address, pace=pace)

    def pace(self, provider: Provider) -> Pace:
        """How fast the provider may be asked: one pace for all that goes through these doors."""
        return self._paces[provider]

    def load(self) -> None:
        """Import the SDKs of the configured providers, best in a thread before any work.

        At the first request instead it would hold up the loop and every job on it. So would
        each full garbage collection that looks through all that they hold: a sixth of a second.
        """
        for provider in self._keys:
            if self.configured(provider):
                self.get(provider).load()
        gc.freeze()

    def configured(self, provider: Provider) -> bool:
        """Whether the provider has a key; servers of one's own (vLLM, Ollama) need none."""
        return bool(self._keys[provider]) or (provider == "openai" and self._own_openai)

    @property
    def default_provider(self) -> Provider:
        """Where a model goes whose name tells nothing: an OpenAI-compatible server of one's
        own before the public ones, and of those the first with a key.
        """
        if self._own_openai:
            return "openai"
        return next((name for name in self._keys if self._keys[name]), "anthropic")

    @property
    def _own_openai(self) -> bool:
        return _OPENAI_HOST not in self._base_urls["openai"]
