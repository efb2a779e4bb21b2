"""The invented Azure, taken for the real one by Microsoft's own clients for Python."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure.authorization import denial
from tests.fakes.azure.people import HOME, NOBODY, PARTNER, READER
from tests.fakes.azure.world import PRODUCTION
from tests.fakes_judged.judged import Judged

pytestmark = pytest.mark.anyio


async def contents(judged: Judged, what: str) -> Any:
    return await judged.by(f"contents.{what}", INVENTED_VAULT=judged.vault("shop-secrets"))


async def test_subscriptions_tenants_and_locations(judged: Judged) -> None:
    found = await judged.by("management.subscriptions")
    assert found["names"] == ["Bakery Production", "Bakery Development", "Bakery Shared"]
    assert set(found["states"]) == {"SubscriptionState.ENABLED"}
    assert found["tenants"] == [HOME, PARTNER]
    assert "westeurope" in found["locations"]


async def test_groups(judged: Judged) -> None:
    found = await judged.by("management.groups")
    assert found["names"] == ["shop-prod", "oven-prod", "network-prod"]
    assert (found["tagged"], found["there"], found["missing"]) == (["oven-prod"], True, False)


async def test_resources_in_pages_by_filter_and_by_id(judged: Judged) -> None:
    judged.azure.resources.page_size = 7
    found = await judged.by("management.resources")
    assert found["count"] == found["paged"] > found["in group"] > 7
    assert found["disks"] == ["oven-control-disk", "oven-old-disk"]
    assert found["state"] == "Running"


async def test_failures_are_told_by_status_and_code(judged: Judged) -> None:
    assert await judged.by("management.failures") == {
        "group": ["ResourceNotFoundError", 404, "ResourceGroupNotFound"],
        "resource": ["ResourceNotFoundError", 404, "ResourceNotFound"],
        "type": ["ResourceNotFoundError", 404, "InvalidResourceType"],
        "version": ["HttpResponseError", 400, "NoRegisteredProviderFound"],
    }


async def test_resources_are_moved_where_that_can_be_done(judged: Judged) -> None:
    found = await judged.by("management.moves")
    assert found["moved"] == ["shop-orders"]
    assert found["refused"][1:] == [409, "ResourceMovePolicyValidationFailed"]


async def test_work_that_takes_a_while_and_locks_against_it(judged: Judged) -> None:
    assert await judged.by("management.changes") == {
        "made": ["Succeeded", "Succeeded"],
        "tags": {"a": "b"},
        "locked": ["ResourceExistsError", 409, "ScopeLocked"],
        "left": False,
    }


async def test_an_account_is_made_by_polling_its_location(judged: Judged) -> None:
    found = await judged.by("management.storage_made")
    assert found["state"].endswith("SUCCEEDED")
    assert "bakerytrial" in found["names"]


async def test_providers_with_their_versions(judged: Judged) -> None:
    found = await judged.by("management.providers")
    assert (found["state"], found["default"]) == ("Registered", "2023-12-01")
    assert found["versions"] == sorted(found["versions"], reverse=True)
    assert found["many"] == found["of the tenant"] > 20


async def test_locks_hold_for_what_is_below(judged: Judged) -> None:
    found = await judged.by("management.locks")
    assert found["all"] == [["keep-orders", "CanNotDelete"], ["frozen-network", "ReadOnly"]]
    assert found["of a resource"] == ["keep-orders"]


async def test_deployments_and_why_one_failed(judged: Judged) -> None:
    found = await judged.by("management.deployments")
    assert found["names"] == ["shop-2026-11", "database", "shop-with-archive"]
    assert found["failure"] == ["Failed", "DeploymentFailed"]
    assert found["steps"][1] == ["Failed", "Microsoft.Resources/deployments"]
    assert found["done"] == ["Succeeded", "judged"]


async def test_an_exported_template_is_waited_for(judged: Judged) -> None:
    assert (await judged.by("management.template"))["resources"] == 29


async def test_who_may_do_what(judged: Judged) -> None:
    place = f"/subscriptions/{PRODUCTION}"
    judged.azure.access.denials.append(denial("keep the shop", place, ["Microsoft.Web/*"]))
    found = await judged.by("management.authorization")
    assert found["eligible"] == [0, ["Contributor"]]
    assert found["denied"] == [["keep the shop", ["Microsoft.Web/*"], "SystemDefined"]]
    assert found["assigned"] > found["mine"] > 0
    assert found["roles"] == [["Reader", ["*/read"]]]
    assert found["actions"][0] == ["*"]
    assert found["operations"] == ["storageAccounts", "storageAccounts/blobServices"]


async def test_resource_graph_in_pages_and_what_it_says_of_a_mistake(judged: Judged) -> None:
    found = await judged.by("management.graph")
    assert found["counted"][0] == {"type": "microsoft.web/sites", "count_": 3}
    page, total, rest = found["paged"]
    assert (page, page + rest) == (5, total)
    assert [code for code, _ in found["details"]] == ["InvalidQuery", "ParserFailure"]


async def test_vaults_and_accounts_say_where_their_data_are(judged: Judged) -> None:
    judged.azure.point_storage_to("bakeryreceipts", {"blob": "http://127.0.0.1:10000/bakeryreceipts"})
    assert (await judged.by("management.vaults"))["found"]["shop-secrets"] == judged.vault("shop-secrets")
    found = await judged.by("management.storage")
    assert (found["names"], found["public"]) == (["bakeryshop", "bakeryreceipts"], True)
    assert found["blobs"] == "http://127.0.0.1:10000/bakeryreceipts"


async def test_secrets_after_a_challenge(judged: Judged) -> None:
    found = await contents(judged, "secrets")
    assert found["names"] == ["payment-api-key", "mail-password", "old-token", "disabled-token", "orders-connection"]
    assert (found["versions"], found["newest"], found["first"]) == (2, "invented-payment-2", "invented-payment-1")
    assert (found["expires"], found["enabled"]) == (True, False)
    assert found["deleted"] == ["former-mail-password"]
    assert "Authorization" not in next(one for one in judged.azure.asked if one.path == "/secrets").headers


async def test_secrets_that_come_and_go(judged: Judged) -> None:
    found = await contents(judged, "secret_changes")
    assert found["made"] == ["judged", "value", {"a": "b"}, "text/plain"]
    assert found["switched"] is False
    assert found["busy"] == ["ResourceExistsError", 409, "Conflict"]
    assert found["recovered"] == "judged"
    assert found["purge"] == found["disabled"] == ["HttpResponseError", 403, "Forbidden"]
    assert found["missing"] == ["ResourceNotFoundError", 404, "SecretNotFound"]


async def test_keys_and_certificates(judged: Judged) -> None:
    keys = await contents(judged, "keys")
    assert keys["made"] == "judged"
    assert (keys["names"], keys["operations"]) == (["orders-signing", "receipts-wrapping"], 6)
    found = await contents(judged, "certificates")
    assert found["names"] == ["shop-site", "api-site"]
    assert (found["subject"], found["thumbprint"]) == ("CN=shop.bakery.example.com", 20)


async def test_what_a_caller_sees_goes_by_the_roles(judged: Judged) -> None:
    assert (await judged.by("management.subscriptions_seen", NOBODY)) == []
    assert (await judged.by("management.groups_seen", READER)) == ["shop-prod"]


async def test_a_template_is_planned_and_deployed(judged: Judged) -> None:
    found = await judged.by("management.plans")
    assert found["planned"] == ["ChangeType.CREATE", "ChangeType.NO_CHANGE"]
    assert found["others"] == ["ChangeType.IGNORE"]
    assert (found["wrong"], found["there"]) == ("InvalidTemplate", True)
    assert (found["valid"], found["outputs"]["name"]["value"]) == ("ProvisioningState.SUCCEEDED", "planned")


async def test_roles_are_given_for_good_and_for_a_while(judged: Judged) -> None:
    assert await judged.by("management.roles_given", INVENTED_PRINCIPAL=NOBODY.id) == {
        "made": [True, True],
        "again": ["ResourceExistsError", 409, "RoleAssignmentExists"],
        "left": 0,
        "timed": ["Provisioned", "AdminAssign"],
        "late": ["HttpResponseError", 400, "RoleAssignmentRequestPolicyValidationFailed"],
        "defined": ["Judge", "CustomRole", 404],
    }
