"""Who may do what on which scope: roles, what is assigned to whom, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final

from tests.fakes.azure.estate import is_within
from tests.fakes.azure.people import Principal, invented_id
from tests.fakes.azure.routes import Asked, AzureError, Json

_READ_ACCOUNTS: Final = "Microsoft.Storage/storageAccounts/blobServices"


@dataclass(frozen=True, slots=True)
class Role:
    id: str
    name: str
    description: str
    actions: tuple[str, ...] = ()
    not_actions: tuple[str, ...] = ()
    data_actions: tuple[str, ...] = ()
    kind: str = "BuiltInRole"
    not_data_actions: tuple[str, ...] = ()
    # Where one of one's own can be assigned; of others everywhere.
    scopes: tuple[str, ...] = ()

    def permits(self, action: str) -> bool:
        return _is_one_of(action, self.actions) and not _is_one_of(action, self.not_actions)

    def permits_data(self, action: str) -> bool:
        return _is_one_of(action, self.data_actions) and not _is_one_of(action, self.not_data_actions)

    @property
    def permission(self) -> Json:
        return {
            "actions": list(self.actions),
            "notActions": list(self.not_actions),
            "dataActions": list(self.data_actions),
            "notDataActions": list(self.not_data_actions),
        }


@dataclass(frozen=True, slots=True)
class Assignment:
    role: Role
    principal_id: str
    principal_kind: str
    scope: str
    created: datetime
    by: str
    condition: str | None = None
    # The name under which somebody made it.
    own_name: str = ""

    @property
    def name(self) -> str:
        return self.own_name or invented_id("assignment", self.role.id, self.principal_id, self.scope)

    @property
    def id(self) -> str:
        return f"{self.scope}/providers/Microsoft.Authorization/roleAssignments/{self.name}"


OWNER_ROLE: Final = Role(
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635", "Owner", "Manages everything, and who may do what.", ("*",)
)
CONTRIBUTOR: Final = Role(
    "b24988ac-6180-42a0-ab88-20f7382dd24c",
    "Contributor",
    "Manages everything but who may do what.",
    ("*",),
    (
        "Microsoft.Authorization/*/Delete",
        "Microsoft.Authorization/*/Write",
        "Microsoft.Authorization/elevateAccess/Action",
    ),
)
READER_ROLE: Final = Role(
    "acdd72a7-3385-48ef-bd42-f606fba81ae7", "Reader", "Sees everything, changes nothing.", ("*/read",)
)
ACCESS_ADMINISTRATOR: Final = Role(
    "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9",
    "User Access Administrator",
    "Manages who may do what.",
    ("*/read", "Microsoft.Authorization/*", "Microsoft.Support/*"),
)
WEBSITE_CONTRIBUTOR: Final = Role(
    "de139f84-1756-47ae-9be6-808fbbe84772",
    "Website Contributor",
    "Manages web sites, and not their plans.",
    ("Microsoft.Authorization/*/read", "Microsoft.Resources/*/read", "Microsoft.Web/sites/*", "Microsoft.Web/*/read"),
)
MONITORING_READER: Final = Role(
    "43d0d8ad-25c7-4714-9337-8ba259a9fe05", "Monitoring Reader", "Reads all that is monitored.", ("*/read",)
)
VAULT_ADMINISTRATOR: Final = Role(
    "00482a5a-887f-4fb3-b363-3b7fe8e74483",
    "Key Vault Administrator",
    "Does everything with what is in a vault.",
    ("Microsoft.Authorization/*/read", "Microsoft.KeyVault/vaults/*/read"),
    data_actions=("Microsoft.KeyVault/vaults/*",),
)
VAULT_READER: Final = Role(
    "21090545-7ca7-4776-b22c-e363652d74d2",
    "Key Vault Reader",
    "Reads what is said of secrets, keys and certificates, and no secret.",
    ("Microsoft.Authorization/*/read", "Microsoft.KeyVault/vaults/read"),
    data_actions=("Microsoft.KeyVault/vaults/*/read", "Microsoft.KeyVault/vaults/secrets/readMetadata/action"),
)
VAULT_SECRETS_USER: Final = Role(
    "4633458b-17de-408a-b874-0445c86b69e6",
    "Key Vault Secrets User",
    "Reads secrets.",
    data_actions=(
        "Microsoft.KeyVault/vaults/secrets/getSecret/action",
        "Microsoft.KeyVault/vaults/secrets/readMetadata/action",
    ),
)
BLOB_READER: Final = Role(
    "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
    "Storage Blob Data Reader",
    "Reads blobs.",
    (f"{_READ_ACCOUNTS}/containers/read", f"{_READ_ACCOUNTS}/generateUserDelegationKey/action"),
    data_actions=(f"{_READ_ACCOUNTS}/containers/blobs/read",),
)
BLOB_CONTRIBUTOR: Final = Role(
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
    "Storage Blob Data Contributor",
    "Reads, writes and deletes blobs.",
    (f"{_READ_ACCOUNTS}/containers/*", f"{_READ_ACCOUNTS}/generateUserDelegationKey/action"),
    data_actions=(f"{_READ_ACCOUNTS}/containers/blobs/*",),
)
DEPLOYER: Final = Role(
    invented_id("role", "Bakery Deployer"),
    "Bakery Deployer",
    "Deploys web apps and container apps, and nothing else.",
    ("*/read", "Microsoft.Web/sites/*", "Microsoft.App/containerApps/*", "Microsoft.Resources/deployments/*"),
    kind="CustomRole",
)
ROLES: Final = (
    OWNER_ROLE,
    CONTRIBUTOR,
    READER_ROLE,
    ACCESS_ADMINISTRATOR,
    WEBSITE_CONTRIBUTOR,
    MONITORING_READER,
    VAULT_ADMINISTRATOR,
    VAULT_READER,
    VAULT_SECRETS_USER,
    BLOB_READER,
    BLOB_CONTRIBUTOR,
    DEPLOYER,
)


@dataclass
class Access:
    roles: list[Role] = field(default_factory=lambda: list(ROLES))
    assignments: list[Assignment] = field(default_factory=list)
    # Roles that have to be activated before they are of use.
    eligible: list[Assignment] = field(default_factory=list)
    # What is forbidden on which scope, whatever roles say.
    denials: list[Json] = field(default_factory=list)
    # Whether the tenant has Privileged Identity Management.
    is_licensed: bool = True

    def demand_license(self) -> None:
        if not self.is_licensed:
            message = "The tenant needs to have Microsoft Entra ID P2 or Microsoft Entra ID Governance license."
            raise AzureError(400, "AadPremiumLicenseRequired", message)

    def held(self, who: Iterable[str], scope: str) -> Sequence[Role]:
        """The roles on a scope, and on what it is in."""
        ids = set(who)
        return [one.role for one in self.assignments if one.principal_id in ids and is_within(scope, one.scope)]

    def may(self, caller: Principal, action: str, scope: str) -> bool:
        return any(role.permits(action) for role in self.held(caller.identities, scope))

    def may_with_data(self, caller: Principal, action: str, scope: str) -> bool:
        return any(role.permits_data(action) for role in self.held(caller.identities, scope))

    def may_below(self, caller: Principal, action: str, scope: str) -> bool:
        """On the scope or on something in it."""
        return self.may(caller, action, scope) or any(
            one.principal_id in caller.identities and is_within(one.scope, scope) and one.role.permits(action)
            for one in self.assignments
        )

    def sees(self, caller: Principal, scope: str) -> bool:
        """Whether any role is on the scope, on what it is in, or on what is in it."""
        mine = [one for one in self.assignments if one.principal_id in caller.identities]
        return any(is_within(scope, one.scope) or is_within(one.scope, scope) for one in mine)

    def demand(self, asked: Asked, action: str, scope: str) -> None:
        if not self.may(called_by(asked), action, scope):
            raise not_authorized(asked, action, scope)

    def demand_below(self, asked: Asked, action: str, scope: str) -> None:
        if not self.may_below(called_by(asked), action, scope):
            raise not_authorized(asked, action, scope)


def called_by(asked: Asked) -> Principal:
    assert asked.caller is not None, f"{asked.path} is open to all"
    return asked.caller


def not_authorized(asked: Asked, action: str, scope: str) -> AzureError:
    caller = called_by(asked)
    message = (
        f"The client '{caller.name}' with object id '{caller.id}' does not have authorization to perform action"
        f" '{action}' over scope '{scope or '/'}' or the scope is invalid. If access was recently granted, please"
        " refresh your credentials."
    )
    return AzureError(403, "AuthorizationFailed", message)


def _is_one_of(action: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns)
