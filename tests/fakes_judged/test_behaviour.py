"""What the invented Azure refuses, how it fails, and how its work goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from aiohttp import ClientError

from tests.fakes.azure import troubles
from tests.fakes.azure.people import DEVELOPER, HOME, NOBODY, OWNER, PARTNER, READER
from tests.fakes.azure.world import DEVELOPMENT, MILL, OVEN, PRODUCTION, SHOP
from tests.fakes_judged.asking import Asking, asking

pytestmark = pytest.mark.anyio

ALL = f"/subscriptions/{PRODUCTION}"
VAULT = "/vault/shop-secrets"


@pytest.fixture
async def ask() -> AsyncIterator[Asking]:
    async with asking() as asked:
        yield asked


async def test_who_does_not_sign_in_is_told_where(ask: Asking) -> None:
    answer = await ask("/subscriptions", None, version="2022-12-01")
    assert (answer.status, answer.code) == (401, "AuthenticationFailed")
    assert "authorization_uri" in answer.headers["WWW-Authenticate"]


async def test_a_token_is_good_for_its_time_and_its_tenant(ask: Asking) -> None:
    for token, code in [
        ("nonsense", "InvalidAuthenticationToken"),
        (OWNER.token_for(seconds=-1), "ExpiredAuthenticationToken"),
        (OWNER.token_for(tenant=PARTNER), "InvalidAuthenticationTokenTenant"),
    ]:
        answer = await ask(f"{ALL}/resources", None, Authorization=f"Bearer {token}")
        assert (answer.status, answer.code) == (401, code)
    guest = await ask(
        "/subscriptions", None, version="2022-12-01", Authorization=f"Bearer {OWNER.token_for(tenant=PARTNER)}"
    )
    assert [one["subscriptionId"] for one in guest.document["value"]] == [MILL]
    ask.azure.people.tokens["owner"] = OWNER
    assert (await ask(f"{ALL}/resources", None, Authorization="Bearer owner")).status == 200
    assert HOME != PARTNER


async def test_what_a_role_does_not_cover_is_refused_with_the_action_and_the_scope(ask: Asking) -> None:
    answer = await ask(f"{OVEN}/providers/Microsoft.Compute/disks/oven-old-disk", READER, version="2024-03-02")
    assert (answer.status, answer.code) == (403, "AuthorizationFailed")
    assert "action 'Microsoft.Compute/disks/read' over scope" in answer.document["error"]["message"]
    assert (await ask(ALL, NOBODY, version="2022-12-01")).code == "AuthorizationFailed"
    assert (await ask(f"DELETE {SHOP}", DEVELOPER)).code == "AuthorizationFailed"


async def test_lists_hold_what_is_seen(ask: Asking) -> None:
    seen = (await ask(f"{ALL}/resources", READER)).document["value"]
    assert len(seen) == 12
    assert (await ask(f"{ALL}/resources", NOBODY)).status == 403
    vaults = await ask(f"{ALL}/providers/Microsoft.KeyVault/vaults", READER, version="2023-07-01")
    assert [one["name"] for one in vaults.document["value"]] == ["shop-secrets"]


async def test_ids_are_found_in_any_case_and_not_always_spelt_alike(ask: Asking) -> None:
    place = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
    for spelled in (place.upper(), place.lower(), place.replace("/sites", "//sites")):
        assert (await ask(spelled, version="2024-11-01")).document["id"] == place
    ids = [one["id"] for one in (await ask(f"{ALL}/resources")).document["value"]]
    assert {part for one in ids for part in one.split("/") if part.lower() == "resourcegroups"} == {
        "resourceGroups",
        "resourcegroups",
    }
    assert any("/OVEN-PROD/" in one for one in ids)


async def test_pages_are_followed_by_absolute_links(ask: Asking) -> None:
    link, found = f"{ALL}/resources?$top=10", 0
    while link:
        page = (await ask(link)).document
        found, link = found + len(page["value"]), page.get("nextLink", "")
        assert link == "" or link.startswith(f"{ask.url}/subscriptions/")
    assert found == 32


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ("resourceType eq 'microsoft.sql/servers'", ["shop-sql"]),
        ("name eq 'shop-web' and resourceGroup eq 'SHOP-PROD'", ["shop-web"]),
        ("tagName eq 'team' and tagValue eq 'shop' and resourceType eq 'Microsoft.KeyVault/vaults'", ["shop-secrets"]),
        ("substringof('front', name)", ["shop-front"]),
    ],
)
async def test_a_filter_narrows(ask: Asking, wanted: str, names: list[str]) -> None:
    found = (await ask(f"{ALL}/resources?$filter={wanted}")).document["value"]
    assert [one["name"] for one in found] == names
    assert ("tags" in found[0]) == ("tagName" not in wanted)


@pytest.mark.parametrize(
    ("path", "version", "status", "code"),
    [
        (f"{ALL}/resources?$filter=colour eq 'red'", "2022-09-01", 400, "InvalidFilterInQueryString"),
        (f"{ALL}/resources", "1999-01-01", 400, "InvalidApiVersionParameter"),
        ("/subscriptions/0b1ec7ed-0000-4000-8000-000000000000", "2022-12-01", 404, "SubscriptionNotFound"),
        (f"{SHOP}/providers/Microsoft.Nothing/things/x", "2022-09-01", 404, "InvalidResourceType"),
        (
            f"/subscriptions/{DEVELOPMENT}/providers/Microsoft.EventHub/namespaces",
            "2024-01-01",
            409,
            "MissingSubscriptionRegistration",
        ),
        (
            f"POST {SHOP}/providers/Microsoft.Web/sites/shop-web/recover",
            "2024-11-01",
            405,
            "HttpMethodNotAllowed",
        ),
    ],
)
async def test_what_cannot_be_answered_is_told_by_a_code(
    ask: Asking, path: str, version: str, status: int, code: str
) -> None:
    answer = await ask(path, version=version)
    assert (answer.status, answer.code) == (status, code)


STYLES = [
    ("Microsoft.Storage/storageAccounts", "2023-05-01", 202, {"Location"}),
    ("Microsoft.DocumentDB/databaseAccounts", "2024-11-15", 201, {"Azure-AsyncOperation"}),
    ("Microsoft.App/managedEnvironments", "2024-03-01", 201, {"Location", "Azure-AsyncOperation"}),
    ("Microsoft.ServiceBus/namespaces", "2024-01-01", 201, set[str]()),
]


@pytest.mark.parametrize(("kind", "version", "status", "headers"), STYLES)
@pytest.mark.parametrize("ends", [True, False])
async def test_work_goes_on_in_four_ways(
    ask: Asking, kind: str, version: str, status: int, headers: set[str], ends: bool
) -> None:
    ask.azure.work.never_ends = not ends
    place = f"{SHOP}/providers/{kind}/judged"
    began = await ask(f"PUT {place}", version=version, body={"location": "westeurope"})
    told = {name for name in ("Location", "Azure-AsyncOperation") if name in began.headers}
    assert (began.status, told) == (status, headers)
    poll = began.headers.get("Azure-AsyncOperation") or began.headers.get("Location") or place
    polled = [await ask(poll, version=version) for _ in range(2)]
    states = [_state(answer.status, answer.document) for answer in polled]
    assert states == ["going on", "done" if ends else "going on"]


def _state(status: int, document: dict[str, object] | None) -> str:
    if status == 202:
        return "going on"
    told = document or {}
    properties = told.get("properties")
    state = told.get("status") or (properties.get("provisioningState") if isinstance(properties, dict) else None)
    return "done" if state == "Succeeded" else "going on"


async def test_a_lock_above_keeps_what_is_below(ask: Asking) -> None:
    database = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql/databases/orders"
    kept = await ask(f"DELETE {database}", version="2021-11-01")
    assert (kept.status, kept.code) == (409, "ScopeLocked")
    network = f"{ALL}/resourceGroups/network-prod/providers/Microsoft.Network/virtualNetworks/more"
    frozen = await ask(f"PUT {network}", version="2024-05-01", body={"location": "westeurope"})
    assert frozen.code == "ScopeLocked"


async def test_a_change_on_another_state_is_refused(ask: Asking) -> None:
    place = f"{SHOP}/providers/Microsoft.Cache/redis/shop-cache"
    stale = await ask(f"PATCH {place}", version="2024-11-01", body={}, If_Match='"old"')
    assert (stale.status, stale.code) == (412, "PreconditionFailed")


async def test_vaults_refuse_by_role_by_policy_and_by_address(ask: Asking) -> None:
    challenged = await ask(f"{VAULT}/secrets", None, version="7.4")
    assert 'resource="' in challenged.headers["WWW-Authenticate"]
    metadata = await ask(f"{VAULT}/secrets", DEVELOPER, version="7.4")
    assert metadata.status == 200
    for path, who, code in [
        (f"{VAULT}/secrets/mail-password", DEVELOPER, "ForbiddenByRbac"),
        ("/vault/shop-dev-secrets/secrets", OWNER, "ForbiddenByPolicy"),
    ]:
        refused = await ask(path, who, version="7.4")
        assert (refused.status, refused.document["error"]["innererror"]["code"]) == (403, code)
    vault = next(one for one in ask.azure.vaults.resources() if one.document["name"] == "shop-secrets")
    vault.properties["networkAcls"] = {"defaultAction": "Deny"}
    closed = await ask(f"{VAULT}/secrets", version="7.4")
    assert closed.document["error"]["innererror"]["code"] == "ForbiddenByFirewall"


async def test_troubles_befall_once_or_at_a_place(ask: Asking) -> None:
    ask.azure.troubles += [troubles.throttled_for_reads, troubles.challenged(), troubles.bad_gateway]
    assert (await ask(f"{ALL}/resources")).headers["Retry-After"] == "17"
    assert "claims=" in (await ask(f"{ALL}/resources")).headers["WWW-Authenticate"]
    with pytest.raises(ValueError, match="Expecting value"):
        await ask(f"{ALL}/resources")
    ask.azure.places["/LOCKS"] = troubles.unavailable
    locks = f"{ALL}/providers/Microsoft.Authorization/locks"
    assert [(await ask(locks, version="2020-05-01")).status for _ in range(2)] == [503, 503]
    assert (await ask(f"{ALL}/resources")).status == 200


async def test_bodies_are_cut_and_pages_loop(ask: Asking) -> None:
    ask.azure.troubles += [troubles.cut_body, troubles.cut_connection, troubles.looping]
    for _ in range(2):
        with pytest.raises(ClientError):
            await ask.graph("resources")  # a read would be asked once more by aiohttp itself
    looping = await ask(f"{ALL}/resources")
    assert looping.document["nextLink"].startswith(f"{ask.url}{ALL}/resources")


async def test_roles_and_resources_may_change_at_any_time(ask: Asking) -> None:
    first = next(one for one in ask.azure.access.assignments if one.principal_id == READER.id)
    ask.azure.access.assignments.append(replace(first, principal_id=NOBODY.id))
    assert (await ask(SHOP, NOBODY)).status == 200
