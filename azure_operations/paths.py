"""Derives the URL path of an Azure resource from its type.

The path depends on the resource's scope: resource group, subscription or tenant. Azure's provider list does not contain
the scope, but the capabilities of a type imply it. If a type supports tags, regions or moves, its resources are in
resource groups. Resources of extension types can belong to any other resource. For all other types, the path cannot be
derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from azure_operations.record import ResourceType

_IN_SUBSCRIPTION: Final = "/subscriptions/{subscriptionId}"
_IN_GROUP: Final = f"{_IN_SUBSCRIPTION}/resourceGroups/{{resourceGroup}}"
_ON_ANYTHING: Final = "{resourceId}"
_EXTENSION: Final = "SupportsExtension"
_OF_A_GROUP: Final = frozenset(
    {"SupportsTags", "SupportsLocation", "CrossResourceGroupResourceMove", "CrossSubscriptionResourceMove"}
)
_RESOURCES: Final = "microsoft.resources"
_UNKNOWN_LEVEL: Final = (
    "Azure does not specify whether resources of this type are in the tenant, a subscription or a resource group. For a"
    " resource in a subscription, the path is {}"
)

Types = Mapping[str, ResourceType]


@dataclass(frozen=True, slots=True)
class TypePath:
    path: str = ""
    pathless: str = ""


def by_name(types: Iterable[ResourceType]) -> Types:
    return {one.name.lower(): one for one in types}


def place_of(name: str, types: Types) -> TypePath:
    """Return the path template for resources of this type, or the reason why it cannot be derived."""
    above, is_below, extension = name.partition("/providers/")
    if is_below:
        place = place_of(above, types)
        return TypePath(f"{place.path}{_below(extension)}") if place.path else place
    namespace, _, kind = name.partition("/")
    first = kind.partition("/")[0].lower()
    if namespace.lower() == _RESOURCES and first == "subscriptions":
        return TypePath(_IN_SUBSCRIPTION + _of_subscription(kind.split("/")[1:]))
    if first == "operations":
        return TypePath(f"/providers/{namespace}/operations")
    prefix = _prefix(f"{namespace}/{first}".lower(), types) if first not in {"", "locations"} else _IN_SUBSCRIPTION
    if prefix is None:
        return TypePath(pathless=_UNKNOWN_LEVEL.format(_IN_SUBSCRIPTION + _below(name)))
    return TypePath(prefix + _below(name))


def version_of(name: str, types: Types) -> str:
    """Return the newest API version of a type. If the type has no API version, return the version of the nearest parent
    type that has one.
    """
    wanted = name.lower()
    while "/" in wanted:
        if found := types.get(wanted):
            return found.version
        wanted = wanted.rpartition("/")[0]
    return ""


def _prefix(root: str, types: Types) -> str | None:
    """Return the part before `/providers/` in the paths of this root type. Return None if the scope is unknown."""
    capabilities = types[root].capabilities if root in types else frozenset[str]()
    if _EXTENSION in capabilities:
        return _ON_ANYTHING
    return _IN_GROUP if capabilities & _OF_A_GROUP else None


def _below(name: str) -> str:
    namespace, *words = name.split("/")
    return f"/providers/{namespace}{_named(words)}"


def _of_subscription(words: list[str]) -> str:
    """For a type that Azure Resource Manager itself provides, return its path within a subscription."""
    if not words:
        return ""
    if words[0].lower() != "resourcegroups":
        return "/" + "/".join(words)
    group = "/resourceGroups/{resourceGroup}"
    if len(words) > 1 and words[1].lower() == "deployments":
        return f"{group}/providers/Microsoft.Resources{_named(words[1:])}"
    return "/".join([group, *words[1:]])


def _named(words: list[str]) -> str:
    """Add a path parameter after each part of the type.

    The first parameter is `name`. Each later parameter is named after the part before it.
    """
    parts, used = [], {"name"}
    for place, word in enumerate(words):
        parameter = "name" if place == 0 and word.lower() != "locations" else _parameter(word, used)
        used.add(parameter)
        parts.append(f"/{word}/{{{parameter}}}")
    return "".join(parts)


def _parameter(word: str, used: set[str]) -> str:
    one = word[:1].lower() + _singular(word[1:])
    return one if one not in used else f"{one}{len(used)}"


def _singular(word: str) -> str:
    for ending, replacement in (("ies", "y"), ("sses", "ss"), ("ses", "se"), ("ss", "ss"), ("us", "us"), ("s", "")):
        if word.endswith(ending):
            return word.removesuffix(ending) + replacement
    return word
