"""Creates, changes and deletes Cosmos DB accounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call, by_hand
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount, account_called
from clients.azure.cosmos.contents import databases
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.named import group_called, is_there
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_changes import contents, grave, recovery
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, Judge, gone, holding
from tools.azure.shared.creation import creation
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parallel_reads import gathered
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows

part = Part()

_MOST: Final = 500
_SHOWN: Final = 50

NewAccount = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{1,42}[a-z0-9]$", description="Unique across Azure")]
Location = Annotated[str, Field(pattern=r"^[A-Za-z0-9 ]{3,40}$", description="A region")]
Api = Literal["sql", "mongodb"]
Consistency = Literal["Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"]
Keys = Annotated[bool | None, Field(description="Allow account keys; required for MongoDB")]


@part.change(
    Access.WRITE,
    harmless=(*OF_ACCOUNT, "resource_group", "location", "api", "serverless", "consistency"),
    seconds=SECONDS,
)
async def create_cosmosdb_account(
    azure: Arm,
    account: NewAccount,
    resource_group: ResourceGroup,
    location: Location,
    api: Annotated[Api, Field(description="Fixed at creation")] = "sql",
    serverless: Annotated[bool, Field(description="Fixed at creation")] = False,
    consistency: Annotated[Consistency, Field(description="Default for reads")] = "Session",
    continuous_backup: Annotated[
        bool, Field(description="Continuous backup (7 days) instead of periodic backup")
    ] = True,
    keys_allowed: Keys = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create a Cosmos DB account with the NoSQL or MongoDB API."""
    place = await _new(azure, account, resource_group, subscription)
    body = _body(location, api, consistency, keys_allowed, serverless=serverless, continuous=continuous_backup)
    _refuse_existing(account, exists=await is_there(azure, ACCOUNT, place))
    return creation(
        azure,
        of_id("PUT", place, body=body, version=ACCOUNT.version),
        place,
        "Cosmos DB account",
        edits=_edits({}, body),
        undo=by_call("delete_cosmosdb_account", account=place.text),
        call=_show_call(place),
        capacity="serverless" if serverless else "provisioned throughput, billed while it exists",
    )


