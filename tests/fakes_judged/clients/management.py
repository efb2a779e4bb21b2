"""Microsoft's clients of Resource Manager, of Resource Graph, and of vaults and accounts as resources."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from azure.core.exceptions import HttpResponseError
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.authorization.models import (
    RoleAssignmentScheduleRequest,
    RoleAssignmentScheduleRequestPropertiesScheduleInfo,
    RoleAssignmentScheduleRequestPropertiesScheduleInfoExpiration,
)
from azure.mgmt.keyvault import KeyVaultManagementClient
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.locks import ManagementLockClient
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.resource.subscriptions import SubscriptionClient
from azure.mgmt.resourcegraph import ResourceGraphClient
from azure.mgmt.storage import StorageManagementClient

from tests.fakes_judged.clients.signed_in import ELSEWHERE, Credential

Json = Any
CREDENTIAL: Final = Credential()


def _subscriptions() -> SubscriptionClient:
    return SubscriptionClient(CREDENTIAL, **ELSEWHERE)


def production() -> str:
    found = _subscriptions().subscriptions.list()
    return next(one.subscription_id for one in found if one.display_name == "Bakery Production")


def _resources() -> ResourceManagementClient:
    return ResourceManagementClient(CREDENTIAL, production(), polling_interval=0, **ELSEWHERE)


def subscriptions() -> Json:
    client = _subscriptions()
    found = list(client.subscriptions.list())
    locations = client.subscriptions.list_locations(found[0].subscription_id)
    return {
        "names": [one.display_name for one in found],
        "states": [str(one.state) for one in found],
        "tenants": [one.tenant_id for one in client.tenants.list()],
        "locations": [one.name for one in locations],
    }


def subscriptions_seen() -> Json:
    return [one.display_name for one in _subscriptions().subscriptions.list()]


def groups_seen() -> Json:
    return [one.name for one in _resources().resource_groups.list()]


def groups() -> Json:
    client = _resources()
    tagged = client.resource_groups.list(filter="tagName eq 'team' and tagValue eq 'oven'")
    return {
        "names": [one.name for one in client.resource_groups.list()],
        "tagged": [one.name for one in tagged],
        "there": client.resource_groups.check_existence("shop-prod"),
        "missing": client.resource_groups.check_existence("none"),
    }


def resources() -> Json:
    client = _resources()
    every = list(client.resources.list(expand="createdTime,changedTime,provisioningState"))
    few = client.resources.list(top=2)
    disks = client.resources.list(filter="resourceType eq 'Microsoft.Compute/disks'")
    site = next(one for one in every if one.name == "shop-web")
    whole = client.resources.get_by_id(site.id, api_version="2024-11-01")
    return {
        "count": len(every),
        "paged": len(list(few)),
        "created": every[0].created_time.isoformat(),
        "disks": [one.name for one in disks],
        "state": whole.properties["state"],
        "in group": len(list(client.resources.list_by_resource_group("shop-prod"))),
    }


def failures() -> Json:
    client = _resources()

    def site(kind: str, name: str, version: str) -> Any:
        return client.resources.get("shop-prod", "Microsoft.Web", "", kind, name, api_version=version)

    asked = {
        "group": lambda: client.resource_groups.get("none"),
        "resource": lambda: site("sites", "none", "2024-11-01"),
        "type": lambda: site("oddities", "none", "2024-11-01"),
        "version": lambda: site("sites", "shop-web", "2000-01-01"),
    }
    return {name: _failure(ask) for name, ask in asked.items()}


def _failure(ask: Any) -> list[Any]:
    try:
        ask()
    except HttpResponseError as error:
        return [type(error).__name__, error.status_code, error.error.code if error.error else None]
    return []


def changes() -> Json:
    """Make, tag, lock and remove things, each of which takes a while in a way of its own."""
    client = _resources()
    client.resource_groups.create_or_update("trial", {"location": "westeurope"})
    made = []
    for kind in ("Microsoft.DocumentDB/databaseAccounts", "Microsoft.App/managedEnvironments"):
        namespace, name = kind.split("/")
        version = {"databaseAccounts": "2024-11-15", "managedEnvironments": "2024-03-01"}[name]
        body = {"location": "westeurope", "properties": {}}
        poller = client.resources.begin_create_or_update("trial", namespace, "", name, "one", body, api_version=version)
        made.append(poller.result().properties["provisioningState"])
    group = f"/subscriptions/{production()}/resourceGroups/trial"
    tags = client.tags.begin_update_at_scope(group, {"operation": "Merge", "properties": {"tags": {"a": "b"}}})
    locks = ManagementLockClient(CREDENTIAL, production(), **ELSEWHERE).management_locks
    locks.create_or_update_at_resource_group_level("trial", "keep", {"level": "CanNotDelete"})
    locked = _failure(lambda: client.resource_groups.begin_delete("trial"))
    locks.delete_at_resource_group_level("trial", "keep")
    client.resource_groups.begin_delete("trial").result()
    left = client.resource_groups.check_existence("trial")
    return {"made": made, "tags": tags.result().properties.tags, "locked": locked, "left": left}


def moves() -> Json:
    """Ask whether resources can be moved, and move some."""
    client = _resources()
    groups = f"/subscriptions/{production()}/resourceGroups"
    client.resource_groups.create_or_update("trial", {"location": "westeurope"})
    site = f"{groups}/shop-prod/providers/Microsoft.Web/sites/shop-orders"
    cluster = f"{groups}/oven-prod/providers/Microsoft.ContainerService/managedClusters/oven-aks"
    fine, wrong = ({"resources": [one], "targetResourceGroup": f"{groups}/trial"} for one in (site, cluster))
    client.resources.begin_validate_move_resources("shop-prod", fine).result()
    refused = _failure(lambda: client.resources.begin_validate_move_resources("oven-prod", wrong).result())
    client.resources.begin_move_resources("shop-prod", fine).result()
    moved = [one.name for one in client.resources.list_by_resource_group("trial")]
    return {"refused": refused, "moved": moved}


def storage_made() -> Json:
    client = StorageManagementClient(CREDENTIAL, production(), polling_interval=0, **ELSEWHERE)
    wanted = {"location": "westeurope", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}}
    made = client.storage_accounts.begin_create("shop-prod", "bakerytrial", wanted).result()
    names = [one.name for one in client.storage_accounts.list()]
    client.storage_accounts.delete("shop-prod", "bakerytrial")
    return {"state": str(made.provisioning_state), "names": names}


def providers() -> Json:
    client = _resources()
    web = client.providers.get("Microsoft.Web")
    sites = next(one for one in web.resource_types if one.resource_type == "sites")
    return {
        "state": web.registration_state,
        "versions": sites.api_versions,
        "default": sites.default_api_version,
        "many": len(list(client.providers.list())),
        "of the tenant": len(list(client.providers.list_at_tenant_scope())),
    }


def locks() -> Json:
    client = ManagementLockClient(CREDENTIAL, production(), **ELSEWHERE).management_locks
    return {
        "all": [[one.name, str(one.level)] for one in client.list_at_subscription_level()],
        "of a resource": [
            one.name
            for one in client.list_at_resource_level(
                "shop-prod", "Microsoft.Sql", "", "servers/shop-sql/databases", "orders"
            )
        ],
    }


def deployments() -> Json:
    client = DeploymentsMgmtClient(CREDENTIAL, production(), polling_interval=0, **ELSEWHERE)
    found = list(client.deployments.list_by_resource_group("shop-prod"))
    failed = client.deployments.get("shop-prod", "shop-with-archive")
    steps = client.deployment_operations.list("shop-prod", "shop-with-archive")
    template = {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [
            {
                "type": "Microsoft.ManagedIdentity/userAssignedIdentities",
                "apiVersion": "2023-01-31",
                "name": "judged",
                "location": "westeurope",
            }
        ],
    }
    wanted = {"properties": {"mode": "Incremental", "template": template}}
    done = client.deployments.begin_create_or_update("shop-prod", "judged", wanted).result()
    return {
        "names": [one.name for one in found],
        "failure": [failed.properties.provisioning_state, failed.properties.error.code],
        "steps": [
            [step.properties.provisioning_state, step.properties.target_resource.resource_type] for step in steps
        ],
        "done": [done.properties.provisioning_state, done.properties.output_resources[0].id.rpartition("/")[2]],
    }


def plans() -> Json:
    """Find out what a template would do, deploy it, and look at one that is refused."""
    client = DeploymentsMgmtClient(CREDENTIAL, production(), polling_interval=0, **ELSEWHERE).deployments
    resource = {
        "type": "Microsoft.ManagedIdentity/userAssignedIdentities",
        "apiVersion": "2023-01-31",
        "name": "[parameters('name')]",
        "location": "westeurope",
    }
    template = {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "parameters": {"name": {"type": "string"}},
        "resources": [resource],
        "outputs": {"name": {"type": "string", "value": "[parameters('name')]"}},
    }
    given = {"mode": "Incremental", "template": template}
    wanted = {"properties": {**given, "parameters": {"name": {"value": "planned"}}}}
    place = ("shop-prod", "plan")
    planned = client.begin_what_if(*place, wanted).result()
    valid = client.begin_validate(*place, wanted).result()
    wrong = client.begin_what_if(*place, {"properties": given}).result()
    done = client.begin_create_or_update(*place, wanted).result()
    after = client.begin_what_if(*place, wanted).result()
    found = [
        {one.resource_id.rpartition("/")[2]: str(one.change_type) for one in how.changes} for how in (planned, after)
    ]
    return {
        "planned": [one["planned"] for one in found],
        "others": sorted(set(found[0].values()) - {found[0]["planned"]}),
        "valid": str(valid.properties.provisioning_state),
        "wrong": wrong.error.code if wrong.error else None,
        "outputs": done.properties.outputs,
        "there": client.check_existence(*place),
    }


def template() -> Json:
    exported = _resources().resource_groups.begin_export_template("shop-prod", {"resources": ["*"]}).result()
    return {"resources": len(exported.template["resources"])}


def authorization() -> Json:
    client = AuthorizationManagementClient(CREDENTIAL, production(), **ELSEWHERE)
    scope = f"/subscriptions/{production()}"
    assigned = list(client.role_assignments.list_for_subscription())
    mine = client.role_assignments.list_for_scope(scope, filter=f"assignedTo('{assigned[0].principal_id}')")
    roles = client.role_definitions.list(scope, filter="roleName eq 'Reader'")
    permissions = client.permissions.list_for_resource_group("shop-prod")
    operations = client.provider_operations_metadata.get("Microsoft.Storage")
    eligible = client.role_eligibility_schedule_instances.list_for_scope(scope, filter="atScope()")
    below = client.role_eligibility_schedule_instances.list_for_scope(scope)
    denials = client.deny_assignments.list_for_scope(scope, filter="atScope()")
    return {
        "eligible": [len(list(eligible)), [one.expanded_properties.role_definition.display_name for one in below]],
        "denied": [[one.deny_assignment_name, one.permissions[0].actions, one.principals[0].type] for one in denials],
        "assigned": len(assigned),
        "mine": len(list(mine)),
        "roles": [[one.role_name, one.permissions[0].actions] for one in roles],
        "actions": [one.actions for one in permissions],
        "operations": [one.name for one in operations.resource_types][:2],
    }


def roles_given() -> Json:
    """Give a role for good and for a while, and take it away; make a role, and delete it."""
    client = AuthorizationManagementClient(CREDENTIAL, production(), **ELSEWHERE)
    scope = f"/subscriptions/{production()}/resourceGroups/shop-prod"
    reader, owner = (
        next(client.role_definitions.list(scope, filter=f"roleName eq '{one}'")) for one in ("Reader", "Owner")
    )
    who = {"principal_id": os.environ["INVENTED_PRINCIPAL"], "principal_type": "User"}
    wanted = {**who, "role_definition_id": reader.id}
    name, other = str(uuid4()), str(uuid4())
    made = client.role_assignments.create(scope, name, wanted)
    again = _failure(lambda: client.role_assignments.create(scope, other, wanted))
    client.role_assignments.delete(scope, name)
    left = list(client.role_assignments.list_for_scope(scope, filter=f"principalId eq '{made.principal_id}'"))
    timed = client.role_assignment_schedule_requests.create(scope, other, _for_a_while(wanted, 30))
    late = _failure(
        lambda: client.role_assignment_schedule_requests.create(
            scope, str(uuid4()), _for_a_while({**wanted, "role_definition_id": owner.id}, 3000)
        )
    )
    return {
        "made": [made.scope == scope, made.principal_id == who["principal_id"]],
        "again": again,
        "left": len(left),
        "timed": [timed.status, client.role_assignment_schedule_requests.get(scope, other).request_type],
        "late": late,
        "defined": _role_defined(client, scope),
    }


def _for_a_while(wanted: Json, days: int) -> Any:
    until = datetime.now(UTC) + timedelta(days=days)
    expiration = RoleAssignmentScheduleRequestPropertiesScheduleInfoExpiration(
        type="AfterDateTime", end_date_time=until
    )
    start = datetime.now(UTC)
    schedule = RoleAssignmentScheduleRequestPropertiesScheduleInfo(start_date_time=start, expiration=expiration)
    given = {name: wanted[name] for name in ("principal_id", "role_definition_id")}
    return RoleAssignmentScheduleRequest(
        **given, request_type="AdminAssign", justification="Judged.", schedule_info=schedule
    )


def _role_defined(client: AuthorizationManagementClient, scope: str) -> list[Any]:
    permissions = [{"actions": ["Microsoft.Web/sites/restart/action"]}]
    role = {"role_name": "Judge", "role_type": "CustomRole", "permissions": permissions, "assignable_scopes": [scope]}
    name = str(uuid4())
    made = client.role_definitions.create_or_update(scope, name, role)
    client.role_definitions.delete(scope, name)
    return [made.role_name, made.role_type, _failure(lambda: client.role_definitions.get(scope, name))[1]]


def graph() -> Json:
    client = ResourceGraphClient(
        CREDENTIAL, base_url=ELSEWHERE["base_url"], credential_scopes=ELSEWHERE["credential_scopes"]
    )
    counted = client.resources({"query": "resources | summarize count() by type | top 2 by count_"})
    paged = client.resources({"query": "resources | project id, name", "options": {"$top": 5}})
    after = client.resources({"query": "resources | project id, name", "options": {"$skipToken": paged.skip_token}})
    try:
        client.resources({"query": "resources | wher name == 'x'"})
    except HttpResponseError as error:
        details = [[one.code, one.message] for one in error.error.details] if error.error else []
    return {
        "counted": counted.data,
        "truncated": str(counted.result_truncated),
        "paged": [paged.count, paged.total_records, after.count],
        "details": details,
    }


def vaults() -> Json:
    client = KeyVaultManagementClient(CREDENTIAL, production(), **ELSEWHERE)
    found = {one.name: one.properties.vault_uri for one in client.vaults.list_by_subscription()}
    return {
        "found": found,
        "days": client.vaults.get("shop-prod", "shop-secrets").properties.soft_delete_retention_in_days,
    }


def storage() -> Json:
    client = StorageManagementClient(CREDENTIAL, production(), **ELSEWHERE)
    found = list(client.storage_accounts.list())
    one = client.storage_accounts.get_properties("shop-prod", "bakeryreceipts")
    return {
        "names": [account.name for account in found],
        "blobs": one.primary_endpoints.blob,
        "public": one.allow_blob_public_access,
        "tls": str(one.minimum_tls_version),
    }
