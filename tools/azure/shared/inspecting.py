"""Collects what every preview of an Azure change shows about the resources: the properties that approval rules use, the
locks, and facts.

    known = await inspect(azure, account)
    known.refuse_locked("delete")
    return Preview(what=..., facts=known.facts(account), places=known.places, missing=known.missing)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from changes.preview import Fact, Place
from changes.rule import TAG
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.versions import SUBSCRIPTIONS_VERSION
from clients.azure.what_if.outlook import AffectedResource
from clients.folding import folded
from clients.side_by_side import side_by_side
from refusal import Refusal
from tools.azure.shared.answers import Json, at
from tools.azure.shared.change_places import may_affect_any_place, places_of, unknown_inside, unknown_places
from tools.azure.shared.contained import contained_in_all, inheriting_scope, names_in, resource_of
from tools.azure.shared.locks import Effect, ResourceLock, locks_at, refuse_locked

_OF_SUBSCRIPTION, _OF_GROUP, _OF_RESOURCE = 2, 4, 8
_VERSIONS: Final = {_OF_SUBSCRIPTION: SUBSCRIPTIONS_VERSION, _OF_GROUP: "2024-07-01"}
# The namespace of extension resources. An extension resource belongs to the resource that precedes it in the id.
_EXTENDS: Final = "microsoft.authorization"
_SECONDS: Final = 30.0
_MOST_TAGS: Final = 20
# The maximum number of groups and parent resources that are read for the resources that a deployment affects.
_MOST_HOLDERS: Final = 50
# The facts that a preview shows about a resource that the change will create.
NOT_YET: Final[Mapping[str, Fact]] = {"exists": "not yet"}


# The content of a resource before and after a deployment, as far as known.
Contents = Sequence[Mapping[str, Any]]
# A resource may occur several times, because several nested templates may change it.
Affected = tuple[ResourceId, Contents]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """The known facts about some resources.

    `documents` maps normalized ids to documents, or to None if the resource does not exist. `refused` says why other
    resources could not be read.
    """

    ids: Sequence[ResourceId]
    documents: Mapping[str, Json | None]
    places: Mapping[str, Place]
    locks: Sequence[ResourceLock]
    missing: Sequence[str]
    refused: Mapping[str, Refusal]

    def document(self, resource: ResourceId) -> Json | None:
        return self.documents.get(resource.key)

    def group_of(self, resource: ResourceId) -> Mapping[str, Any]:
        return self.documents.get(ResourceId(resource.segments[:_OF_GROUP]).key) or {}

    def facts(self, resource: ResourceId) -> dict[str, Fact]:
        """Return the facts about a resource. If the resource does not exist yet, the facts say so."""
        found = self.document(resource)
        return facts_of(found) if found is not None else {"type": resource.type, **NOT_YET}

    def refuse_locked(self, effect: Effect) -> None:
        """Refuse a change that a lock prevents, before the change is sent.

        Raises:
            Refusal: A lock prevents the change. The message says where the lock is, and who can delete it.
        """
        refuse_locked(self.locks, self.ids, effect)


async def inspect(
    azure: Azure,
    *ids: ResourceId,
    seen: Iterable[Json] = (),
    within: Iterable[Mapping[str, Any]] = (),
    reached: Sequence[AffectedResource] = (),
    reaches_more: bool = False,
    inherited_from: Sequence[ResourceId] = (),
    lists_all: bool = True,
) -> Inspected:
    """Inspect resources, groups or subscriptions concurrently.

    - `seen`: documents that were already read.
    - `within`: other documents, for example of the resources in a group. Approval rules also apply to their names and
      tags. `lists_all` is false if there are more such resources.
    - `reached`: the resources that a change of `ids` affects. They are not read, but their groups and parents are.
    - `reaches_more`: whether the change may also affect resources anywhere.
    - `inherited_from`: scopes whose resources the change also affects, for example because it assigns a role there.

    Raises:
        Refusal: Only one resource was requested, and it cannot be read. A missing resource is not an error.
    """
    affected = [(resource, one.contents) for one in reached if (resource := one.resource)]
    resources = [resource for resource, _ in affected]
    looking = _Looking(azure, ids, seen, affected)
    await looking.read()
    scopes = [*inherited_from, *filter(None, map(inheriting_scope, [*ids, *resources]))]
    contents, are_listed = await contained_in_all(azure, scopes)
    places = await _places(azure, looking, ids, resources, [*within, *contents])
    if not (are_listed and lists_all):
        places = unknown_inside(places)
    return Inspected(
        ids=ids,
        documents=looking.documents,
        places=unknown_places(places) if reaches_more or _may_affect_more(ids, reached) else places,
        locks=looking.locks,
        missing=sorted(looking.missing),
        refused=looking.refused,
    )


async def _places(
    azure: Azure,
    looking: _Looking,
    ids: Sequence[ResourceId],
    resources: Sequence[ResourceId],
    within: Sequence[Mapping[str, Any]],
) -> dict[str, Place]:
    return places_of(
        ids,
        subscriptions=await _subscriptions(azure, [*ids, *resources]),
        tags=looking.tags(within),
        names=names_in(within),
        reached=resources,
    )


def _may_affect_more(ids: Sequence[ResourceId], reached: Sequence[AffectedResource]) -> bool:
    """Whether a change may affect other resources than those to which the places belong."""
    resources = [one.resource for one in reached]
    known = [one for one in resources if one]
    # Management groups contain subscriptions that are not read here.
    is_above = not all(one.subscription for one in (*ids, *known))
    return is_above or len(known) < len(resources) or any(map(may_affect_any_place, known))


def facts_of(document: Mapping[str, Any]) -> dict[str, Fact]:
    """Return facts about a resource from its document."""
    made, changed = (_who_and_when(document, word) for word in ("created", "lastModified"))
    sku = document.get("sku")
    facts: dict[str, Fact] = {
        "type": _text(document.get("type")),
        "location": _text(document.get("location")),
        "kind": _text(document.get("kind")),
        "size": _text(at(document, "sku.name") if isinstance(sku, Mapping) else sku),
        "state": _text(at(document, "properties.provisioningState")),
        "tags": _tag_texts(document),
        "managed by": _text(document.get("managedBy")),
        "created": made or _text(document.get("createdTime")),
        "changed": changed or _text(document.get("changedTime")),
    }
    return {name: value for name, value in facts.items() if value}


class _Looking:
    """Reads resources and their locks, and also the parent resources, because approval rules use the parents' tags."""

    def __init__(
        self, azure: Azure, ids: Sequence[ResourceId], seen: Iterable[Json], affected: Sequence[Affected]
    ) -> None:
        self.documents: dict[str, Json | None] = {folded(str(one.get("id") or "")): one for one in seen}
        self.locks: list[ResourceLock] = []
        self.missing: set[str] = set()
        self.refused: dict[str, Refusal] = {}
        self._azure, self._ids, self._affected = azure, ids, affected
        holders = {holder.key: holder for resource, _ in affected for holder in _holders(resource)}
        # If there are too many of these resources to read all of them, their tags are unknown.
        self._knows_holders = len(holders) <= _MOST_HOLDERS
        self._holders = holders if self._knows_holders else {}

    async def read(self) -> None:
        wanted = {one.key: one for resource in self._ids for one in (resource, *_holders(resource))}
        documents = {key: one for key, one in (wanted | self._holders).items() if key not in self.documents}
        scopes = {f"locks of {one.key}": one for one in _scopes(self._ids)}
        asking = {**documents, **scopes}

        async def ask(name: str) -> None:
            await (self._read(asking[name]) if name in documents else self._read_locks(asking[name]))

        reading = await side_by_side({name: name for name in asking}, ask, seconds=_SECONDS)
        unread = {name: one for name, one in asking.items() if name not in reading.read}
        self.refused = {name: reading.failed.get(name) or Refusal(reading.reason(name)) for name in unread}
        own = {one.key for one in self._ids}
        if len(own) == 1 and (why := self.refused.get(self._ids[0].key)):
            raise why
        self.missing |= {
            f"{'locks of ' if name in scopes else ''}{one.text}: {reading.reason(name)}"
            for name, one in unread.items()
            if name in scopes or name in own
        }

    async def _read(self, resource: ResourceId) -> None:
        known = _VERSIONS.get(len(resource.segments))
        try:
            self.documents[resource.key] = await self._azure.json(
                of_id("GET", resource, **({"version": known} if known else {}))
            )
        except AzureRefusal as refusal:
            if refusal.status != 404:
                raise
            self.documents[resource.key] = None

    async def _read_locks(self, scope: ResourceId) -> None:
        found, are_all = await locks_at(self._azure, scope)
        self.locks += found
        if not are_all:
            self.missing.add(f"some locks of {scope.text}: there are too many to read all of them")

    def tags(self, within: Iterable[Mapping[str, Any]]) -> dict[str, Place]:
        """Return the values of the tags that apply to the resources.

        The value `""` means that at least one resource does not have the tag. The last entry covers all tags that the
        other entries do not list. A value of None means that some values of the tag are unknown.
        """
        groups, are_all = [], self._knows_holders and all(contents for _, contents in self._affected)
        for resource in self._ids:
            around, are_read = self._documents_of(resource, *_holders(resource))
            are_all = are_all and are_read
            groups.append([_tags(one) for one in around])
        for resource, contents in self._affected:
            around, are_read = self._documents_of(*_holders(resource))
            are_all = are_all and are_read and all(map(_has_known_tags, contents))
            groups += [[_tags(one) for one in (content, *around)] for content in contents]
        groups += [[_tags(document) for document in (one, *self._around(one))] for one in within]
        names = {name for tags in groups for one in tags for name in one}
        values = {f"{TAG}{name}": _values(name, groups) for name in sorted(names)}
        return {**values, TAG: ()} if are_all else unknown_places(values)

    def _around(self, document: Mapping[str, Any]) -> list[Json | None]:
        """Return the documents of the parent resource and the group of a resource, as far as they were read."""
        resource = resource_of(document)
        return self._documents_of(*_holders(resource))[0] if resource else []

    def _documents_of(self, *resources: ResourceId) -> tuple[list[Json | None], bool]:
        """Return the documents of these resources, and whether all of them could be read."""
        are_read = not any(one.key in self.refused for one in resources)
        return [self.documents.get(one.key) for one in resources], are_read