@part.change(
    Access.WRITE,
    interrupts=True,
    harmless=(*OF_ACCOUNT, "consistency", "automatic_failover", "keys_allowed", "public_network_access"),
    seconds=SECONDS,
)
async def update_cosmosdb_account(
    azure: Arm,
    account: AccountName,
    consistency: Annotated[Consistency | None, Field(description="Default for reads")] = None,
    automatic_failover: Annotated[bool | None, Field(description="To another region")] = None,
    keys_allowed: Keys = None,
    public_network_access: Annotated[bool | None, Field(description="Allow public access")] = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Change a Cosmos DB account: default consistency, failover, keys, network."""
    found = await account_called(azure, account, subscription)
    body = _changes(found, consistency, automatic_failover, keys_allowed, public_network_access)
    edits, before = _edits(found.record, body), dict(found.record)

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"Cosmos DB account {found.id.name}",
            sentence=f"Change the Cosmos DB account {found.id.name}",
            facts={**known.facts(found.id), "api": found.api.name},
            edits=edits,
            effects=_effects(body),
            undo=_undo(found, body),
            destroys=False,
        )

    request, answers = of_id("PATCH", found.id, body=body, version=ACCOUNT.version), {"updated": found.id.name}
    change = _change(azure, request, found.id, before, holding(body, before), shown, answers)
    return replace(change, is_no_op=not edits)


@part.change(Access.DESTROY, harmless=OF_ACCOUNT, seconds=SECONDS)
async def delete_cosmosdb_account(
    azure: Arm, account: AccountName, subscription: Subscription = None
) -> ResourceChange:
    """Delete a Cosmos DB account with its databases."""
    found = await account_called(azure, account, subscription, anew=True)

    async def shown(known: Inspected) -> Preview:
        inside, not_read = await _inside(azure, found)
        facts, notes, missing = await contents(azure, found)
        return Preview(
            what=f"Cosmos DB account {found.id.name} and everything in it",
            sentence=f"Delete the Cosmos DB account {found.id.name} with all its databases and items",
            facts={
                **known.facts(found.id),
                "api": found.api.name,
                "databases": inside[:_SHOWN],
                "number of databases": len(inside),
                **facts,
                "recovery": recovery(found),
            },
            grave=grave(found),
            undo=by_hand(f"restorable {recovery(found)}"),
            missing=[*not_read, *missing],
            notes=notes,
        )

    request = of_id("DELETE", found.id, version=ACCOUNT.version)
    return _change(azure, request, found.id, dict(found.record), gone, shown, {"deleted": found.id.name})


def _change(
    azure: Azure,
    request: AzureRequest,
    place: ResourceId,
    before: Json,
    judge: Judge,
    shows: Shows,
    answers: Mapping[str, Any],
) -> ResourceChange:
    call = _show_call(place)
    return ResourceChange(azure, request, on=place, before=before, judge=judge, call=call, shows=shows, answers=answers)


def _show_call(place: ResourceId) -> str:
    return f"show_cosmosdb_account(account={place.text!r})"


async def _inside(azure: Azure, found: CosmosAccount) -> tuple[list[str], list[str]]:
    """Return the names of an account's databases, and what could not be read. The Table API has no databases."""
    if not found.api.databases:
        return [], []
    answers, not_read = await gathered({"databases": partial(databases, azure, found, _MOST)})
    page = answers.get("databases")
    more = ["more databases"] if page and page.has_more else []
    missing = [name for one in not_read or () for name in one.get("names") or ()]
    return sorted(one.name for one in page.items) if page else [], [*missing, *more]


async def _new(azure: Azure, name: str, group: str, subscription: str | None) -> ResourceId:
    scope = await group_called(azure, group, subscription)
    return ResourceId((*scope.segments, "providers", "Microsoft.DocumentDB", "databaseAccounts", name))


def _refuse_existing(name: str, *, exists: bool) -> None:
    if exists:
        raise Refusal(f"Account {name} already exists. Use update_cosmosdb_account to change the account.")


def _body(
    location: str, api: Api, consistency: Consistency, keys_allowed: bool | None, *, serverless: bool, continuous: bool
) -> Json:
    if api == "mongodb" and keys_allowed is False:
        raise Refusal("The MongoDB API requires keys: do not set `keys_allowed` to false.")
    backup = {"type": "Continuous", "continuousModeProperties": {"tier": "Continuous7Days"}}
    properties: Json = {
        "databaseAccountOfferType": "Standard",
        "locations": [{"locationName": location, "failoverPriority": 0, "isZoneRedundant": False}],
        "consistencyPolicy": {"defaultConsistencyLevel": consistency},
        "minimalTlsVersion": "Tls12",
        "disableLocalAuth": api == "sql" and not keys_allowed,
        "backupPolicy": backup if continuous else {"type": "Periodic"},
        "capabilities": [{"name": "EnableServerless"}] if serverless else [],
    }
    if api == "mongodb":
        properties["apiProperties"] = {"serverVersion": "7.0"}
    kind = "MongoDB" if api == "mongodb" else "GlobalDocumentDB"
    return {"location": location, "kind": kind, "properties": properties}


def _changes(
    found: CosmosAccount,
    consistency: Consistency | None,
    automatic_failover: bool | None,
    keys_allowed: bool | None,
    public_network_access: bool | None,
) -> Json:
    if keys_allowed is False and found.api.name != "NoSQL":
        raise Refusal(f"The {found.api.name} API requires keys: do not set `keys_allowed` to false.")
    network = {True: "Enabled", False: "Disabled", None: None}[public_network_access]
    # The new policy keeps the current staleness limits.
    policy = {**(found.properties.get("consistencyPolicy") or {}), "defaultConsistencyLevel": consistency}
    given = {
        "consistencyPolicy": policy if consistency else None,
        "enableAutomaticFailover": automatic_failover,
        "disableLocalAuth": None if keys_allowed is None else not keys_allowed,
        "publicNetworkAccess": network,
    }
    properties = {name: one for name, one in given.items() if one is not None}
    if not properties:
        raise Refusal("Pass at least one of consistency, automatic_failover, keys_allowed or public_network_access.")
    return {"properties": properties}


_EDITED: Final = {
    "api": "kind",
    "region": "location",
    "consistency": "properties.consistencyPolicy.defaultConsistencyLevel",
    "automatic failover": "properties.enableAutomaticFailover",
    "keys disabled": "properties.disableLocalAuth",
    "network": "properties.publicNetworkAccess",
    "backup": "properties.backupPolicy.type",
}


def _edits(before: Any, after: Json) -> list[Edit]:
    edits = [Edit(name, at(before, path), at(after, path)) for name, path in _EDITED.items()]
    return [one for one in edits if one.after not in (None, one.before)]


def _effects(body: Json) -> list[str]:
    properties = body["properties"]
    return [
        *(["Apps that use keys lose access immediately"] if properties.get("disableLocalAuth") else []),
        *(
            ["Clients outside the allowed networks lose access immediately"]
            if properties.get("publicNetworkAccess") == "Disabled"
            else []
        ),
    ]


def _undo(found: CosmosAccount, body: Json) -> Undo:
    """Return the call that restores the previous settings."""
    now, changed = found.properties, body["properties"]
    level = at(now, "consistencyPolicy.defaultConsistencyLevel")
    before = {
        "consistency": level if "consistencyPolicy" in changed else None,
        "automatic_failover": bool(now.get("enableAutomaticFailover"))
        if "enableAutomaticFailover" in changed
        else None,
        "keys_allowed": not now.get("disableLocalAuth") if "disableLocalAuth" in changed else None,
        "public_network_access": now.get("publicNetworkAccess") != "Disabled"
        if "publicNetworkAccess" in changed
        else None,
    }
    return by_call("update_cosmosdb_account", account=found.id.text, **before)
