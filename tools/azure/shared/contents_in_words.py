"""Describes resources of some types by their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clients.answers import at
from clients.azure.ids import ResourceId

_RULE: Final = "microsoft.network/networksecuritygroups/securityrules"
_ANYWHERE: Final = frozenset({"*", "0.0.0.0/0", "::/0", "internet", "any"})
_MOST_NAMED: Final = 3


def deleted_in_words(resource: ResourceId, document: Mapping[str, Any]) -> str:
    """Describe a deleted security rule or disk by its content. Return an empty string for any other resource."""
    if is_rule(resource):
        return f"security rule {resource.name} of {resource.segments[-3]} ({rule_in_words(document)})"
    size = at(document, "properties.diskSizeGB")
    if size is not None:
        return f"{resource.type.rpartition('/')[2].removesuffix('s')} {resource.name} ({size} GB)"
    return ""


def is_rule(resource: ResourceId) -> bool:
    return resource.type.lower() == _RULE


def rule_in_words(rule: Mapping[str, Any]) -> str:
    """Describe a security rule: whether it allows or denies, the ports, the source and the target."""
    verb = "denies" if str(at(rule, "properties.access")).lower() == "deny" else "allows"
    ports = _several(rule, "destinationPortRange")
    all_ports = not ports or "*" in ports
    what = "all ports" if all_ports else f"port{'s' if len(ports) > 1 else ''} {_listed(ports)}"
    is_outbound = str(at(rule, "properties.direction")).lower() == "outbound"
    addresses = _several(rule, "destinationAddressPrefix" if is_outbound else "sourceAddressPrefix")
    is_any = any(one.lower() in _ANYWHERE for one in addresses)
    where = "anywhere" if is_any else _listed(addresses) or "named application groups"
    return f"{verb} {what} {'to' if is_outbound else 'from'} {where}"


def _several(rule: Mapping[str, Any], name: str) -> Sequence[str]:
    """Return the values of a rule's property, which is either a single value or a list."""
    plural = f"{name}es" if name.endswith("Prefix") else f"{name}s"
    one, more = at(rule, f"properties.{name}"), at(rule, f"properties.{plural}")
    return [str(each) for each in (*([one] if one else []), *(more or ()))]


def _listed(values: Sequence[str]) -> str:
    more = len(values) - _MOST_NAMED
    return ", ".join(values[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
