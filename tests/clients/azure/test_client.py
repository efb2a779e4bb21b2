"""Azure as one caller reaches it: versions that are found, subscriptions by name, lists in pieces, long operations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from clients.azure.client import Azure
from clients.azure.cloud import cloud_named
from clients.azure.connection import AzureConnection
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, ListPage, of_id
from refusal import Refusal
from tests.fakes.serving import serving_locally
from tests.fakes.transport import HastyTransport

SHOP, LAB = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
SITE = ResourceId.of(f"/subscriptions/{SHOP}/resourceGroups/shop/providers/Microsoft.Web/sites/till")
PROVIDER = {
    "namespace": "Microsoft.Web",
    "resourceTypes": [
        {"resourceType": "sites", "apiVersions": ["2025-05-01-preview", "2024-11-01", "2024-04-01"]},
        {"resourceType": "onlyPreviews", "apiVersions": ["2023-01-01-preview", "2024-01-01-preview"]},
    ],
}


@dataclass
class Arm:
    """Answers by path, and notes what it was asked."""

    replies: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    url: str = ""

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path_qs}")
        reply = self.replies.get(request.path, {"value": []})
        reply = reply.pop(0) if isinstance(reply, list) else reply
        status, headers, body = reply if isinstance(reply, tuple) else (200, {}, reply)
        headers = {name: value.replace("{arm}", self.url) for name, value in headers.items()}
        return web.json_response(body, status=status, headers=headers)


@pytest.fixture
def arm() -> Arm:
    return Arm({f"/subscriptions/{SHOP}/providers/Microsoft.Web": PROVIDER})


@pytest.fixture
async def azure(arm: Arm) -> AsyncIterator[Azure]:
    async def authorize(_scope: str) -> str:
        return "Bearer invented"

    async with serving_locally(arm.handle) as arm.url, AzureConnection(transport=HastyTransport()) as connection:
        yield Azure(connection, cloud_named(arm.url), authorize)


async def test_a_request_goes_in_the_newest_version_of_its_type_that_is_no_preview(azure: Azure, arm: Arm) -> None:
    arm.replies[SITE.text] = {"name": "till"}
    assert await azure.json(of_id("GET", SITE)) == {"name": "till"}
    assert arm.asked[-1] == f"GET {SITE.text}?api-version=2024-11-01"


async def test_the_list_of_versions_is_read_once(azure: Azure, arm: Arm) -> None:
    arm.replies[SITE.text] = {"name": "till"}
    for _ in range(3):
        await azure.json(of_id("GET", SITE))
    assert [line for line in arm.asked if "/providers/Microsoft.Web?" in line] == arm.asked[:1]


async def test_a_type_that_is_not_listed_has_the_version_of_the_one_above(azure: Azure, arm: Arm) -> None:
    await azure.json(of_id("GET", ResourceId.of(f"{SITE.text}/slots/green/hidden/part")))
    assert arm.asked[-1].endswith("?api-version=2024-11-01")


async def test_previews_are_asked_for_where_there_is_nothing_else(azure: Azure, arm: Arm) -> None:
    place = SITE.text.replace("sites", "ONLYPREVIEWS")
    await azure.json(of_id("GET", ResourceId.of(place)))
    assert arm.asked[-1].endswith("?api-version=2024-01-01-preview")


async def test_a_type_that_azure_does_not_have_is_refused_unasked(azure: Azure, arm: Arm) -> None:
    with pytest.raises(Refusal, match=r"Type 'Microsoft\.Web/nothing'"):
        await azure.json(of_id("GET", ResourceId.of(SITE.text.replace("sites", "nothing"))))
    assert len(arm.asked) == 1


async def test_where_azure_knows_other_versions_the_newest_of_those_is_taken(azure: Azure, arm: Arm) -> None:
    message = (
        "No registered resource provider found for location 'eu' and API version '2024-11-01' for type 'sites'. The"
        " supported api-versions are '2022-03-01, 2023-12-01, 2024-02-01-preview'. The supported locations are 'eu'."
    )
    refused: Any = (400, {}, {"error": {"code": "NoRegisteredProviderFound", "message": message}})
    arm.replies[SITE.text] = [refused, {"name": "till"}, {"name": "till"}]
    assert await azure.json(of_id("GET", SITE)) == {"name": "till"}
    assert arm.asked[-1].endswith("?api-version=2023-12-01")
    await azure.json(of_id("GET", SITE))
    assert len(arm.asked) == 4  # it is known from then on


@pytest.fixture
def subscriptions(arm: Arm) -> None:
    arm.replies["/subscriptions"] = {
        "value": [
            {"subscriptionId": SHOP, "displayName": "Shop"},
            {"subscriptionId": LAB, "displayName": "Lab"},
            {"subscriptionId": "no id", "displayName": "Odd"},
        ]
    }


@pytest.mark.usefixtures("subscriptions")
@pytest.mark.parametrize("named", ["shop", "SHOP", SHOP, f" {SHOP.upper()} "])
async def test_a_subscription_is_named_by_its_name_or_id(azure: Azure, named: str) -> None:
    assert (await azure.subscription(named)).id == SHOP


@pytest.mark.usefixtures("subscriptions")
@pytest.mark.parametrize("named", [None, "nothing", "odd"])
async def test_which_subscriptions_there_are_is_said_where_it_is_not_clear(azure: Azure, named: str | None) -> None:
    with pytest.raises(
        Refusal, match=rf"`subscription`.*Shop \({SHOP}\), Lab \({LAB}\)\. Not clear which\? Ask the user"
    ):
        await azure.subscription(named)


async def test_the_only_subscription_is_meant(azure: Azure, arm: Arm) -> None:
    arm.replies["/subscriptions"] = {"value": [{"subscriptionId": SHOP, "displayName": "Shop"}]}
    assert (await azure.subscription()).name == "Shop"


async def test_a_list_is_followed_through_its_pieces(azure: Azure, arm: Arm) -> None:
    link = f"{arm.url}/things?api-version=1&$skiptoken=a%20b%2F"
    arm.replies["/things"] = [
        {"value": [{"n": 1}], "nextLink": link},
        {"value": [], "nextLink": f"{link}c"},
        {"value": [{"n": 2}]},
    ]
    page = await azure.page(AzureRequest("GET /things", version="1"), 10)
    assert (page.items, page.has_more) == ([{"n": 1}, {"n": 2}], False)
    assert arm.asked[-1] == "GET /things?$skiptoken=a%20b/c&api-version=1"


@pytest.mark.parametrize("link", ["https://elsewhere.example/things", "{arm}.evil.example/things", "//x/y"])
async def test_a_list_leads_nobody_elsewhere(azure: Azure, arm: Arm, link: str) -> None:
    arm.replies["/things"] = {"value": [], "nextLink": link.replace("{arm}", arm.url)}
    with pytest.raises(Refusal, match="another host"):
        await azure.page(AzureRequest("GET /things", version="1"), 10)
    assert len(arm.asked) == 1


async def test_a_list_without_an_end_is_left(azure: Azure, arm: Arm) -> None:
    arm.replies["/things"] = {"value": [], "nextLink": f"{arm.url}/things?page=2"}
    with pytest.raises(Refusal, match="keeps returning the same page"):
        await azure.page(AzureRequest("GET /things", version="1"), 10)


@pytest.mark.parametrize("header", ["Location", "Azure-AsyncOperation"])
async def test_what_takes_a_while_is_waited_for(azure: Azure, arm: Arm, header: str) -> None:
    begun: Any = (202, {header: "{arm}/operations/1?api-version=1", "Retry-After": "1"}, {})
    still = (202, {"Retry-After": "1"}, {}) if header == "Location" else (200, {}, {"status": "Running"})
    arm.replies["/export"] = begun
    arm.replies["/operations/1"] = [still, still, {"status": "Succeeded", "template": 1}]
    answer = await azure.outcome(AzureRequest("POST /export", version="1", body={}, is_read=True))
    assert answer.document == {"status": "Succeeded", "template": 1}


async def test_what_never_ends_is_left(azure: Azure, arm: Arm) -> None:
    arm.replies["/export"] = (202, {"Location": "{arm}/operations/1", "Retry-After": "1"}, {})
    arm.replies["/operations/1"] = (202, {"Location": "{arm}/operations/1", "Retry-After": "1"}, {})
    with pytest.raises(Refusal, match="still working on the operation"):
        await azure.outcome(AzureRequest("POST /export", version="1", body={}, is_read=True), within=5)
    assert len(arm.asked) == 6


async def test_what_fails_in_the_end_says_why(azure: Azure, arm: Arm) -> None:
    failed = {
        "status": "Failed",
        "error": {"code": "Outer", "message": "m", "details": [{"code": "NoRoom", "message": "x"}]},
    }
    arm.replies["/export"] = (202, {"Location": "{arm}/operations/1"}, {})
    arm.replies["/operations/1"] = failed
    with pytest.raises(Refusal, match=r"could not complete the operation \(NoRoom\).*\"x\""):
        await azure.outcome(AzureRequest("POST /export", version="1", body={}, is_read=True))


async def test_whatever_is_there_is_found_and_a_list_is_followed_without_asking_twice(azure: Azure, arm: Arm) -> None:
    arm.replies["/things"] = {"value": [{"name": "one"}], "nextLink": f"{arm.url}/more?api-version=1"}
    arm.replies["/more"] = {"value": [{"name": "two"}]}
    page = await azure.found(AzureRequest("GET /things", version="1"), 10)
    assert isinstance(page, ListPage)
    assert [entry["name"] for entry in page.items] == ["one", "two"]
    assert len(arm.asked) == 2


@pytest.mark.parametrize("document", [{"value": "one"}, {"value": [1, 2]}, {"name": "x"}, [1], {}, {"value": None}])
async def test_what_is_no_list_is_found_as_it_is(azure: Azure, arm: Arm, document: Any) -> None:
    arm.replies["/things"] = (200, {}, document)
    assert await azure.found(AzureRequest("GET /things", version="1"), 10) == document
