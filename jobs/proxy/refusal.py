"""A request that the proxy does not pass on, in the words of the API it stands for."""

import json
from dataclasses import dataclass


@dataclass(eq=False)
class Refusal(Exception):  # noqa: N818 -- reads as the outcome it is
    """Why a request was not passed on; the message says what would be."""

    status: int
    error_type: str
    """As the Messages API names its errors: `invalid_request_error` and so on."""
    message: str
    final: bool = True
    """Whether asking again is of no use; told to the client's SDK, which obeys."""

    @property
    def headers(self) -> list[tuple[str, str]]:
        told = [("x-should-retry", "false")] if self.final else []
        return [("content-type", "application/json"), *told]

    @property
    def body(self) -> bytes:
        error = {"type": self.error_type, "message": f"skillbench: {self.message}"}
        return json.dumps({"type": "error", "error": error}).encode()
