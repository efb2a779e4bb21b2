"""Making, changing and deleting accounts of Cosmos DB."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Edit, Fact, Preview
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, Account, account_called
from clients.azure.cosmos.contents import databases
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import is_there
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.apps.shared import gathered
from tools.azure.cosmos.changing import coming_back, contents, grave
from tools.azure.cosmos.shared import OF_ACCOUNT, AccountName
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS, Look, change, gone, holding, made
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.previews import look_at

part = Part()

_MOST: Final = 500
_SHOWN: Final = 50

NewAccount = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{1,42}[a-z0-9]$", description="Unique in all of Azure")]
Location = Annotated[str, Field(pattern=r"^[A-Za-z0-9 ]{3,40}$", description="A region")]
Api = Literal["sql", "mongodb"]
Consistency = Literal["Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"]
Keys = Annotated[bool | None, Field(description="Whether keys work, beside roles; MongoDB needs them")]


async def _making(
    azure: Arm,
    account: NewAccount,
    resource_group: ResourceGroup,
    location: Location,
    api: Api = "sql",
    serverless: bool = False,
    consistency: Consistency = "Session",
    continuous_backup: bool = True,
    keys_allowed: Keys = None,
    subscription: Subscription = None,
) -> Preview:
    place = await _new(azure, account, resource_group, subscription)
    body = _body(location, api, consistency, keys_allowed, serverless=serverless, continuous=continuous_backup)
    known = await look_at(azure, place)
    known.refuse_locked("change")
    _refuse_known(account, is_there=known.document(place) is not None)
    group = known.documents.get(ResourceId(place.segments[:4]).key) or {}
    facts: dict[str, Fact] = {
        "resource group": place.group,
        "its location": group.get("location"),
        "there is": "none yet",
        "whether the name is free": "not known: all of Azure shares these names",
        "capacity": "serverless" if serverless else "provisioned throughput, paid while it is there",
    }
    edits = _edits({}, body)
    more: Any = {"missing": known.missing, "destroys": False}
    return Preview(what=f"New Cosmos DB account {account}", facts=facts, edits=edits, places=known.places, **more)


@part.tool(
    Access.WRITE,
    previewed=_making,
    harmless=(*OF_ACCOUNT, "resource_group", "location", "api", "serverless", "consistency"),
    seconds=SECONDS,
)
async def create_cosmosdb_account(
    azure: Arm,
    account: NewAccount,
    resource_group: ResourceGroup,
    location: Location,
    api: Annotated[Api, Field(description="Stays as it is made")] = "sql",
    serverless: Annotated[bool, Field(description="Stays as it is made")] = False,
    consistency: Annotated[Consistency, Field(description="The default of reads")] = "Session",
    continuous_backup: Annotated[bool, Field(description="For 7 days, instead of periodic ones")] = True,
    keys_allowed: Keys = None,
    subscription: Subscription = None,
) -> Json:
    """Create a Cosmos DB account of the NoSQL or the MongoDB API."""
    place = await _new(azure, account, resource_group, subscription)
    body = _body(location, api, consistency, keys_allowed, serverless=serverless, continuous=continuous_backup)
    _refuse_known(account, is_there=await is_there(azure, ACCOUNT, place))
    done = await change(azure, of_id("PUT", place, body=body, version=ACCOUNT.version), _look(place, made))
    return done.told(created=account, id=place.text)


async def _updating(
    azure: Arm,
    account: AccountName,
    consistency: Consistency | None = None,
    automatic_failover: bool | None = None,
    keys_allowed: Keys = None,
    public_network_access: bool | None = None,
    subscription: Subscription = None,
) -> Preview:
    found = await account_called(azure, account, subscription, anew=True)
    body = _changes(found, consistency, automatic_failover, keys_allowed, public_network_access)
    known = await look_at(azure, found.id, seen=[dict(found.record)])
    known.refuse_locked("change")
    ends = {"keys of applications": "end at once"} if keys_allowed is False else {}
    return Preview(
        what=f"Cosmos DB account {found.id.name}",
        facts={**known.facts(found.id), "api": found.api.name, **ends},
        edits=_edits(found.record, body),
        places=known.places,
        missing=known.missing,
        destroys=False,
    )


@part.tool(
    Access.WRITE,
    previewed=_updating,
    harmless=(*OF_ACCOUNT, "consistency", "automatic_failover", "keys_allowed", "public_network_access"),
    seconds=SECONDS,
)
async def update_cosmosdb_account(
    azure: Arm,
    account: AccountName,
    consistency: Annotated[Consistency | None, Field(description="The default of reads")] = None,
    automatic_failover: Annotated[bool | None, Field(description="To another region")] = None,
    keys_allowed: Keys = None,
    public_network_access: Annotated[bool | None, Field(description="From outside of networks")] = None,
    subscription: Subscription = None,
) -> Json:
    """Change a Cosmos DB account: default consistency, failover, keys, network."""
    found = await account_called(azure, account, subscription, anew=True)
    body = _changes(found, consistency, automatic_failover, keys_allowed, public_network_access)
    look = _look(found.id, holding(body, dict(found.record)))
    done = await change(azure, of_id("PATCH", found.id, body=body, version=ACCOUNT.version), look)
    return done.told(updated=found.id.name)


async def _deleting(azure: Arm, account: AccountName, subscription: Subscription = None) -> Preview:
    found = await account_called(azure, account, subscription, anew=True)
    known = await look_at(azure, found.id, seen=[dict(found.record)])
    known.refuse_locked("delete")
    inside, not_read = await _inside(azure, found)
    facts, notes, missing = await contents(azure, found)
    return Preview(
        what=f"Cosmos DB account {found.id.name} with all that is in it",
        facts={
            **known.facts(found.id),
            "api": found.api.name,
            "databases": inside[:_SHOWN],
            "number of databases": len(inside),
            **facts,
            "comes back": coming_back(found),
        },
        places=known.places,
        grave=grave(found),
        missing=sorted([*known.missing, *not_read, *missing]),
        notes=notes,
    )


@part.tool(Access.DESTROY, previewed=_deleting, harmless=OF_ACCOUNT, seconds=SECONDS)
async def delete_cosmosdb_account(azure: Arm, account: AccountName, subscription: Subscription = None) -> Json:
    """Delete a Cosmos DB account with its databases."""
    found = await account_called(azure, account, subscription, anew=True)
    done = await change(azure, of_id("DELETE", found.id, version=ACCOUNT.version), _look(found.id, gone))
    return done.told(deleted=found.id.name)


async def _inside(azure: Azure, found: Account) -> tuple[list[str], list[str]]:
    """The databases; of an API without any there are none to name."""
    if not found.api.databases:
        return [], []
    told, not_read = await gathered({"databases": partial(databases, azure, found, _MOST)})
    page = told.get("databases")
    more = ["further databases"] if page and page.has_more else []
    missing = [name for one in not_read or () for name in one.get("names") or ()]
    return sorted(one.name for one in page.items) if page else [], [*missing, *more]


async def _new(azure: Azure, name: str, group: str, subscription: str | None) -> ResourceId:
    scope = ResourceId.of(f"/subscriptions/{(await azure.subscription(subscription)).id}/resourceGroups/{group}")
    return ResourceId((*scope.segments, "providers", "Microsoft.DocumentDB", "databaseAccounts", name))


def _refuse_known(name: str, *, is_there: bool) -> None:
    if is_there:
        raise Refusal(f"There is an account {name} already. update_cosmosdb_account changes it.")


def _body(
    location: str, api: Api, consistency: Consistency, keys_allowed: bool | None, *, serverless: bool, continuous: bool
) -> Json:
    if api == "mongodb" and keys_allowed is False:
        raise Refusal("The MongoDB API signs in by keys: without them nobody reaches it.")
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
    found: Account,
    consistency: Consistency | None,
    automatic_failover: bool | None,
    keys_allowed: bool | None,
    public_network_access: bool | None,
) -> Json:
    if keys_allowed is False and found.api.name != "NoSQL":
        raise Refusal(f"The {found.api.name} API signs in by keys: without them nobody reaches it.")
    network = {True: "Enabled", False: "Disabled", None: None}[public_network_access]
    # The other limits of staleness stay with the level that has them.
    policy = {**(found.properties.get("consistencyPolicy") or {}), "defaultConsistencyLevel": consistency}
    given = {
        "consistencyPolicy": policy if consistency else None,
        "enableAutomaticFailover": automatic_failover,
        "disableLocalAuth": None if keys_allowed is None else not keys_allowed,
        "publicNetworkAccess": network,
    }
    properties = {name: one for name, one in given.items() if one is not None}
    if not properties:
        raise Refusal("Say what to change: consistency, automatic_failover, keys_allowed or public_network_access.")
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
    told = [Edit(name, at(before, path), at(after, path)) for name, path in _EDITED.items()]
    return [one for one in told if one.after not in (None, one.before)]


def _look(place: ResourceId, judge: Any) -> Look:
    call = f"show_cosmosdb_account(account={place.text!r})"
    return Look(of_id("GET", place, version=ACCOUNT.version), judge, call)
