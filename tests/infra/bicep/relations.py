"""Values that must fit each other, or a list of Azure's: ids, roles, logs, private endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.infra.bicep.findings import proposal
from tests.infra.bicep.known import Asked, Id, Mixed, Thing, Unknown, Value, said, ways
from tests.infra.bicep.services import Told
from tests.infra.bicep.walking import Found, at, values

_FACTS: Final = Path(__file__).parent / "facts.yaml"
_GUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ASSIGNMENT: Final = "microsoft.authorization/roleassignments"
# What the last word of a name says that it is; the first that fits.
_SORTS: Final = (
    ("client id", re.compile(r"client_?id$|appid$", re.IGNORECASE)),
    ("principal id", re.compile(r"(principal|object)_?id$", re.IGNORECASE)),
    ("tenant id", re.compile(r"tenant_?id$", re.IGNORECASE)),
    ("name", re.compile(r"[a-z]name$|^name$", re.IGNORECASE)),
    ("address", re.compile(r"(uri|url|endpoint|hostname)$", re.IGNORECASE)),
)
_TAKE_A_PRINCIPAL: Final = re.compile(r"(^|\.)(principalId|subject)$")
_TAKE_A_CLIENT: Final = re.compile(r"(^|[._])(AZURE_CLIENT_ID|clientId|AzureWebJobsStorage__clientId)$")


@cache
def facts() -> Mapping[str, Any]:
    content: Mapping[str, Any] = yaml.load(_FACTS.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return content


def check(thing: Thing) -> Told:
    if not thing.existing:
        for rule in (_ids, _assignments, _cosmos_roles, _logs, _endpoints, _zone_groups, _zones, _alerts, _throughput):
            yield from rule(thing)


def _ids(thing: Thing) -> Told:
    """A property that takes an id is given the id of what it is about."""
    for path, found in values(thing):
        wanted = _wanted(path)
        if isinstance(found.value, Id) and wanted and found.value.kind.lower() != wanted.lower():
            yield (
                found.line,
                "id",
                f"{thing.kind}.{path} takes the id of a {wanted}, and is that of a {found.value.kind}",
            )
        sort = _sort(found.value)
        if wanted is not None and sort not in {"", "id"}:
            yield found.line, "id", f"{thing.kind}.{path} takes the id of a resource, and is given a {sort}"
        for pattern, name in ((_TAKE_A_PRINCIPAL, "principal id"), (_TAKE_A_CLIENT, "client id")):
            if pattern.search(path) and sort not in {"", name}:
                yield found.line, "id", f"{thing.kind}.{path} takes a {name}, and is given a {sort}"


def _wanted(path: str) -> str | None:
    """The kind of resource whose id a property takes: any where that is empty."""
    ids: Mapping[str, str] = facts()["ids"]
    for length in (2, 1):
        last = ".".join(path.split(".")[-length:])
        if last in ids and path.startswith("properties."):
            return ids[last]
    return None


def _sort(value: Value) -> str:
    """What a value is, as far as its own name says."""
    if isinstance(value, Id):
        return "id"
    if isinstance(value, Asked):
        name = value.property
    elif isinstance(value, Unknown) and re.fullmatch(r"[\w/\[\]-]*\.\w+", value.name):
        name = value.name.rpartition(".")[2]
    else:
        return ""
    sort = next((sort for sort, pattern in _SORTS if pattern.search(name)), "")
    return sort or ("id" if name.lower().endswith("id") else "")


def _assignments(thing: Thing) -> Told:
    if thing.kind.lower() != _ASSIGNMENT:
        return
    for found in at(thing, "properties.roleDefinitionId"):
        yield from _role(found)
    for name in ways(thing.name):
        if isinstance(name, str) and not _GUID.fullmatch(name):
            yield thing.line, "role", f"the name of a role assignment is a GUID, and not {name!r}"
    made_of = said(thing.name)
    for path in ("properties.principalId", "properties.roleDefinitionId"):
        for found in at(thing, path):
            value = found.value.names[-1] if isinstance(found.value, Id) and found.value.names else found.value
            if "guid(" in made_of and not any(said(way) in made_of for way in ways(value)):
                yield thing.line, "role", f"the name of a role assignment is made of its {path.partition('.')[2]}, too"


def _role(found: Found) -> Told:
    if not isinstance(found.value, Id):
        yield found.line, "role", "the id of a role is made by subscriptionResourceId() or tenantResourceId()"
        return
    if found.value.kind.lower() != "microsoft.authorization/roledefinitions":
        yield found.line, "role", f"a role is a Microsoft.Authorization/roleDefinitions, and no {found.value.kind}"
    name = found.value.names[-1] if found.value.names else None
    if isinstance(name, str) and name not in facts()["roles"].values():
        hint = proposal(name, facts()["roles"].values())
        yield found.line, "role", f"{name!r} is none of the built-in roles that are known here{hint}"


def _cosmos_roles(thing: Thing) -> Told:
    if thing.kind.lower() == "microsoft.documentdb/databaseaccounts/sqlroleassignments":
        for found in at(thing, "properties.roleDefinitionId"):
            if "/sqlRoleDefinitions/" not in str(found.value) and "sqlroledefinitions" not in str(found.value).lower():
                yield found.line, "role", "data in Cosmos DB takes a role of the account, under its sqlRoleDefinitions"


def _logs(thing: Thing) -> Told:
    if thing.kind.lower() != "microsoft.insights/diagnosticsettings":
        return
    kinds = {kind.lower(): categories for kind, categories in facts()["logs"].items()}
    for scope in ways(thing.scope):
        if not isinstance(scope, Thing) or scope.kind.lower() not in kinds:
            continue
        known = kinds[scope.kind.lower()]
        for path in ("properties.logs[].category", "properties.logs[].categoryGroup"):
            for found in at(thing, path):
                if isinstance(found.value, str) and found.value not in known:
                    text = f"a {scope.kind} has no logs of {found.value!r}{proposal(found.value, known)}"
                    yield found.line, "log", text


def _endpoints(thing: Thing) -> Told:
    if thing.kind.lower() != "microsoft.network/privateendpoints":
        return
    for found in at(thing, "properties.privateLinkServiceConnections[].properties"):
        for group, kind in _pairs(found.value):
            parts = _parts(kind)
            if isinstance(group, str) and group not in parts:
                yield (
                    found.line,
                    "endpoint",
                    f"there is no part {group!r} of a {kind or 'service'}{proposal(group, parts)}",
                )


def _pairs(connection: Value) -> Iterator[tuple[Value, str]]:
    """Each part that an endpoint leads to, with the kind of resource that it is of."""
    targets = [way for way in ways(connection.get("privateLinkServiceId")) if isinstance(way, Id)]
    groups = connection.get("groupIds")
    for group in groups if isinstance(groups, list) else []:
        kinds = {target.kind for target in targets if len(targets) == 1}
        yield from ((way, kind) for way in ways(group) for kind in kinds or {""})


def _parts(kind: str) -> Mapping[str, str]:
    endpoints: Mapping[str, Mapping[str, str]] = facts()["endpoints"]
    of_kind = next((parts for name, parts in endpoints.items() if name.lower() == kind.lower()), None)
    return (
        of_kind if of_kind is not None else {part: zone for parts in endpoints.values() for part, zone in parts.items()}
    )


def _zones(thing: Thing) -> Told:
    """Names of zones are those that Azure looks for."""
    if thing.kind.lower() == "microsoft.network/privatednszones":
        begins = list(_parts("").values())
        for name in ways(thing.name):
            first = name.parts[0] if isinstance(name, Mixed) else name
            if isinstance(first, str) and first.startswith("privatelink") and not first.startswith(tuple(begins)):
                yield thing.line, "endpoint", f"no private endpoint is found in a zone {name}{proposal(first, begins)}"


def _zone_groups(thing: Thing) -> Told:
    """The zone of an endpoint is the one for the part that it leads to."""
    if thing.kind.lower() != "microsoft.network/privateendpoints/privatednszonegroups" or thing.parent is None:
        return
    connections = at(thing.parent, "properties.privateLinkServiceConnections[].properties.groupIds[]")
    groups = {found.value for found in connections if isinstance(found.value, str)}
    for found in at(thing, "properties.privateDnsZoneConfigs[].properties.privateDnsZoneId"):
        name = found.value.names[-1] if isinstance(found.value, Id) and found.value.names else None
        first = name.parts[0] if isinstance(name, Mixed) else name
        begins = tuple(begin for group, begin in _parts("").items() if group in groups)
        if isinstance(first, str) and begins and len(groups) == 1 and not first.startswith(begins):
            yield (
                found.line,
                "endpoint",
                f"the zone of {next(iter(groups))} begins with {begins[0]}, and not with {first}",
            )


def _alerts(thing: Thing) -> Told:
    """An alert looks back at least as far as it waits, and does not ask for more failures than it looks at."""
    if thing.kind.lower() != "microsoft.insights/scheduledqueryrules":
        return
    every, over = (
        _minutes(next(iter(at(thing, f"properties.{name}")), None)) for name in ("evaluationFrequency", "windowSize")
    )
    if every and over and over < every:
        yield (
            thing.line,
            "service",
            "an alert must look back at least as far as it waits: windowSize, evaluationFrequency",
        )


def _minutes(found: Found | None) -> int:
    text = found.value if found and isinstance(found.value, str) else ""
    read = re.fullmatch(r"P(?:T(\d+)([MH])|(\d+)D)", text)
    if read is None:
        return 0
    return int(read[3]) * 1440 if read[3] else int(read[1]) * {"M": 1, "H": 60}[read[2]]


def _throughput(thing: Thing) -> Told:
    """A serverless account of Cosmos DB reserves nothing."""
    account = thing.parent
    while account and account.parent:
        account = account.parent
    serverless = account and any(
        found.value == "EnableServerless" for found in at(account, "properties.capabilities[].name")
    )
    for path in ("properties.options.throughput", "properties.options.autoscaleSettings"):
        for found in at(thing, path) if serverless else ():
            if found.given:
                yield found.line, "service", f"{thing.kind}.{path}: a serverless account takes none"