def _holders(resource: ResourceId) -> list[ResourceId]:
    """Return the resources whose tags also apply to a resource: its parent resource, and its group or subscription."""
    sizes = (_OF_RESOURCE, _OF_GROUP) if resource.group else (_OF_SUBSCRIPTION,) if resource.subscription else ()
    base = base_of(resource)
    own = {folded(resource.text)}
    ids = [base, *(ResourceId(base.segments[:size]) for size in sizes if len(base.segments) > size)]
    return [one for one in ids if one.key not in own]


def base_of(resource: ResourceId) -> ResourceId:
    """Return the resource that a lock, an assignment or another extension object belongs to.

    Return all other resources unchanged.
    """
    places = [place for place, word in enumerate(resource.segments[::2]) if word.lower() == "providers"]
    is_own = len(places) == 1 and resource.namespace.lower() != _EXTENDS
    cut = None if not places or is_own else 2 * places[min(1, len(places) - 1)]
    return ResourceId(resource.segments[:cut]) if cut != 0 else resource


def root_of(resource: ResourceId) -> ResourceId:
    """Return the group of a resource or, if the resource has no group, its subscription."""
    return ResourceId(resource.segments[: _OF_GROUP if resource.group else _OF_SUBSCRIPTION])


def _scopes(ids: Sequence[ResourceId]) -> list[ResourceId]:
    """Return the scopes in which to list locks: one per group.

    Each list includes the locks of the subscription and of the resources in the group.
    """
    by_group: dict[str, list[ResourceId]] = {}
    for one in ids:
        by_group.setdefault(root_of(one).key, []).append(one)
    return [_scope(many) for many in by_group.values()]


