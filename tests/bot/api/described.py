"""The API's own description as a judge of its answers."""

import re
from dataclasses import dataclass
from typing import Any

import httpx
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

ROOT = "/api/v1"


@dataclass(frozen=True, slots=True)
class DescribedApi:
    """A client that takes no answer which the description does not allow."""

    client: httpx.AsyncClient
    document: dict[str, Any]

    @classmethod
    async def read(cls, client: httpx.AsyncClient) -> "DescribedApi":
        answer = await client.get(f"{ROOT}/openapi.json")
        assert answer.status_code == 200, answer.text
        return cls(client, answer.json())

    async def get(self, path: str, status: int = 200, **headers: str) -> httpx.Response:
        """An answer of this status, as it is described."""
        answer = await self.client.get(ROOT + path, headers=headers)
        assert answer.status_code == status, answer.text
        self.check(path, answer)
        return answer

    async def walk(self, path: str, rows: str) -> list[dict[str, Any]]:
        """A whole list, as `Link` leads through it; `rows` names the list in an answer."""
        found: list[dict[str, Any]] = []
        answer = await self.get(path)
        while True:
            body = answer.json()
            found += body[rows]
            assert bool(body["next"]) == ("next" in answer.links)
            if not body["next"]:
                assert len(found) == body.get("total", len(found))
                return found
            led = answer.links["next"]["url"]
            assert led.startswith(f"{self.client.base_url}")
            answer = await self.get(led.removeprefix(f"{self.client.base_url}").removeprefix(ROOT))

    def check(self, path: str, answer: httpx.Response) -> None:
        """Fail unless the description of this address allows the answer."""
        described = self._find(path)["get"]["responses"]
        said = described[str(answer.status_code)]
        if answer.status_code == 304:
            assert answer.content == b""
            return
        media = answer.headers["content-type"]
        pointer = said["content"][media]["schema"]["$ref"]
        resource = DRAFT202012.create_resource(self.document)
        registry = Registry().with_resource("urn:api", resource)
        schema = {"$ref": f"urn:api{pointer}"}
        Draft202012Validator(schema, registry=registry, format_checker=FormatChecker()).validate(
            answer.json()
        )

    def _find(self, path: str) -> dict[str, Any]:
        bare = path.partition("?")[0]
        fitting = [
            template
            for template in self.document["paths"]
            if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), bare)
        ]
        assert fitting, f"{bare} is not described"
        found: dict[str, Any] = self.document["paths"][min(fitting, key=lambda one: one.count("{"))]
        return found
