"""Finds contents that are not in resource lists, for example containers in accounts, databases on servers, and queues
in namespaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from changes.preview import Fact, Place
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.resource_scopes import type_and_name
from clients.side_by_side import side_by_side
from tools.azure.resource_changes.contents import first_of
from tools.azure.shared.change_places import with_names
from tools.azure.shared.contained import resource_of

# The lists to read for each resource type, and what each list contains.
_LISTS: Final[Mapping[str, Mapping[str, str]]] = {
    "microsoft.cognitiveservices/accounts": {"/deployments": "model deployment"},
    "microsoft.dbformysql/flexibleservers": {"/databases": "database"},
    "microsoft.dbforpostgresql/flexibleservers": {"/databases": "database"},
    "microsoft.documentdb/databaseaccounts": {"/sqlDatabases": "database"},
    "microsoft.eventhub/namespaces": {"/eventhubs": "event hub"},
    "microsoft.network/dnszones": {"/recordsets": "record"},
    "microsoft.network/privatednszones": {"/ALL": "record"},
    "microsoft.servicebus/namespaces": {"/queues": "queue", "/topics": "topic"},
    "microsoft.sql/servers": {"/databases": "database"},
    "microsoft.storage/storageaccounts": {
        "/blobServices/default/containers": "blob container",
        "/fileServices/default/shares": "file share",
        "/queueServices/default/queues": "queue",
        "/tableServices/default/tables": "table",
    },
}
_OF_MONGO: Final = {"/mongodbDatabases": "database"}
# The status codes that Azure returns if a list does not exist for this kind of account.
_HAS_NONE: Final = frozenset({400, 404, 405, 409})
_MOST_HOLDERS: Final = 20
_MOST: Final = 1000
_SECONDS: Final = 20.0


@dataclass
class InnerContents:
    """The contents of several resources. `names` lists the contents; `missing` says what could not be read.

    `lists_all` is false if there are more contents.
    """

    names: list[str] = field(default_factory=list)
    children: set[str] = field(default_factory=set)
    lists_all: bool = True
    missing: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, Fact]:
        return {"they contain": first_of(sorted(self.names))} if self.names else {}

    def placed(self, places: Mapping[str, Place]) -> Mapping[str, Place]:
        """Add the names of the contents to the places of a change."""
        if not self.lists_all or self.missing:
            return {**places, "name": None}
        return with_names(places, self.children)


async def inside(azure: Azure, resources: Iterable[Mapping[str, Any]]) -> InnerContents:
    """Read the current contents of these resources."""
    lists = {
        f"{one['id']}{path}": (one, path, word)
        for one in sorted(resources, key=lambda one: str(one.get("id")))
        for path, word in _lists_of(one).items()
    }
    holders = list(dict.fromkeys(str(one["id"]) for one, *_ in lists.values()))
    read_from = set(holders[:_MOST_HOLDERS])
    wanted = {name: one for name, one in lists.items() if str(one[0]["id"]) in read_from}
    found = InnerContents()

    async def ask(name: str) -> None:
        record, path, word = wanted[name]
        await _add(found, azure, record, path, word)

    reading = await side_by_side({name: name for name in wanted}, ask, seconds=_SECONDS)
    found.missing += [f"the contents of {name}: {reading.reason(name)}" for name in wanted if name not in reading.read]
    if more := holders[_MOST_HOLDERS:]:
        found.missing.append(f"the contents of {len(more)} other accounts, servers and namespaces")
    return found


def _lists_of(record: Mapping[str, Any]) -> Mapping[str, str]:
    resource = resource_of(record)
    if resource is None:
        return {}
    is_mongo = str(record.get("kind") or "").lower() == "mongodb"
    return _OF_MONGO if is_mongo else _LISTS.get(resource.type.lower(), {})


async def _add(found: InnerContents, azure: Azure, record: Mapping[str, Any], path: str, word: str) -> None:
    """Read a list, and add its entries to the contents."""
    resource = ResourceId.of(str(record["id"]))
    try:
        page = await azure.page(of_id("GET", resource, path), _MOST)
    except AzureRefusal as refusal:
        if refusal.status in _HAS_NONE:
            return
        raise
    _, holder = type_and_name(resource.text)
    children = [str(one.get("name")).rpartition("/")[2] for one in page.items]
    found.children.update(children)
    found.names += [f"{word} {child} of {holder}" for child in children]
    if page.has_more:
        found.names.append(f"other {word}s of {holder}")
        found.lists_all = False