async def locks_of(azure: Azure, ids: Sequence[ResourceId]) -> list[ResourceLock]:
    """Return the locks that affect these resources. Locks that are not readable are omitted."""
    found: list[ResourceLock] = []

    async def ask(scope: ResourceId) -> None:
        found.extend((await locks_at(azure, scope))[0])

    await side_by_side({one.key: one for one in _scopes(ids)}, ask, seconds=_SECONDS)
    return found


def _scope(many: Sequence[ResourceId]) -> ResourceId:
    """Return the group to which several resources belong.

    For a single resource, return the resource itself. The locks of the resource may be readable even if the locks of
    the group are not.
    """
    first = base_of(many[0])
    return ResourceId(first.segments[:_OF_RESOURCE]) if len(many) == 1 and first.group else root_of(first)


async def _subscriptions(azure: Azure, ids: Sequence[ResourceId]) -> Place:
    """Return the name and id of each subscription, because rules may use either. Return None if a name is unknown."""
    found: list[list[str]] = []
    for own in sorted({one.subscription.lower() for one in ids}):
        if not own:
            return None
        try:
            one = await azure.subscription(own)
        except Refusal:
            return None
        found.append([one.name, one.id])
    return found or None


def _tags(document: Mapping[str, Any] | None) -> Mapping[str, str]:
    tags = (document or {}).get("tags")
    if not isinstance(tags, Mapping):
        return {}
    return {folded(str(name)): str(value) for name, value in tags.items()}


def _has_known_tags(content: Mapping[str, Any]) -> bool:
    """Whether the names of all tags are known. In a what-if, tags may be template expressions."""
    tags = content.get("tags")
    return tags is None or (isinstance(tags, Mapping) and not any(map(_is_expression, tags)))


def _is_expression(value: Any) -> bool:
    return str(value).startswith("[")


def _values(name: str, groups: Sequence[Sequence[Mapping[str, str]]]) -> Place:
    """Return the values of a tag, or None if a value is an expression, so that it is unknown before the deployment."""
    values = sorted({value for tags in groups for value in ([one[name] for one in tags if name in one] or [""])})
    return None if any(map(_is_expression, values)) else values


def _tag_texts(document: Mapping[str, Any]) -> list[str]:
    tags = document.get("tags")
    texts = sorted(f"{name}={value}" for name, value in tags.items()) if isinstance(tags, Mapping) else []
    more = len(texts) - _MOST_TAGS
    return texts[:_MOST_TAGS] + ([f"and {more} more"] if more > 0 else [])


def _who_and_when(document: Mapping[str, Any], word: str) -> str:
    data = document.get("systemData")
    if not isinstance(data, Mapping):
        return ""
    return " by ".join(str(data[name]) for name in (f"{word}At", f"{word}By") if data.get(name))


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else ""
