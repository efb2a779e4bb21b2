"""A document in short: by Azure OpenAI, by the model of a client, or in its own sentences, saying which."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, cast

import pytest
from pydantic import Field

from clients.azure.cloud import cloud_named
from mcp_server.declarations.toolset import Access, Toolset
from mcp_server.http import rest
from mcp_server.protocol.results import InputRequired
from mcp_server.visit import Context
from settings import Settings
from tests.documents.marking import document_of
from tests.fakes.azure_openai.service import DEPLOYMENT, TOKEN, FakeAzureOpenAI
from tests.mcp_server.caller import Json, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.library import Model, client_of
from tests.mcp_server.records import Records
from tools.azure_openai.provider import provider as azure_openai
from tools.documents.summarized import summarized
from tools.provider import Providers, Supplies

pytestmark = pytest.mark.anyio

PAGE: Final = """# Import of orders

The import copies the orders of all shops every night at 02:00. It takes forty minutes.

## Trouble

Never delete tables by hand. Call the owner of the warehouse.
"""
OWN: Final = (
    "The import copies the orders of all shops every night at 02:00. Never delete tables by hand."
    " Call the owner of the warehouse."
)
GOOD: Final = "Orders of all shops are copied at 02:00 [1]. Never delete tables by hand [2]. The moon is blue [1]."

pages = Toolset("pages", "Pages of a team.")


@pages.tool(Access.READ)
async def sum_up(
    context: Context, page: str = PAGE, most: Annotated[int, Field(ge=1)] = 200
) -> dict[str, Any] | InputRequired:
    """Sum a page up."""
    return await summarized(document_of(page), most, context, lambda place: f"https://wiki.example/#{place.line}")


class AsTheApp:
    async def own_authorization(self, scope: str) -> str:
        assert scope == "https://cognitiveservices.azure.com/.default"
        return f"Bearer {TOKEN}"


@asynccontextmanager
async def ending_with_its_process() -> AsyncIterator[None]:
    """A server keeps its services open until its process ends, which here is the end of this block."""
    before = asyncio.all_tasks()
    try:
        yield
    finally:
        kept_open = asyncio.all_tasks() - before
        for task in kept_open:
            task.cancel()
        await asyncio.gather(*kept_open, return_exceptions=True)


@dataclass
class Office:
    """A server with pages, and with a model where `fake` serves one."""

    fake: FakeAzureOpenAI | None = None
    model: Model | None = None
    variables: dict[str, str] = field(default_factory=dict)

    async def told(self, **arguments: Json) -> Json:
        sent = {"tool": "pages", "command": "sum_up", "parameters": arguments}
        async with self._endpoint() as endpoint, client_of(endpoint, self.model) as client:
            result = await client.call_tool("azure", sent)
        assert result.structured_content is not None, result
        return result.structured_content

    async def by_rest(self) -> Json:
        async with self._endpoint() as endpoint:
            answer = await rest.execute(endpoint, post(json.dumps({"tool": "sum_up", "arguments": {}}).encode()))
        return json.loads(answer.body)["result"]

    @asynccontextmanager
    async def _endpoint(self) -> AsyncIterator[Any]:
        if self.fake is None:
            async with ending_with_its_process():
                yield self._with_providers({})
            return
        async with self.fake.serving() as url, ending_with_its_process():
            known = {"AZURE_CLOUD": url, "AZURE_OPENAI_ENDPOINT": url, "AZURE_OPENAI_DEPLOYMENT": DEPLOYMENT}
            yield self._with_providers({**known, **self.variables})

    def _with_providers(self, variables: dict[str, str]) -> Any:
        settings = Settings.from_environment(variables, [azure_openai.settings])

        def supplies() -> Supplies:
            unused = cast("Any", None)
            return Supplies(lambda: cast("Any", AsTheApp()), unused, unused, cloud_named(settings.upstream.cloud))

        @asynccontextmanager
        async def services() -> AsyncIterator[Providers]:
            providers = Providers([azure_openai], settings, supplies)
            try:
                yield providers
            finally:
                await providers.close()

        return new_endpoint(services, [pages])


def says(text: str) -> FakeAzureOpenAI:
    return FakeAzureOpenAI(says=lambda _: text)


async def test_azure_openai_writes_it_and_each_sentence_names_its_places() -> None:
    told = await Office(says(GOOD)).told()
    assert told["summary"] == "Orders of all shops are copied at 02:00 [1]. Never delete tables by hand [2]."
    assert told["written"] is True
    assert told["places"] == [
        {"number": 1, "heading": "Import of orders", "line": 1, "link": "https://wiki.example/#1"},
        {"number": 2, "heading": "Trouble", "line": 5, "link": "https://wiki.example/#5"},
    ]
    assert "The model at Azure OpenAI wrote the summary" in told["how"]
    assert "1 sentences" in told["how"]
    assert [point["text"] for point in told["key_points"]] == [
        "The import copies the orders of all shops every night at 02:00.",
        "Never delete tables by hand.",
    ]


async def test_the_model_of_the_client_writes_it_where_there_is_no_other() -> None:
    with Records.kept() as records:
        told = await Office(model=Model(lambda _: GOOD)).told()
    assert (told["written"], told["summary"].count("[")) == (True, 2)
    assert "The model of your client wrote the summary" in told["how"]
    assert [record["asked_model"] for record in records.all] == [1, 1]


async def test_the_model_of_the_operator_comes_first() -> None:
    model = Model()
    assert (await Office(says(GOOD), model).told())["written"] is True
    assert model.asked == []


async def test_without_any_model_it_is_the_documents_own_sentences() -> None:
    office = Office()
    for told in (await office.told(), await office.by_rest()):
        assert (told["written"], told["summary"]) == (False, OWN)
        assert told["how"] == "These sentences are quoted from the document. No model is available."
        assert [point["line"] for point in told["key_points"]] == [1, 5]
        assert "places" not in told


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("denied", "requires the role Cognitive Services OpenAI User"),
        ("filtered", "content filter rejected the text"),
        ("broken", "failed (status 500)"),
        ("reset", "Cannot reach Azure OpenAI"),
    ],
)
async def test_where_the_model_fails_it_is_the_documents_own_sentences_and_says_why(trouble: str, words: str) -> None:
    fake = says(GOOD)
    fake.troubles = [trouble]
    told = await Office(fake).told()
    assert (told["written"], told["summary"]) == (False, OWN)
    assert words in told["how"]


@pytest.mark.parametrize("answer", ["All is well.", "Pay at https://evil.example [1].", "The moon is blue [1].", "?"])
async def test_what_names_no_place_is_not_believed(answer: str) -> None:
    for office in (Office(says(answer)), Office(model=Model(lambda _: answer))):
        told = await office.told()
        assert (told["written"], told["summary"]) == (False, OWN)
        assert "cited no passage that supports" in told["how"]


async def test_an_answer_of_the_client_that_is_none_is_told_and_the_summary_is_there() -> None:
    told = await Office(model=Model(lambda _: " ")).told()
    assert told["summary"] == OWN
    assert "did not answer with text" in told["how"]


async def test_of_a_document_without_prose_no_model_is_asked() -> None:
    fake = says(GOOD)
    told = await Office(fake).told(page="```\ncode\n```\n")
    assert (told["summary"], told["key_points"], fake.asked) == ("", [], [])
    assert "has no prose" in told["how"]


async def test_it_is_never_longer_than_it_may_be() -> None:
    for most in (1, 30, 60, 90):
        for office in (Office(), Office(says(GOOD))):
            assert len((await office.told(most=most))["summary"]) <= most


@pytest.mark.parametrize(
    ("cloud", "endpoint", "is_fine"),
    [
        ("public", "https://team.openai.azure.com", True),
        ("public", "https://team.cognitiveservices.azure.com/", True),
        ("public", "https://team.services.ai.azure.com", True),
        ("usgovernment", "https://team.openai.azure.us", True),
        ("public", "https://team.openai.azure.us", False),
        ("public", "https://team.openai.azure.com:8443", False),
        ("public", "https://openai.azure.com", False),
        ("public", "https://team.openai.azure.com.evil.example", False),
        ("public", "http://127.0.0.1:8080", False),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8081", True),
        ("http://127.0.0.1:8080", "https://team.openai.azure.com", False),
    ],
)
def test_a_token_of_the_app_goes_to_an_account_of_its_cloud_only(cloud: str, endpoint: str, is_fine: bool) -> None:
    given = {"AZURE_CLOUD": cloud, "AZURE_OPENAI_ENDPOINT": endpoint, "AZURE_OPENAI_DEPLOYMENT": DEPLOYMENT}
    lacking = azure_openai.lacking(Settings.from_environment(given, [azure_openai.settings]))
    assert (lacking == "") is is_fine
    assert is_fine or "not in the cloud" in lacking


def test_what_is_missing_is_named() -> None:
    lacking = azure_openai.lacking(Settings.from_environment({"AZURE_OPENAI_DEPLOYMENT": "a"}, [azure_openai.settings]))
    assert lacking.endswith("Ask an operator to set AZURE_OPENAI_ENDPOINT.")
    lacking = azure_openai.lacking(Settings.from_environment({}, [azure_openai.settings]))
    assert lacking.endswith("set AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_DEPLOYMENT.")
