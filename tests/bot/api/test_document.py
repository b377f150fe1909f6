"""The API's description is a good OpenAPI document, and says all that there is."""

import re

from openapi_spec_validator import OpenAPIV31SpecValidator

from bot.web.access import SESSION
from tests.bot.api.described import ROOT, DescribedApi
from tests.bot.web_pages.seeded import Seeded

QUESTIONS = {
    "/datasets": "list_datasets DatasetSuites",
    "/datasets/compare": "compare_dataset_runs DatasetComparison a b",
    "/datasets/runs": "list_dataset_runs DatasetRunPart after most",
    "/datasets/runs/{run}": "get_dataset_run DatasetRunDetails run",
    "/datasets/runs/{run}/case": "get_dataset_case DatasetCase run id",
    "/datasets/runs/{run}/cases": "list_dataset_cases DatasetCases run outcome after most",
    "/live": "list_running_runs RunsNow",
    "/queue": "get_queue QueueFigures",
    "/repos": "list_repositories RepoPart after most",
    "/repos/{owner}/{name}": "get_repository RepoFigures owner name",
    "/repos/{owner}/{name}/runs": ("list_runs RunRows owner name skill model state after most"),
    "/repos/{owner}/{name}/runs/{run}": "get_run EndedRun run owner name trial",
    "/repos/{owner}/{name}/runs/{run}/live": "get_running_run RunNow run owner name",
    "/repos/{owner}/{name}/skill": "get_skill SkillFigures owner name path",
    "/repos/{owner}/{name}/skills": "list_skills SkillCards owner name",
}
"""Address to the question's id, what it is answered with, and its parameters."""


async def test_the_description_is_a_good_openapi_document(pages: Seeded) -> None:
    api = await DescribedApi.read(pages.client)
    assert not list(OpenAPIV31SpecValidator(api.document).iter_errors())


async def test_every_question_is_described_with_its_answer_and_parameters(pages: Seeded) -> None:
    """A change of this table is a change that clients see."""
    api = await DescribedApi.read(pages.client)
    found = {}
    for path, operations in api.document["paths"].items():
        assert set(operations) == {"get"}
        asked = operations["get"]
        content = asked["responses"]["200"]["content"]["application/json"]
        answer = content["schema"]["$ref"].rpartition("/")[2]
        names = [one["name"] for one in asked.get("parameters", ())]
        found[path] = " ".join([asked["operationId"], answer, *names])
        assert asked["summary"]
        assert asked["description"]
        assert set(asked["responses"]) == {"200", "304", "401", "404", "422", "500", "503"}
    assert {path: sorted(said.split()) for path, said in found.items()} == {
        path: sorted(said.split()) for path, said in QUESTIONS.items()
    }


async def test_it_says_where_it_is_and_how_one_signs_in(pages: Seeded) -> None:
    document = (await DescribedApi.read(pages.client)).document
    assert document["openapi"].startswith("3.1")
    assert document["servers"] == [{"url": ROOT}]
    scheme = {"type": "apiKey", "in": "cookie", "name": SESSION}
    assert document["components"]["securitySchemes"] == {"session": scheme}


async def test_it_has_no_page_that_asks_other_hosts(pages: Seeded) -> None:
    for path in ("/docs", "/redoc", "/docs/oauth2-redirect", "/"):
        answer = await pages.client.get(ROOT + path)
        assert answer.status_code == 404
        assert not re.findall(r"(?:src|href)=.https?:", answer.text)
