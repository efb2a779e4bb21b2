"""Checks networks: subnets, private endpoints, and DNS zones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from ipaddress import ip_network
from itertools import combinations
from typing import Final

from bicep_checker.facts import facts
from bicep_checker.findings import proposal
from bicep_checker.known import Id, Mixed, Thing, Value, said, ways
from bicep_checker.services import Problems
from bicep_checker.walking import Found, at

_NETWORK: Final = "microsoft.network/virtualnetworks"
_ENDPOINT: Final = "microsoft.network/privateendpoints"
_SMALLEST_FOR_APPS: Final = 27


def check(thing: Thing, things: Sequence[Thing]) -> Problems:
    match thing.kind.lower():
        case "microsoft.network/virtualnetworks":
            yield from _subnets(thing)
        case "microsoft.network/privateendpoints":
            yield from _parts_of_services(thing)
            yield from _delegated(thing, "properties.subnet.id", things, wanted=False)
        case "microsoft.network/privateendpoints/privatednszonegroups":
            yield from _zone_groups(thing)
        case "microsoft.network/privatednszones":
            yield from _zones(thing)
        case "microsoft.network/natgateways":
            yield from _gateway(thing, things)
        case "microsoft.web/sites":
            yield from _delegated(thing, "properties.virtualNetworkSubnetId", things, wanted=True)


def _subnets(thing: Thing) -> Problems:
    """Report subnets that overlap, are outside their network, or are too small for apps."""
    spaces = [found.value for found in at(thing, "properties.addressSpace.addressPrefixes[]")]
    subnets = list(at(thing, "properties.subnets[]"))
    for found in subnets:
        yield from _subnet(found, spaces)
    for one, other in combinations(subnets, 2):
        if any(_overlap(*pair) for pair in zip(_prefixes(one.value), _prefixes(other.value), strict=False)):
            yield other.line, "network", "the subnets overlap"


def _subnet(found: Found, spaces: Sequence[Value]) -> Problems:
    for prefix in filter(_is_network, _prefixes(found.value)):
        if len(spaces) == 1 and _is_network(spaces[0]) and not _overlap(prefix, spaces[0]):
            yield found.line, "network", f"{prefix} is not in {ip_network(spaces[0])}"
        if ip_network(prefix).prefixlen > _SMALLEST_FOR_APPS and _is_delegated(found.value):
            yield found.line, "network", f"{prefix} is too small for an app, which needs a /{_SMALLEST_FOR_APPS}"


def _gateway(thing: Thing, things: Sequence[Thing]) -> Problems:
    """Report NAT gateways whose SKU differs from the SKU of their public IP address."""
    given = {said(found.value) for found in at(thing, "properties.publicIpAddresses[].id")}
    own = {said(found.value) for found in at(thing, "sku.name")}
    for other in things:
        if said(other.id) in given and {said(found.value) for found in at(other, "sku.name")} != own:
            yield thing.line, "network", f"the SKU of a gateway and its address must match: {said(other.name)}"


def named(thing: Thing) -> Problems:
    """Report references to subnets that the network does not have."""
    if thing.kind.lower() == "microsoft.network/virtualnetworks/subnets" and thing.parent and not thing.parent.existing:
        made = {said(found.value) for found in at(thing.parent, "properties.subnets[].name")}
        if made and said(thing.name) not in made:
            yield thing.line, "network", f"the network has no subnet {said(thing.name)}"


def _prefixes(subnet: Value) -> tuple[Value, ...]:
    properties = subnet.get("properties") if isinstance(subnet, dict) else None
    return ways(properties.get("addressPrefix")) if isinstance(properties, dict) else ()


def _is_network(value: Value) -> bool:
    try:
        return isinstance(value, str) and ip_network(value) is not None
    except ValueError:
        return False


def _overlap(one: Value, other: Value) -> bool:
    if _is_network(one) and _is_network(other):
        return bool(ip_network(one).overlaps(ip_network(other)))
    return one is not None and said(one) == said(other)


def _is_delegated(subnet: Value) -> bool:
    properties = subnet.get("properties") if isinstance(subnet, dict) else None
    return isinstance(properties, dict) and bool(properties.get("delegations"))


def _delegated(thing: Thing, path: str, things: Sequence[Thing], *, wanted: bool) -> Problems:
    """Report apps in subnets without a delegation, and private endpoints in delegated subnets."""
    for found in at(thing, path):
        for subnet in _found_subnets(found.value, things):
            if _is_delegated(subnet) != wanted:
                text = (
                    "an app requires a delegated subnet"
                    if wanted
                    else "private endpoints cannot be in a delegated subnet"
                )
                yield found.line, "network", text


def _found_subnets(value: Value, things: Sequence[Thing]) -> Iterator[Value]:
    for network in things:
        if network.kind.lower() == _NETWORK and not network.existing:
            for found in at(network, "properties.subnets[]"):
                name = found.value.get("name") if isinstance(found.value, dict) else None
                if isinstance(value, Id) and said(list(value.names)) == said([network.name, name]):
                    yield found.value


def _parts_of_services(thing: Thing) -> Problems:
    for found in at(thing, "properties.privateLinkServiceConnections[].properties"):
        for group, kind in _pairs(found.value):
            known = _parts(kind)
            if isinstance(group, str) and group not in known:
                text = f"{kind or 'the service'} has no sub-resource {group!r}{proposal(group, known)}"
                yield found.line, "endpoint", text


def _pairs(connection: Value) -> Iterator[tuple[Value, str]]:
    """Yield each sub-resource of a private endpoint, with the type of the resource that has this sub-resource."""
    if not isinstance(connection, dict):
        return
    kinds = {way.kind for way in ways(connection.get("privateLinkServiceId")) if isinstance(way, Id)}
    groups = connection.get("groupIds")
    for group in groups if isinstance(groups, list) else ():
        yield from ((way, kind) for way in ways(group) for kind in (kinds if len(kinds) == 1 else {""}))


def _parts(kind: str) -> Mapping[str, str]:
    endpoints: Mapping[str, Mapping[str, str]] = facts()["endpoints"]
    of_kind = {name.lower(): parts for name, parts in endpoints.items()}.get(kind.lower())
    every = {part: zone for parts in endpoints.values() for part, zone in parts.items()}
    return every if of_kind is None else of_kind


def _zones(thing: Thing) -> Problems:
    """Report private DNS zones with a name that Azure does not use for private endpoints."""
    known = list(_parts("").values())
    for name in ways(thing.name):
        if not _is_one_of(name, known):
            text = f"Azure does not use a zone {name} for private endpoints{proposal(str(name), known)}"
            yield thing.body.lines.get("name", thing.line), "endpoint", text


def _is_one_of(name: Value, known: Collection[str]) -> bool:
    """Check whether the name of a DNS zone can be one of the known names.

    Before deployment, the end of the name may be unknown, because the end depends on the cloud.
    """
    if isinstance(name, Mixed) and isinstance(name.parts[0], str):
        return any(zone.startswith(name.parts[0]) for zone in known)
    return not isinstance(name, str) or name in known


def _zone_groups(thing: Thing) -> Problems:
    """Report private endpoints whose DNS zone does not match their sub-resource."""
    if thing.parent is None:
        return
    connections = at(thing.parent, "properties.privateLinkServiceConnections[].properties.groupIds[]")
    groups = {found.value for found in connections if isinstance(found.value, str)}
    zones = {parts[group] for parts in facts()["endpoints"].values() for group in groups & parts.keys()}
    for found in at(thing, "properties.privateDnsZoneConfigs[].properties.privateDnsZoneId"):
        name = found.value.names[-1] if isinstance(found.value, Id) and found.value.names else None
        if zones and not _is_one_of(name, zones):
            yield found.line, "endpoint", f"the zone of {', '.join(sorted(groups))} is {min(zones)}, not {name}"
