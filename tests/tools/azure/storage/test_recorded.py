"""What the real service was recorded to answer is understood."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest
from aiohttp import web

from clients.azure.storage.xml import parsed
from tests.fakes.azure.stored.service import FakeStorage
from tests.mcp_server.caller import Caller
from tests.tools.azure.data import FOLDER, recorded, with_data
from tests.tools.azure.golden import SUBSCRIPTION, Case, Scripted
from tests.tools.azure.storage.place import Place

pytestmark = with_data

TYPES: Final = [{"resourceType": "storageAccounts", "apiVersions": ["2025-06-01"]}]
BEFORE: Final[list[dict[str, Any]]] = [
    {"reply": {"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]}},
    {"reply": {"namespace": "Microsoft.Storage", "resourceTypes": TYPES}},
]
BLOB: Final = {"container": "logs", "blob": "a"}


@pytest.mark.parametrize(
    "name",
    [
        "042-storage-accounts-list-200",
        "044-storage-accounts-list-200",
        "046-storage-accounts-list-by-resource-group-200",
        "048-storage-accounts-list-by-resource-group-200",
    ],
)
async def test_accounts_are_listed(scripted: Scripted, player: Caller, name: str) -> None:
    document = recorded(f"storage/{name}")["response"]["body"]
    scripted.play(Case(name, "", {}, [*BEFORE, {"reply": document}], None, None), by_turns=True)
    found = (await player.call("list_storage_accounts"))["structuredContent"]
    assert len(found["items"]) == len(document["value"]) > 0
    assert all(item.keys() >= {"name", "location", "kind", "sku", "id"} for item in found["items"])


@pytest.mark.parametrize("number", ["036", "038"])
async def test_an_account_is_shown(scripted: Scripted, player: Caller, number: str) -> None:
    document = recorded(f"storage/{number}-storage-accounts-get-properties-200")["response"]["body"]
    scripted.play(Case(number, "", {}, [BEFORE[1], {"reply": document}], None, None), by_turns=True)
    result = await player.call("show_storage_account", account=document["id"])
    found = result["structuredContent"]
    assert found["name"] == document["name"]
    assert found["endpoints"]["blob"] == document["properties"]["primaryEndpoints"]["blob"]
    assert found["https_only"] is True


@pytest.mark.parametrize("number", ["002", "005", "007", "009", "011"])
async def test_lists_are_understood(invented: Place, storage: FakeStorage, number: str) -> None:
    recording = _of_blobs(number)
    tool, where = (
        ("list_containers", {}) if "<Containers>" in recording["body"] else ("list_blobs", {"container": "logs"})
    )
    storage.troubles.append(_answering(recording))
    found = await invented.call(tool, **where, max_results=1 if "<NextMarker>" in recording["body"] else 1000)
    named = parsed(recording["body"].encode()).iter("Name")
    assert [*found.get("folders", []), *(item["name"] for item in found["items"])] == [name.text for name in named]
    assert all(item["modified"].endswith("Z") for item in found["items"])


async def test_properties_are_understood(invented: Place, storage: FakeStorage) -> None:
    storage.troubles.append(_answering(_of_blobs("021")))
    found = await invented.call("show_blob", **BLOB)
    assert (found["tier"], found["modified"]) == ("Hot", "2021-04-09T05:02:13Z")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("023", "404 BlobNotFound"),
        ("026", "404"),
        ("028", "404"),
        ("035", "412"),
        ("037", "412"),
        ("041", "403 AuthorizationPermissionMismatch"),
        ("042", "401"),
        ("044", "400"),
        ("052", "401 NoAuthenticationInformation"),
    ],
)
async def test_failures_are_understood(invented: Place, storage: FakeStorage, number: str, told: str) -> None:
    storage.troubles.append(_answering(_of_blobs(number)))
    assert f"({told}" in await invented.told("list_blobs", container="logs")


def _of_blobs(number: str) -> dict[str, Any]:
    file = next((FOLDER / "fixtures" / "storage-blob").glob(f"{number}-*.json"))
    response = recorded(f"storage-blob/{file.stem}")["response"]
    return {**response, "body": response["body"] or ""}


def _answering(recording: dict[str, Any]) -> Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]:
    async def befall(_: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=recording["body"].encode(), status=recording["status"], headers=recording["headers"])

    return befall
