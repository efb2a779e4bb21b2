"""A resource is found by its name in every subscription, and what else there is is told where it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from clients.azure.client import Azure
from clients.azure.cloud import CLOUDS, Service
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.named import (
    Sort,
    Sorts,
    group_called,
    groups_called,
    is_there,
    one_called,
    one_of,
    place_called,
    with_readable_ids,
)
from clients.messages import ListPage
from refusal import Refusal
from tests.clients.azure.estate import LAB, SHOP, token

NAMES: Final = {SHOP: "Shop", LAB: "Lab"}
SITE: Final = Sort("Microsoft.Web/sites", "2024-04-01", "app")
DISK: Final = Sort("Microsoft.Compute/disks", "2024-03-02", "disk")
BOTH: Final = Sorts("thing", (SITE, DISK))


def of(subscription: str, group: str, name: str, sort: Sort = SITE) -> str:
    return f"/subscriptions/{subscription}/resourceGroups/{group}/providers/{sort.type}/{name}"


@dataclass
class Cloud:
    """An exchange with these resources. Resource Graph and single subscriptions may be away."""

    ids: list[str] = field(default_factory=list)
    has_graph: bool = True
    away: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """No time passes here."""

    async def admit(self, service: Service) -> None:
        """Everybody is let in."""

    async def send(
        self, _service: Service, request: AzureRequest, _authorization: str, _largest: int | None = None
    ) -> AzureAnswer:
        self.asked.append(request.path)
        status, document = self._answer(request)
        return AzureAnswer(status, {}, json.dumps(document).encode())

    def _answer(self, request: AzureRequest) -> tuple[int, Any]:
        path = request.path
        if path == "/subscriptions":
            return 200, {"value": [{"subscriptionId": one, "displayName": NAMES[one]} for one in NAMES]}
        if "ResourceGraph" in path:
            return (200, {"data": self._rows(request.body or {})}) if self.has_graph else (403, {})
        if any(one in path for one in self.away):
            return 403, {}
        listed = re.fullmatch(r"(/subscriptions/[^/]+)/(?:resources|providers/(.+))", path)
        if listed:
            name = str(request.query.get("$filter", "")).removeprefix("name eq '").removesuffix("'").replace("''", "'")
            found = [one for one in self.ids if one.startswith(listed[1]) and f"/providers/{listed[2] or ''}" in one]
            return 200, {"value": [_record(one) for one in found if name in {"", one.rpartition("/")[2]}]}
        is_group = any(one.lower().startswith(f"{path}/".lower()) for one in self.ids)
        there = path in self.ids or is_group
        return (200, {**_record(path), "read": len(self.asked)}) if there else (404, {"error": {"code": "NotFound"}})

    def _rows(self, body: Mapping[str, Any]) -> list[dict[str, str]]:
        query = body["query"].lower().replace('"', "'")
        found = [one for one in self.ids if one.split("/")[2] in body["subscriptions"]]
        if types := re.search(r"type in~ \(([^)]*)\)", query):
            found = [one for one in found if f"'{ResourceId.of(one).type.lower()}'" in types[1]]
        if name := re.search(r"name =~ '([^']*)'", query):
            found = [one for one in found if one.lower().endswith(f"/{name[1]}")]
        return [{"id": one} for one in found]


def _record(place: str) -> dict[str, Any]:
    return {"id": place, "name": place.rpartition("/")[2]}


def azure_of(cloud: Cloud) -> Azure:
    return Azure(cloud, CLOUDS["public"], token)


WEB: Final = of(SHOP, "web", "till")


async def test_by_its_id_it_is_read_unless_it_is_of_another_type() -> None:
    azure = azure_of(Cloud([WEB]))
    assert (await one_called(azure, SITE, f" {WEB} ", None))["id"] == WEB
    assert (await one_of(azure, BOTH, WEB, None))[0] is SITE
    with pytest.raises(Refusal, match="Not the id of a disk"):
        await one_called(azure, DISK, WEB, None)
    with pytest.raises(Refusal, match="Not the id of an app"):
        await one_called(azure, SITE, WEB.rpartition("/")[0], None)
    with pytest.raises(Refusal, match=r"This is the id of a .*, not of a thing"):
        await one_of(azure, Sorts("thing", (DISK,)), WEB, None)


@pytest.mark.parametrize("has_graph", [True, False])
@pytest.mark.parametrize("named", ["till", " TILL "])
async def test_by_its_name_it_is_found_in_any_subscription(has_graph: bool, named: str) -> None:
    cloud = Cloud([of(SHOP, "web", "other"), of(LAB, "web", "till"), of(LAB, "web", "till", DISK)], has_graph)
    if not has_graph:
        named = "till"  # a list is asked for the very name
    assert (await one_called(azure_of(cloud), SITE, named, None))["id"] == of(LAB, "web", "till")
    assert (await one_called(azure_of(cloud), DISK, named, None))["id"] == of(LAB, "web", "till", DISK)


@pytest.mark.parametrize("has_graph", [True, False])
async def test_of_several_with_its_name_the_ids_are_told(has_graph: bool) -> None:
    ids = sorted([of(SHOP, "web", "till"), of(LAB, "web", "till")])
    with pytest.raises(Refusal) as refused:
        await one_called(azure_of(Cloud(ids, has_graph)), SITE, "till", None)
    assert str(refused.value) == f"Several apps have this name. Pass one of these ids: {', '.join(ids)}."
    both = Cloud([of(SHOP, "web", "till"), of(SHOP, "web", "till", DISK)], has_graph)
    with pytest.raises(Refusal, match="Several things have this name"):
        await one_of(azure_of(both), BOTH, "till", None)
    with pytest.raises(Refusal, match="Several resources have this name"):
        await place_called(azure_of(both), "till")


@pytest.mark.parametrize("has_graph", [True, False])
async def test_a_resource_of_any_type_is_found_by_its_name(has_graph: bool) -> None:
    azure = azure_of(Cloud([WEB], has_graph))
    assert await place_called(azure, " till") == ResourceId.of(WEB)
    assert await place_called(azure, WEB) == ResourceId.of(WEB)


async def test_in_one_subscription_its_list_is_read_which_is_never_outdated() -> None:
    cloud = Cloud([WEB, of(SHOP, "web", "other")], has_graph=False)
    azure = azure_of(cloud)
    assert (await one_called(azure, SITE, "TILL", "Shop", anew=False))["name"] == "till"
    assert WEB not in cloud.asked
    with pytest.raises(Refusal) as refused:
        await one_called(azure, SITE, "none", SHOP)
    assert str(refused.value) == (
        "No app 'none' found in Shop: it does not exist, or you do not have access. Available: till, other. To search"
        " elsewhere, pass another `subscription`."
    )
    with pytest.raises(Refusal, match="You do not have access to any disk in this subscription"):
        await one_called(azure, DISK, "none", SHOP)


@pytest.mark.parametrize(
    ("count", "said"), [(0, "Use list_resources"), (1, "Available: a00."), (30, "a29."), (31, "a29 and more.")]
)
async def test_what_else_there_is_is_told_of_thirty(count: int, said: str) -> None:
    ids = [of(SHOP, "web", f"a{number:02}") for number in range(count)]
    with pytest.raises(Refusal) as refused:
        await one_called(azure_of(Cloud(ids)), SITE, "none", None)
    assert "No app named 'none' found in Shop, Lab: it does not exist, or you do not have access. " in str(
        refused.value
    )
    assert said in str(refused.value)


async def test_where_it_could_not_be_looked_is_told() -> None:
    with pytest.raises(Refusal, match="Could not search Lab"):
        await one_called(azure_of(Cloud([WEB], has_graph=False, away=(LAB,))), SITE, "none", None)
    found = await one_called(azure_of(Cloud([WEB], has_graph=False, away=(LAB,))), SITE, "till", None)
    assert found["id"] == WEB


async def test_a_resource_that_was_moved_is_found_again() -> None:
    cloud = Cloud([WEB])
    azure = azure_of(cloud)
    await one_called(azure, SITE, "till", None)
    moved = of(LAB, "other", "till")
    cloud.ids = [moved]
    assert (await one_called(azure, SITE, "till", None))["id"] == moved


async def test_an_id_and_its_state_are_kept_only_where_they_may_be_old() -> None:
    cloud = Cloud([WEB])
    azure = azure_of(cloud)
    first = await one_called(azure, SITE, "till", None, anew=False)
    assert await one_called(azure, SITE, "till", None, anew=False) == first
    assert await one_called(azure, SITE, "till", None) != first
    assert sum("ResourceGraph" in path for path in cloud.asked) == 1


async def test_whether_it_is_there_is_told_unless_that_cannot_be_seen() -> None:
    assert await is_there(azure_of(Cloud([WEB])), SITE, ResourceId.of(WEB))
    assert not await is_there(azure_of(Cloud()), SITE, ResourceId.of(WEB))
    with pytest.raises(Refusal, match="does not permit"):
        await is_there(azure_of(Cloud([WEB], away=(SHOP,))), SITE, ResourceId.of(WEB))


async def test_a_group_is_found_in_the_subscriptions_that_have_it() -> None:
    shop, lab = (ResourceId.of(f"/subscriptions/{one}/resourceGroups/web") for one in (SHOP, LAB))
    azure = azure_of(Cloud([WEB]))
    assert await groups_called(azure, "web", None) == [shop]
    assert await group_called(azure, "web", None) == shop
    # In one subscription it need not exist yet.
    assert await groups_called(azure, "web", "Lab") == [lab]
    two = azure_of(Cloud([of(LAB, "web", "a"), WEB]))
    assert await groups_called(two, "web", None) == [shop, lab]
    with pytest.raises(Refusal) as several:
        await group_called(two, "web", None)
    assert str(several.value) == "Several subscriptions have a resource group 'web': Shop, Lab. Pass `subscription`."
    with pytest.raises(Refusal) as absent:
        await groups_called(azure_of(Cloud([WEB], away=(LAB,))), "none", None)
    assert str(absent.value) == (
        "No resource group named 'none' found in Shop, Lab: it does not exist, or you do not have access. Could not"
        " search Lab. Use list_resource_groups to find groups."
    )


def test_entries_without_a_readable_id_are_left_out_and_counted() -> None:
    readable = [{"id": of(SHOP, "web", "shop")}, {"id": f"/subscriptions/{SHOP}"}]
    page = ListPage([readable[0], {"id": f"/subscriptions/{SHOP}/../x"}, readable[1], {}], has_more=True, unreadable=1)
    assert with_readable_ids(page) == ListPage(readable, has_more=True, unreadable=3)
