"""What nobody may change by these tools: what gives keys, what leads elsewhere, and what is out of reach."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, OVEN, PRODUCTION, SHOP
from tests.tools.azure.golden import SUBSCRIPTION
from tests.tools.azure.inventing import asking, refused
from tests.tools.azure.resource_changes.scenes import SCENES, Scene, set_up
from tests.tools.azure.team import ASKING, team
from tests.tools.azure.unreadable import UNREADABLE
from tools.azure.resource_any.changeable import changeable, refuse_giving
from tools.azure.settings import AzureSettings

SITE: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
ELSEWHERE: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/shop-dev"
KEYS: Final = (
    *("listKeys", "LISTKEYS", "regenerateKey", "regeneratekeys", "listSecrets", "list", "listConnectionStrings"),
    *("ListAccountSas", "listServiceSas", "generateSas", "listCredentials", "listAdminKeys", "getAccessToken"),
    *("beginGetAccess", "retrieveRegisterAsNode", "publishxml", "newpassword", "resetServicePrincipalProfile-secrets"),
    *("listUserCredential", "fetchKeys", "exportKey", "renewCertificate", "rotateKey", "generateToken", "getKeys"),
)
RUNNING: Final = ("runCommand", "invokeAction", "execute", "sshSessions", "attachConsole", "runScript", "query")
OTHERS: Final = {
    ("PUT", f"{SHOP}/providers/Microsoft.Resources/deployments/x"): "Use the deployment tools",
    ("PUT", f"{SITE}/providers/Microsoft.Resources/deployments/x"): "Use the deployment tools",
    ("POST", f"{SHOP}/providers/Microsoft.Resources/deployments/x/cancel"): "Use the deployment tools",
    ("PUT", f"{SHOP}/providers/microsoft.resources/DeploymentStacks/x"): "Use the deployment stack tools",
    ("DELETE", f"{SHOP}/providers/Microsoft.Authorization/locks/x"): "delete_resource_lock",
    ("PUT", f"{OVEN}/providers/Microsoft.KeyVault/vaults/oven-secrets/secrets/x"): "Use the keyvault toolset",
    ("PUT", f"{SITE}/config/appsettings"): "keys or secrets",
    ("DELETE", SHOP): "delete_resource_group",
    ("DELETE", f"/subscriptions/{PRODUCTION}"): "needs the path of one resource",
    ("PATCH", f"/subscriptions/{PRODUCTION}"): "needs the path of one resource",
    ("PUT", f"{SHOP}/providers/Microsoft.Web/sites"): "needs the path of one resource",
    ("DELETE", f"{SHOP}/resources"): "needs the path of one resource",
    ("POST", SITE): "POST runs an action",
    ("POST", f"{SHOP}/moveResources"): "A path looks like",
    ("POST", f"{SHOP}/exportTemplate"): "A path looks like",
    ("PUT", f"{SITE}?api-version=2024-11-01"): "query",
    ("PUT", "https://evil.example/subscriptions"): "not a URL",
    ("PUT", f"{SHOP}/providers/Microsoft.Web/sites/a/../b"): "id looks like",
    ("POST", f"{SITE}/extensions/MSDeploy/start"): "leads to",
    ("PUT", f"{SITE}/hostruntime/admin"): "leads to",
}


@pytest.mark.parametrize("action", KEYS)
async def test_an_action_that_gives_keys_or_makes_them_is_refused_unasked(action: str) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await refused(caller, "change_azure", method="POST", path=f"{SITE}/{action}")
    assert "keys or secrets" in told
    assert azure.asked == []


@pytest.mark.parametrize("action", RUNNING)
async def test_an_action_within_what_runs_there_is_refused_unasked(action: str) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await refused(caller, "change_azure", method="POST", path=f"{SITE}/{action}")
    assert azure.asked == []


@given(
    beginning=st.sampled_from(["list", "get", "regenerate", "Generate", "x", "sync", ""]),
    word=st.sampled_from(["Key", "secrets", "Credential", "password", "TOKENS", "connectionString", "sas"]),
    ending=st.sampled_from(["", "s", "Now", "2"]),
)
def test_whatever_names_keys_is_refused(beginning: str, word: str, ending: str) -> None:
    with pytest.raises(Refusal):
        changeable("POST", f"{SITE}/{beginning}{word}{ending}")


async def test_an_action_that_azure_does_not_list_is_refused() -> None:
    azure = FakeAzure()
    async with team(azure, ASKING) as them:
        told = await refused(them.member("ada"), "change_azure", method="POST", path=f"{SITE}/frobnicate")
    assert "'Microsoft.Web/sites/frobnicate/action' not found in Azure" in told
    assert not [one for one in azure.asked if one.method == "POST"]


@pytest.mark.parametrize("says", ["Returns the primary key.", "Lists SAS URIs", "Shows sensitive settings. Beware."])
def test_an_action_of_which_azure_says_that_it_is_about_secrets_is_refused(says: str) -> None:
    refuse_giving("Restarts a web app. It keeps its monkeys.")
    with pytest.raises(Refusal, match="keys or secrets"):
        refuse_giving(says)


@pytest.mark.parametrize(("asked", "words"), OTHERS.items(), ids=lambda one: " ".join(one)[-60:])
async def test_what_has_a_tool_of_its_own_or_is_no_resource_is_refused(asked: tuple[str, str], words: str) -> None:
    azure = FakeAzure()
    method, path = asked
    body = {"body": {"location": "westeurope"}} if method in {"PUT", "PATCH"} else {}
    async with asking(azure) as caller:
        assert words in await refused(caller, "change_azure", method=method, path=path, **body)
    assert azure.asked == []


@pytest.mark.parametrize(("path", "why"), UNREADABLE, ids=lambda text: text[-60:])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_what_is_never_read_is_never_changed(method: Any, path: str, why: str) -> None:
    assert SUBSCRIPTION
    with pytest.raises(Refusal):
        changeable(method, path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": "PUT"}, "requires a body"),
        ({"method": "DELETE", "body": {"a": 1}}, "takes no body"),
        ({"method": "PUT", "body": {"a": "x" * 250_000}}, "at most 200000 are allowed"),
        ({"method": "PATCH", "body": {"a": 1}, "etag": "x\r\nHost: evil"}, "etag"),
        ({"method": "PATCH", "body": {"a": 1}, "query": {"api-version": "1"}}, "api_version"),
        ({"method": "PATCH", "body": {"a": 1}, "query": {"$expand": "listKeys"}}, "keys or secrets"),
        ({"method": "PATCH", "body": {"a": 1}, "api_version": "1999-01-01"}, "does not support this version"),
    ],
)
async def test_what_cannot_be_sent_is_refused_before_anything_is_changed(arguments: Any, words: str) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        assert words in await refused(caller, "change_azure", path=SITE, **arguments)
    assert not [one for one in azure.asked if one.method != "GET"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("delete_azure_resource", {"resource_id": f"{SITE}/.."}),
        ("delete_azure_resource", {"resource_id": f"{SHOP}/providers/Microsoft.Web/sites"}),
        ("delete_azure_resource", {"resource_id": f"{SITE}/hostruntime/admin"}),
        ("delete_azure_resource", {"resource_id": SHOP}),
        ("delete_resource_lock", {"lock_id": SITE}),
        ("create_resource_lock", {"name": "a/../b", "resource_id": SITE}),
        ("create_resource_lock", {"name": "x", "resource_id": "/subscriptions/x"}),
        ("create_resource_group", {"resource_group": "a/b", "location": "x"}),
        ("create_resource_group", {"resource_group": "ends.", "location": "westeurope"}),
        ("create_resource_group", {"resource_group": "fine", "location": "x', 'y"}),
        ("create_resource_group", {"resource_group": "fine", "location": "westeurope", "tags": {"a/b": "c"}}),
        ("tag_resources", {"resource_ids": [SITE], "tags": {"a": "1", "A": "2"}}),
        ("tag_resources", {"resource_ids": [SITE], "tags": {}}),
        ("tag_resources", {"resource_ids": [], "tags": {"a": "1"}}),
        ("tag_resources", {"resource_ids": [SITE] * 101, "tags": {"a": "1"}}),
        ("tag_resources", {"resource_ids": [f"{SITE}/config/appsettings"], "tags": {"a": "1"}}),
        ("tag_resources", {"resource_ids": [SITE], "tags": {str(number): "" for number in range(51)}}),
    ],
)
async def test_what_is_no_place_or_no_tag_is_refused_unsent(tool: str, arguments: dict[str, Any]) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        assert "incident" not in (await refused(caller, tool, **arguments)).lower()
    assert not [one for one in azure.asked if one.method != "GET"]


LOCKED: Final = (
    AzureSettings(subscription=PRODUCTION, allowed_subscriptions=frozenset({DEVELOPMENT})),
    AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({f"{DEVELOPMENT}/shop-dev"})),
)


@pytest.mark.parametrize("settings", LOCKED, ids=["subscriptions", "groups"])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_out_of_reach_nothing_is_changed_by_any_tool(scene: Scene, settings: AzureSettings) -> None:
    azure = set_up(scene)
    # Else the one subscription that may be reached is meant.
    named = {"subscription": PRODUCTION} if "resource_group" in scene.arguments else {}
    async with asking(azure, settings=settings) as caller:
        await refused(caller, scene.tool, **scene.arguments, **named)
    assert not [one for one in azure.asked if one.method in {"PUT", "PATCH", "DELETE"}]
    assert not [one for one in azure.asked if PRODUCTION in one.path]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("change_azure", {"method": "PATCH", "path": SITE, "body": {"properties": {"serverFarmId": f"{ELSEWHERE}/x"}}}),
        ("move_resources", {"resource_ids": [SITE], "target_group": "shop-dev", "target_subscription": DEVELOPMENT}),
        ("move_resources", {"resource_ids": [SITE], "target_group": "oven-prod"}),
        ("tag_resources", {"resource_ids": [SITE, f"/subscriptions/{PRODUCTION}"], "tags": {"a": "1"}}),
        ("create_resource_lock", {"name": "x", "subscription": PRODUCTION}),
        ("create_resource_group", {"resource_group": "new", "location": "westeurope"}),
    ],
)
async def test_what_is_within_reach_leads_nowhere_else(tool: str, arguments: dict[str, Any]) -> None:
    azure = FakeAzure()
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
    async with asking(azure, settings=settings) as caller:
        result = await caller.call(tool, **arguments)
    changed = [one.path for one in azure.asked if one.method in {"PUT", "PATCH", "DELETE"} or "moveRes" in one.path]
    assert [path for path in changed if not path.startswith(f"{SHOP}/")] == []
    if tool != "tag_resources":
        assert result["isError"]
        assert changed == []
