"""Under a lock, Microsoft Graph tells only who those are that have rights on something within reach."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure import directory
from clients.azure.client import Azure
from clients.azure.cloud import CLOUDS, Service
from clients.azure.confinement.confined import ConfinedAzure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest, of_id
from clients.kept import Kept
from refusal import Refusal
from tests.clients.azure.estate import LAB, MANAGER, SHOP, reach, token

ADA: Final = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
BOB: Final = "cccccccc-cccc-cccc-cccc-cccccccccccc"
EVE: Final = "eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee"
TEAM: Final = "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"
GRAPH: Final = CLOUDS["public"].directory
RIGHTS: Final = "/providers/Microsoft.Authorization"


@dataclass
class Tenant:
    """Answers everything. Ada and the team have rights in the shop, Eve in the lab."""

    rows: list[dict[str, Any]] = field(default_factory=lambda: [*_ASSIGNED])
    sent: list[str] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """No time passes here."""

    async def admit(self, service: Service) -> None:
        """Nothing is read without it here."""

    async def send(
        self, service: Service, request: AzureRequest, _authorization: str, _largest: int | None = None
    ) -> AzureAnswer:
        self.sent.append(f"{request.method} {service.base_url}{request.path}")
        return AzureAnswer(200, {}, json.dumps({"value": self.rows, "id": ADA, "displayName": "Ada"}).encode())

    @property
    def told(self) -> list[str]:
        return [line for line in self.sent if GRAPH.base_url in line]


def _assigned(subscription: str, principal: str) -> dict[str, Any]:
    place = f"/subscriptions/{subscription}{RIGHTS}/roleAssignments/{principal}"
    return {"id": place, "properties": {"principalId": principal.upper(), "scope": f"/subscriptions/{subscription}"}}


def _denied(subscription: str, named: str, principal: str) -> dict[str, Any]:
    scope = f"/subscriptions/{subscription}"
    principals = {"principals": [], "excludePrincipals": [], named: [{"id": principal.upper(), "type": "User"}]}
    return {"id": f"{scope}{RIGHTS}/denyAssignments/{principal}", "properties": {"scope": scope, **principals}}


_ASSIGNED: tuple[dict[str, Any], ...] = (_assigned(SHOP, ADA), _assigned(SHOP, TEAM), _assigned(LAB, EVE))


def locked(tenant: Tenant, groups: str = "", known: Service | None = GRAPH) -> Azure:
    confined = ConfinedAzure(tenant, MANAGER, token, reach(SHOP, groups), kept=Kept(), directory=known)
    return Azure(confined, CLOUDS["public"], token).looking_up(people=True)


async def look_at_rights(azure: Azure) -> None:
    place = ResourceId.of_subscription(SHOP)
    await azure.json(of_id("GET", place, f"{RIGHTS}/roleAssignments", version="2022-04-01"))


async def test_those_who_have_rights_within_reach_are_told() -> None:
    azure = locked(Tenant())
    await look_at_rights(azure)
    assert (await directory.person(azure, ADA)).name == "Ada"
    assert (await directory.group(azure, TEAM)).id == ADA
    await directory.members(azure, TEAM)


@pytest.mark.parametrize("named", ["principals", "excludePrincipals"])
async def test_those_whom_an_assignment_within_reach_denies_are_told_and_of_others_nobody(named: str) -> None:
    tenant = Tenant([_denied(SHOP, named, BOB), _denied(LAB, named, EVE)])
    azure = locked(tenant)
    await azure.json(of_id("GET", ResourceId.of_subscription(SHOP), f"{RIGHTS}/denyAssignments", version="2022-04-01"))
    assert (await directory.person(azure, BOB)).id == ADA
    with pytest.raises(Refusal, match="if they have roles within"):
        await directory.person(azure, EVE)


async def test_a_row_that_cannot_be_read_hides_nobody_else() -> None:
    place = f"/subscriptions/{SHOP}{RIGHTS}/roleAssignments/x"
    azure = locked(Tenant([{"id": place, "properties": ["x"]}, {"id": place}, _assigned(SHOP, ADA)]))
    await look_at_rights(azure)
    assert (await directory.person(azure, ADA)).name == "Ada"


@pytest.mark.parametrize("somebody", [EVE, LAB, "00000000-0000-0000-0000-000000000000"])
async def test_nobody_else_is_told(somebody: str) -> None:
    tenant = Tenant()
    azure = locked(tenant)
    await look_at_rights(azure)
    for ask in (directory.person, directory.group, directory.members):
        with pytest.raises(Refusal, match="if they have roles within"):
            await ask(azure, somebody)
    assert tenant.told == []


@pytest.mark.parametrize(
    ("line", "body", "query", "is_asked"),
    [
        ("POST /v1.0/directoryObjects/getByIds", {"ids": [ADA, TEAM]}, {}, True),
        ("POST /v1.0/directoryObjects/getByIds", {"ids": [ADA.upper()], "types": ["user"]}, {}, True),
        ("POST /v1.0/directoryObjects/getByIds", {"ids": []}, {}, True),
        ("POST /v1.0/directoryObjects/getByIds", {"ids": [ADA, EVE]}, {}, False),
        ("POST /v1.0/directoryObjects/getByIds", {"ids": ADA}, {}, False),
        ("POST /v1.0/directoryObjects/getByIds", {"ids": {ADA: 1}}, {}, False),
        ("POST /v1.0/directoryObjects/getByIds", {"ids": [ADA], "more": 1}, {}, False),
        ("POST /v1.0/directoryObjects/getByIds", {"types": ["user"]}, {}, False),
        ("POST /v1.0/directoryObjects/getByIds", [ADA], {}, False),
        ("POST /v1.0/directoryObjects/getByIds", None, {}, False),
        ("POST /v1.0/directoryObjects/getByIds", {"ids": [ADA]}, {"$expand": "memberOf"}, False),
        ("PUT /v1.0/directoryObjects/getByIds", {"ids": [ADA]}, {}, False),
        ("POST /v1.0/directoryObjects/getMemberGroups", {"ids": [ADA]}, {}, False),
    ],
)
async def test_several_are_looked_up_by_their_ids_if_all_of_them_are_known(
    line: str, body: Any, query: dict[str, str], is_asked: bool
) -> None:
    tenant = Tenant()
    azure = locked(tenant)
    await look_at_rights(azure)
    request = AzureRequest(line, query=query, body=body, service=GRAPH, is_read=True)
    if is_asked:
        await azure.send(request)
    else:
        with pytest.raises(Refusal, match="if they have roles within"):
            await azure.send(request)
    assert bool(tenant.told) == is_asked


async def test_whoever_is_only_mentioned_within_reach_is_not_told() -> None:
    tenant = Tenant([_assigned(SHOP, ADA)])
    azure = locked(tenant)
    await azure.json(of_id("GET", ResourceId.of_subscription(SHOP), "/resources", version="2022-04-01"))
    with pytest.raises(Refusal, match="if they have roles within"):
        await directory.person(azure, ADA)
    assert tenant.told == []


async def test_before_rights_were_looked_at_nobody_is_told() -> None:
    tenant = Tenant()
    with pytest.raises(Refusal):
        await directory.person(locked(tenant), ADA)
    assert tenant.told == []


async def test_who_has_a_sign_in_is_not_told() -> None:
    tenant = Tenant()
    azure = locked(tenant)
    await look_at_rights(azure)
    with pytest.raises(Refusal):
        await directory.signed_in_as(azure, "ada@example.com")
    assert tenant.told == []


async def test_what_one_call_has_seen_is_not_known_to_the_next() -> None:
    tenant = Tenant()
    await look_at_rights(locked(tenant))
    with pytest.raises(Refusal):
        await directory.person(locked(tenant), ADA)


async def test_rights_on_a_whole_subscription_are_no_rights_in_a_group() -> None:
    tenant = Tenant()
    azure = locked(tenant, f"{SHOP}/web")
    await look_at_rights(azure)
    with pytest.raises(Refusal):
        await directory.person(azure, ADA)


async def test_without_the_setting_graph_is_not_asked_under_a_lock() -> None:
    tenant = Tenant()
    azure = locked(tenant, known=None)
    await look_at_rights(azure)
    with pytest.raises(Refusal, match="cannot be limited"):
        await directory.person(azure, ADA)


PATHS: Final = [
    f"GET /v1.0/users/{ADA}/messages",
    f"GET /v1.0/users/{ADA}/manager",
    f"GET /v1.0/users/{ADA}/",
    f"GET /v1.0/users//{ADA}",
    "GET /v1.0/users",
    "GET /v1.0/groups",
    "GET /v1.0/me",
    f"GET /beta/users/{ADA}",
    f"GET /v1.0/groups/{TEAM}/owners",
    f"GET /v1.0/users/{ADA}/../{EVE}",
    f"GET /v1.0/users/{ADA}%2f..%2f{EVE}",
    f"GET /v1.0/directoryObjects/{ADA}",
    f"PATCH /v1.0/users/{ADA}",
    f"DELETE /v1.0/groups/{TEAM}",
    "POST /v1.0/$batch",
    "POST /v1.0/directoryObjects/getByIds",
]


@pytest.mark.parametrize("line", PATHS)
async def test_nothing_else_is_asked_of_graph(line: str) -> None:
    tenant = Tenant()
    azure = locked(tenant)
    await look_at_rights(azure)
    with pytest.raises(Refusal):
        await azure.send(AzureRequest(line, version=None, service=GRAPH))
    assert tenant.told == []


@pytest.mark.parametrize("query", [{"$expand": "memberOf"}, {"$filter": "x"}, {"$search": "x"}, {"$EXPAND": "manager"}])
async def test_nothing_is_asked_besides(query: dict[str, str]) -> None:
    tenant = Tenant()
    azure = locked(tenant)
    await look_at_rights(azure)
    with pytest.raises(Refusal):
        await azure.send(AzureRequest(f"GET /v1.0/users/{ADA}", query=query, version=None, service=GRAPH))
    assert tenant.told == []


async def test_another_service_at_the_same_host_is_not_taken_for_it() -> None:
    azure = locked(Tenant())
    await look_at_rights(azure)
    other = replace(GRAPH, scope="https://vault.azure.net/.default")
    with pytest.raises(Refusal, match="cannot be limited"):
        await azure.send(AzureRequest(f"GET /v1.0/users/{ADA}", version=None, service=other))


@given(path=st.text(alphabet="/.%v10usergop-" + "abe", max_size=80))
async def test_no_path_leads_to_anybody_else(path: str) -> None:
    tenant = Tenant()
    azure = locked(tenant)
    await look_at_rights(azure)
    with pytest.raises(Refusal):
        await azure.send(AzureRequest(f"GET /v1.0/{path}{EVE}", version=None, service=GRAPH))
    assert tenant.told == []


@pytest.mark.parametrize(
    "answer", [b"[]", b"{}", b'{"value": 1}', b'{"value": [1]}', b'{"value": [{"properties": 2}]}', b"<html>"]
)
async def test_an_odd_answer_lets_nobody_be_known(answer: bytes) -> None:
    class Odd(Tenant):
        async def send(self, service: Service, request: AzureRequest, *_: Any, **__: Any) -> AzureAnswer:
            self.sent.append(f"{request.method} {service.base_url}{request.path}")
            return AzureAnswer(200, {}, answer)

    tenant = Odd()
    azure = locked(tenant)
    with suppress(Refusal):  # what cannot be read is refused by others
        await look_at_rights(azure)
    with pytest.raises(Refusal, match="if they have roles within"):
        await directory.person(azure, ADA)
    assert tenant.told == []
