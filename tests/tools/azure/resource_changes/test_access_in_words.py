"""Who gets which role is shown by name, wherever Azure has nothing but ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.access import MONITORING_READER, OWNER_ROLE, VAULT_SECRETS_USER, Role
from tests.fakes.azure.people import DEVELOPER, NOBODY, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.tools.azure.inventing import NAME
from tests.tools.azure.resource_changes.previewed import CLOSED, deployed, shown
from tools.azure.settings import AzureSettings

OPEN: Final = AzureSettings(subscription=NAME, reads_directory=True)
ASSIGNMENT: Final = f"{SHOP}/providers/Microsoft.Authorization/roleAssignments/6f0c1c3e-0000-4000-8000-000000000001"
UNHEARD_OF: Final = "0b1ec7ed-0000-4000-8000-00000000beef"


def assignment(role: Role, principal: str, kind: str = "User") -> Mapping[str, Any]:
    own = f"/providers/Microsoft.Authorization/roleDefinitions/{role.id}"
    return {"properties": {"roleDefinitionId": own, "principalId": principal, "principalType": kind}}


def created(resource: str, after: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"resourceId": resource, "changeType": "Create", "after": {"id": resource, **after}}


def whom(principal: Principal) -> str:
    return f"{principal.title} ({principal.name})"


@pytest.mark.parametrize(
    ("role", "principal", "words"),
    [
        (OWNER_ROLE, DEVELOPER.id, f"role Owner for the user {whom(DEVELOPER)}"),
        (MONITORING_READER, DEVELOPER.id, f"role Monitoring Reader for the user {whom(DEVELOPER)}"),
        (VAULT_SECRETS_USER, NOBODY.id, f"Key Vault Secrets User for a user new to this subscription: {whom(NOBODY)}"),
        (OWNER_ROLE, UNHEARD_OF, "role Owner for a user not in the directory and new to this subscription: 0b1ec7ed-"),
    ],
)
async def test_a_template_shows_who_gets_which_role(role: Role, principal: str, words: str) -> None:
    text = await deployed(OPEN, created(ASSIGNMENT, assignment(role, principal)))
    assert "- role assignment created: " in text
    assert words in text


async def test_a_template_shows_who_loses_a_role() -> None:
    before = {"id": ASSIGNMENT, **assignment(OWNER_ROLE, DEVELOPER.id)}
    text = await deployed(OPEN, {"resourceId": ASSIGNMENT, "changeType": "Delete", "before": before})
    assert f"role assignment deleted (was role Owner for the user {whom(DEVELOPER)}" in text


async def test_without_the_directory_the_role_and_a_stranger_are_visible() -> None:
    text = await deployed(CLOSED, created(ASSIGNMENT, assignment(MONITORING_READER, NOBODY.id)))
    assert f"role Monitoring Reader for a user new to this subscription: {NOBODY.id}" in text


async def test_who_gets_it_may_be_known_only_later() -> None:
    made = assignment(OWNER_ROLE, "[reference('app').principalId]", "ServicePrincipal")
    text = await deployed(OPEN, created(ASSIGNMENT, made))
    assert "role Owner for a service principal whose id is known only after deployment" in text


async def test_a_role_is_not_hidden_among_many_others() -> None:
    others = [created(f"{SHOP}/providers/Microsoft.Compute/disks/{n}", {"sku": {"name": "x"}}) for n in range(60)]
    text = await deployed(OPEN, *others, created(ASSIGNMENT, assignment(OWNER_ROLE, NOBODY.id)))
    assert f"role Owner for a user new to this subscription: {whom(NOBODY)}" in text


async def test_an_access_policy_names_who_gets_in() -> None:
    vault = f"{SHOP}/providers/Microsoft.KeyVault/vaults/shop-vault"
    policy = {"tenantId": UNHEARD_OF, "objectId": NOBODY.id, "permissions": {"secrets": ["get", "list"], "keys": []}}
    inner = {"path": "0", "propertyChangeType": "Create", "before": None, "after": policy}
    delta = {"path": "properties.accessPolicies", "propertyChangeType": "Array", "children": [inner]}
    text = await deployed(OPEN, {"resourceId": vault, "changeType": "Modify", "delta": [delta]})
    assert f"secrets get, list for a principal new to this subscription: {whom(NOBODY)} …\n" in text


async def test_change_azure_says_whose_role_it_makes() -> None:
    preview = await shown(
        FakeAzure(), OPEN, "change_azure", method="PUT", path=ASSIGNMENT, body=assignment(OWNER_ROLE, NOBODY.id)
    )
    assert preview.sentence == (
        "Create the role assignment in the group shop-prod"
        f" (role Owner for a user new to this subscription: {whom(NOBODY)})"
    )


@pytest.mark.parametrize("tool", ["delete_azure_resource", "change_azure"])
async def test_deleting_an_assignment_says_whose_it_was(tool: str) -> None:
    azure = FakeAzure()
    standing = next(one for one in azure.access.assignments if one.principal_id == DEVELOPER.id)
    given = {"delete_azure_resource": {"resource_id": standing.id}}.get(tool, {"method": "DELETE", "path": standing.id})
    preview = await shown(azure, OPEN, tool, **given)
    assert preview.sentence.startswith("Delete the role assignment (role ")
    assert f"for the user {whom(DEVELOPER)})" in preview.sentence


async def test_what_cannot_be_looked_up_stays_an_id() -> None:
    azure = FakeAzure()
    azure.directory.is_permitted = False
    azure.places[f"/subscriptions/{PRODUCTION}/providers/Microsoft.Authorization/roleAssignments"] = troubles.answering(
        403, b'{"error":{"code":"AuthorizationFailed"}}'
    )
    preview = await shown(
        azure, OPEN, "change_azure", method="PUT", path=ASSIGNMENT, body=assignment(OWNER_ROLE, NOBODY.id)
    )
    assert f"(role Owner for the user {NOBODY.id})" in preview.sentence
