"""What every deployment keeps to, so that no secret lies open and nobody may more than they need."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from bicep_checker.expressions import Binary, Call, Expression, Member, Name, Ternary, Unary
from bicep_checker.template import Declaration
from tests.infra.deployed import Deployed, Resource, plain
from updates.showing.exports import LABELS

ACCOUNT, VAULT, SITE = "Microsoft.Storage/storageAccounts", "Microsoft.KeyVault/vaults", "Microsoft.Web/sites"
TRANSLATOR = "Microsoft.CognitiveServices/accounts"
DIAGNOSTICS, ASSIGNMENT = "Microsoft.Insights/diagnosticSettings", "Microsoft.Authorization/roleAssignments"

# kind of resource: values that it must have
VALUES: Final[dict[str, dict[str, Any]]] = {
    ACCOUNT: {
        "properties.allowSharedKeyAccess": False,
        "properties.allowBlobPublicAccess": False,
        "properties.allowCrossTenantReplication": False,
        "properties.defaultToOAuthAuthentication": True,
        "properties.minimumTlsVersion": "TLS1_2",
        "properties.supportsHttpsTrafficOnly": True,
    },
    f"{ACCOUNT}/blobServices/containers": {"properties.publicAccess": "None"},
    VAULT: {
        "properties.enableRbacAuthorization": True,
        "properties.enableSoftDelete": True,
        "properties.enablePurgeProtection": True,
    },
    "Microsoft.Insights/components": {"properties.DisableLocalAuth": True},
    "Microsoft.OperationalInsights/workspaces": {"properties.features.disableLocalAuth": True},
    SITE: {
        "identity.type": "UserAssigned",
        "properties.httpsOnly": True,
        "properties.siteConfig.minTlsVersion": "1.2",
        "properties.siteConfig.scmMinTlsVersion": "1.2",
        "properties.siteConfig.ftpsState": "Disabled",
        "properties.functionAppConfig.deployment.storage.authentication.type": "UserAssignedIdentity",
    },
    f"{SITE}/basicPublishingCredentialsPolicies": {"properties.allow": False},
    "Microsoft.Graph/applications": {"signInAudience": "AzureADMyOrg", "api.requestedAccessTokenVersion": 2},
}
# variable in roles-on-….bicep: the role of that id, in Microsoft's list of built-in roles
ROLES: Final = {
    "storageBlobDataOwner": "b7e6dc6d-f1e8-4753-8033-0f276bb0955b",
    "storageBlobDataContributor": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
    "storageQueueDataContributor": "974c5e8b-45b9-4653-ba55-5f855dd0fb88",
    "storageTableDataContributor": "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3",
    "keyVaultSecretsUser": "4633458b-17de-408a-b874-0445c86b69e6",
    "keyVaultSecretsOfficer": "b86a8fe4-44ce-4948-aee5-eccb2c155cd7",
    "monitoringMetricsPublisher": "3913510d-42f4-4e42-8a64-420c390055eb",
    "cognitiveServicesUser": "a97b65f3-24c7-4388-baec-2e87135dc908",
    "cognitiveServicesOpenAIUser": "5e0bd9bd-7b93-4f28-af87-19fc36ad61bd",
}
# What may be given on whole subscriptions and groups, which somebody names: to read, and nothing else.
READING: Final = {
    "reader": "acdd72a7-3385-48ef-bd42-f606fba81ae7",
    "monitoringReader": "43d0d8ad-25c7-4714-9337-8ba259a9fe05",
    "costManagementReader": "72fafb9e-0641-4937-9268-a91bfd8191a3",
}
# What else somebody may name: where roles are taken away that were given for a while, and none is given.
ENDING: Final = {"roleBasedAccessControlAdministrator": "f58310d9-a9f6-439a-9e8d-f62e7b41a168"}
TAKING_AWAY: Final = (
    "((!(ActionMatches{'Microsoft.Authorization/roleAssignments/write'})) OR"
    " (@Request[Microsoft.Authorization/roleAssignments:PrincipalId] ForAnyOfAnyValues:GuidEquals"
    " {00000000-0000-0000-0000-000000000000}))"
)
# variable, and who is given what by it
GIVEN: Final = {
    "onStorage": {
        ("app", "storageQueueDataContributor"),
        ("app", "storageTableDataContributor"),
        ("operator", "storageBlobDataContributor"),
        ("operator", "storageTableDataContributor"),
    },
    "onVault": {("app", "keyVaultSecretsUser"), ("operator", "keyVaultSecretsOfficer")},
}
# What single assignments give: to whom, which role, on what.
GIVEN_ALONE: Final = {
    ("identityPrincipalId", "storageBlobDataOwner", "account"),
    ("identityPrincipalId", "monitoringMetricsPublisher", "applicationInsights"),
    ("identityPrincipalId", "cognitiveServicesUser", "translator"),
    ("identityPrincipalId", "cognitiveServicesOpenAIUser", "account"),
    ("packageIdentityPrincipalId", "storageBlobDataContributor", "account::blobs::packageContainer"),
}
LOGGED: Final = {"account::blobs", "account::queues", "account::tables", "vault", "translator", "site"}
_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SECRET: Final = re.compile(r"key|secret|password|connection|token", re.IGNORECASE)
# The connection says where telemetry goes; its key opens nothing, because local authentication is off. The others
# name secrets, or the vault that holds them.
_HARMLESS: Final = {
    "applicationInsightsConnection",
    "AZURE_KEY_VAULT_ID",
    "AZURE_KEY_VAULT_NAME",
}


def breaches(deployed: Deployed) -> list[str]:
    return [told for rule in RULES for told in rule(deployed)]


def values(deployed: Deployed) -> Iterator[str]:
    for kind, wanted in VALUES.items():
        found = list(deployed.resources(kind))
        if not found:
            yield f"there is no {kind}"
        for resource in found:
            for path, value in wanted.items():
                if resource.value(path) != value:
                    yield f"{resource.file}: {resource.declared.name}.{path} is not {value}"


def sign_in(deployed: Deployed) -> Iterator[str]:
    """App Service authentication, where it is chosen, lets nobody past who has not signed in."""
    wanted = {
        "globalValidation.requireAuthentication": True,
        "globalValidation.unauthenticatedClientAction": "Return401",
        "globalValidation.excludedPaths": [
            "/health",
            *(f"/updates.{form}" for form in sorted(LABELS)),
            "/watches.atom",
            "/extension-client.json",
        ],
        "httpSettings.requireHttps": True,
        "login.tokenStore.enabled": False,
    }
    for resource in deployed.resources(f"{SITE}/config"):
        if resource.value("name") == "authsettingsV2":
            for path, value in wanted.items():
                if resource.value(f"properties.{path}") != value:
                    yield f"{resource.file}: {path} is not {value}"


def publishing(deployed: Deployed) -> Iterator[str]:
    policies = deployed.resources(f"{SITE}/basicPublishingCredentialsPolicies")
    if {policy.value("name") for policy in policies} != {"ftp", "scm"}:
        yield "app: passwords for publishing are not off for both ftp and scm"


def private_networks(deployed: Deployed) -> Iterator[str]:
    """With a network, storage and vault are closed to the rest of the world."""
    for kind in (ACCOUNT, VAULT, TRANSLATOR):
        # What takes a deleted vault back sets no rules: the usual module does, after it.
        (resource,) = (one for one in deployed.resources(kind) if one.value("properties.createMode") != "recover")
        if _switch(resource.value("properties.publicNetworkAccess")) != ("publicAccess", "Enabled", "Disabled"):
            yield f"{resource.file}: publicNetworkAccess does not follow publicAccess"
        if _switch(resource.value("properties.networkAcls.defaultAction")) != ("publicAccess", "Allow", "Deny"):
            yield f"{resource.file}: networkAcls do not follow publicAccess"
    for name in ("storage", "vault", "translator"):
        given = _parameter(deployed.templates["main"].of_kind("module")[name], "publicAccess")
        if not (isinstance(given, Unary) and given.operator == "!" and _path(given.of) == "closed"):
            yield f"main: {name} is not closed by vnetEnabled"
    closed = deployed.templates["main"].of_kind("variable")["closed"].value
    if not _is_closed_by_the_network(closed):
        yield "main: closed is not vnetEnabled, but where the app is outside"


def secrets(deployed: Deployed) -> Iterator[str]:
    """No secret is read or written by a template."""
    for file, found in deployed.expressions():
        if isinstance(found, Call) and (found.function.startswith("list") or found.function == "getSecret"):
            yield f"{file}: {found.function} reads a secret"
    if next(deployed.resources(f"{VAULT}/secrets"), None):
        yield "a secret is written by a template"


def names_of_secrets(deployed: Deployed) -> Iterator[str]:
    """Nothing that looks like a secret goes into a template or comes out of one."""
    for file, template in deployed.templates.items():
        for declared in [*template.of_kind("parameter").values(), *template.of_kind("output").values()]:
            if _SECRET.search(declared.name) and declared.name not in _HARMLESS:
                yield f"{file}: the {declared.kind} {declared.name} looks like a secret"


def outputs(deployed: Deployed) -> Iterator[str]:
    """azd keeps what main puts out in a file."""
    for declared in deployed.templates["main"].of_kind("output").values():
        parts = declared.value.everything() if declared.value else ()
        if any(isinstance(part, Member) and "onnection" in part.name for part in parts):
            yield f"main: the output {declared.name} holds a connection string"


def roles(deployed: Deployed) -> Iterator[str]:
    """Roles are those of the table, for those of the table, on single resources."""
    templates = [template for name, template in deployed.templates.items() if name.startswith("roles-on-")]
    variables = {name: found for template in templates for name, found in template.of_kind("variable").items()}
    ids = {name: plain(found.value) for name, found in variables.items() if _is_id(found)}
    if ids != ROLES:
        yield f"roles: the roles are not those agreed: {sorted(ids.items() ^ ROLES.items())}"
    for name, wanted in GIVEN.items():
        if (given := set(_given(variables[name]))) != wanted:
            yield f"roles: {name} gives {sorted(given ^ wanted)}"
    assignments = [found for found in deployed.resources(ASSIGNMENT) if not found.file.startswith("rights-on-")]
    alone = {found for resource in assignments if (found := _alone(resource))}
    if alone != GIVEN_ALONE:
        yield f"roles: single assignments give {sorted(alone ^ GIVEN_ALONE)}"
    for resource in assignments:
        if _path(resource.value("scope")) not in {"account", "vault", *(on for _, _, on in GIVEN_ALONE)}:
            yield f"{resource.file}: {resource.declared.name} is for more than one resource"
        if not resource.file.startswith("roles-on-"):
            yield f"{resource.file}: roles are given in roles-on-….bicep only"


def rights(deployed: Deployed) -> Iterator[str]:
    """On whole subscriptions and groups, the app may be let read."""
    ids = {name: plain(found.value) for name, found in deployed.templates["rights"].of_kind("variable").items()}
    agreed = {**READING, **ENDING, "onlyTakingAway": TAKING_AWAY}
    if (given := {name: value for name, value in ids.items() if isinstance(value, str)}) != agreed:
        yield f"rights: these are not the rights agreed: {sorted(given.items() ^ agreed.items())}"
    for resource in deployed.resources(ASSIGNMENT):
        if resource.file.startswith("rights-on-") and _alone(resource) != ("identityPrincipalId", "role", "None"):
            yield f"{resource.file}: {resource.declared.name} is not what rights.bicep hands on"


def the_package(deployed: Deployed) -> Iterator[str]:
    """What the app runs as does not reach the package that it runs."""
    for resource in deployed.resources(ASSIGNMENT):
        if _alone(resource) == ("identityPrincipalId", "storageBlobDataOwner", "account"):
            condition = resource.value("properties.condition")
            if "otherContainers" not in {part.name for part in _parts(condition) if isinstance(part, Name)}:
                yield f"{resource.file}: {resource.declared.name} opens the package to what the app runs as"
    site = deployed.one(SITE)
    runs_as = site.value(
        "properties.functionAppConfig.deployment.storage.authentication.userAssignedIdentityResourceId"
    )
    if _path(runs_as) != "packageIdentityId":
        yield "app: the package is not read by the identity that is for it"


def logs(deployed: Deployed) -> Iterator[str]:
    logged = {_path(resource.value("scope")) for resource in deployed.resources(DIAGNOSTICS)}
    if logged != LOGGED:
        yield f"logs are kept of {sorted(logged)}, and not of {sorted(LOGGED)}"


def tags(deployed: Deployed) -> Iterator[str]:
    """What lies in a place of its own is found by its tags; azd deletes by them."""
    for resource in deployed.resources():
        if resource.value("location") and not resource.value("tags"):
            yield f"{resource.file}: {resource.declared.name} has no tags"


RULES: Final[list[Callable[[Deployed], Iterator[str]]]] = [
    values,
    sign_in,
    publishing,
    private_networks,
    secrets,
    names_of_secrets,
    outputs,
    roles,
    rights,
    the_package,
    logs,
    tags,
]


def _switch(value: Any) -> tuple[str, Any, Any] | None:
    if isinstance(value, Ternary) and isinstance(value.condition, Name):
        return value.condition.name, plain(value.then), plain(value.otherwise)
    return None


def _is_closed_by_the_network(value: Expression | None) -> bool:
    if not (isinstance(value, Binary) and value.operator == "&&" and isinstance(value.right, Unary)):
        return False
    return (_path(value.left), value.right.operator, _path(value.right.of)) == ("vnetEnabled", "!", "appIsOutside")


def _parameter(module: Declaration, name: str) -> Expression | None:
    params = module.body.named.get("params") if module.body else None
    return params.named.get(name) if params and hasattr(params, "named") else None


def _is_id(declared: Declaration) -> bool:
    value = plain(declared.value)
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _given(variable: Declaration) -> Iterator[tuple[str, str]]:
    for found in variable.value.everything() if variable.value else ():
        named = getattr(found, "named", {})
        if {"to", "role"} <= named.keys():
            yield _path(named["to"]), _path(named["role"])


def _alone(resource: Resource) -> tuple[str, str, str] | None:
    """To whom, which role, on what; nothing for the assignments of a loop."""
    role = resource.value("properties.roleDefinitionId")
    if resource.declared.loop or not isinstance(role, Call):
        return None
    to, scope = (_path(resource.value(path)) for path in ("properties.principalId", "scope"))
    return to, _path(role.arguments[-1]), scope


def _parts(value: Any) -> Iterator[Expression]:
    return value.everything() if isinstance(value, Expression) else iter(())


def _path(value: Any) -> str:
    if isinstance(value, Member):
        return f"{_path(value.of)}{'::' if value.nested else '.'}{value.name}"
    return value.name if isinstance(value, Name) else str(value)
