"""Azure resources from Resource Graph, and their references to other resources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from clients.azure.client import Azure
from clients.azure.graph import GraphRows, ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.folding import folded
from incidents.events import mapping
from refusal import Refusal

_COLUMNS: Final = "project id, name, type, kind, location, tags, identity, properties"
_ID: Final = re.compile(r"/subscriptions/[0-9a-f-]{36}/resourceGroups/[^/\"\\\s]+/providers/[^\"\\\s?]+", re.IGNORECASE)
_GROUP_SEGMENTS: Final = 4
_HOSTS: Final = ("defaultHostName", "fullyQualifiedDomainName", "hostName", "fqdn")
_MOST_HOSTS: Final = 4
_MOST_REFERENCES: Final = 60


@dataclass(frozen=True, slots=True)
class IncidentResource:
    id: ResourceId
    type: str
    kind: str = ""
    location: str = ""
    tags: Mapping[str, Any] = field(default_factory=dict)
    identity: Mapping[str, Any] = field(default_factory=dict)
    properties: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self | None:
        """Parse a row of Resource Graph. Return None if the resource id in the row is invalid."""
        try:
            place = ResourceId.of(str(row.get("id")))
        except Refusal:
            return None
        kind, location = (str(row.get(name) or "") for name in ("kind", "location"))
        tags, identity, properties = (mapping(row.get(name)) for name in ("tags", "identity", "properties"))
        return cls(place, str(row.get("type") or place.type), kind, location, tags, identity, properties)

    @classmethod
    def unread(cls, place: ResourceId) -> Self:
        """Create a resource from its ID alone."""
        return cls(place, place.type)

    @property
    def is_group(self) -> bool:
        return len(self.id.segments) == _GROUP_SEGMENTS

    @property
    def group(self) -> str:
        """The normalized id of the resource group."""
        return folded("/" + "/".join(self.id.segments[:_GROUP_SEGMENTS]))

    @property
    def is_of(self) -> str:
        return self.type.lower()

    @property
    def principals(self) -> frozenset[str]:
        """The principal ids of the resource's managed identities."""
        given = mapping(self.identity.get("userAssignedIdentities")).values()
        found = [self.identity, *map(mapping, given), self.properties]
        return frozenset(str(one["principalId"]).lower() for one in found if one.get("principalId"))

    @property
    def references(self) -> list[str]:
        """The IDs of other resources that occur in the settings of this resource."""
        text = json.dumps([dict(self.properties), dict(self.identity)], ensure_ascii=False)
        found = {folded(one): one for one in _ID.findall(text)}
        return [one for key, one in found.items() if not key.startswith(self.id.key)][:_MOST_REFERENCES]

    @property
    def hosts(self) -> list[str]:
        """The host names of the resource."""
        listed = self.properties.get("hostNames")
        ingress = mapping(mapping(self.properties.get("configuration")).get("ingress"))
        found = [self.properties.get(name) for name in _HOSTS] + [ingress.get("fqdn")]
        names = [*found, *(listed if isinstance(listed, list) else [])]
        own = [name for name in names if isinstance(name, str) and "." in name and name.isprintable()]
        return list(dict.fromkeys(own))[:_MOST_HOSTS]

    @property
    def images(self) -> list[str]:
        """The container images that the resource runs."""
        fx = str(mapping(self.properties.get("siteConfig")).get("linuxFxVersion") or "")
        containers = mapping(self.properties.get("template")).get("containers")
        named = [str(mapping(one).get("image") or "") for one in containers] if isinstance(containers, list) else []
        return [*filter(None, named), *([fx.partition("|")[2]] if fx.upper().startswith("DOCKER|") else [])]


async def resources_where(
    azure: Azure, subscriptions: Sequence[str], test: str, limit: int, *, table: str = "resources"
) -> list[IncidentResource]:
    """Return the resources that match a query condition."""
    steps = (f"where {test}", _COLUMNS, "order by id asc")
    rows: GraphRows = await rows_of(azure.send, ready_made(subscriptions, table, *steps), limit)
    return list(filter(None, map(IncidentResource.of, rows.items)))


def among(column: str, values: Sequence[str]) -> str:
    """Build a case-insensitive query condition: the column has one of these values."""
    return f"{column} in~ ({', '.join(map(text_of, values))})"


def places_above(target: str) -> Iterator[str]:
    """Yield the normalized resource id and the ids of its parents, innermost first."""
    key = folded(target).rstrip("/")
    while key:
        yield key
        key = key.rpartition("/")[0]
