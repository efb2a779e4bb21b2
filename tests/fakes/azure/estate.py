"""What there is on the invented Azure: tenants, subscriptions, groups, resources, locks and tags, all to be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from tests.fakes.azure.routes import Json

_GROUP_PARTS: Final = 5


@dataclass
class Resource:
    """`document` is what a read of its id gives."""

    document: Json
    created: datetime
    changed: datetime
    # How the list of all resources spells its id, where it is not as the resource itself does.
    listed_id: str = ""
    # Work on it that ends when it was read often enough.
    polled: Callable[[], bool] | None = None

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def type(self) -> str:
        return str(self.document["type"])

    @property
    def tags(self) -> dict[str, str]:
        return self.document.get("tags") or {}

    @property
    def properties(self) -> Json:
        found: Json = self.document.setdefault("properties", {})
        return found


@dataclass
class Change:
    """Something that happened to a resource, as Resource Graph tells it."""

    target: str
    target_type: str
    kind: str
    at: datetime
    by: str
    changes: dict[str, tuple[Any, Any]]
    by_type: str = "User"
    client: str = "Azure Portal"
    # What all that was done together has in common.
    correlation: str = ""


@dataclass
class Estate:
    tenants: dict[str, str]  # names by id
    subscriptions: dict[str, Json] = field(default_factory=dict)
    groups: dict[str, Json] = field(default_factory=dict)  # by id in lower case, as all that follow
    resources: dict[str, Resource] = field(default_factory=dict)
    locks: dict[str, Json] = field(default_factory=dict)
    deployments: dict[str, Json] = field(default_factory=dict)
    operations: dict[str, list[Json]] = field(default_factory=dict)  # of deployments
    templates: dict[str, Json] = field(default_factory=dict)  # of deployments
    changes: list[Change] = field(default_factory=list)
    unregistered: set[tuple[str, str]] = field(default_factory=set)  # subscription and namespace
    # Rows of tables that are about resources, as Resource Graph gives them.
    rows: dict[str, list[Json]] = field(default_factory=dict)

    def tenant_of(self, subscription: str) -> str | None:
        found = self.subscriptions.get(subscription.lower())
        return str(found["tenantId"]) if found else None

    def group_of(self, resource_id: str) -> Json | None:
        parts = resource_id.lower().split("/")
        return self.groups.get("/".join(parts[:_GROUP_PARTS]))

    def add(self, resource: Resource) -> Resource:
        self.resources[resource.id.lower()] = resource
        return resource

    def remove(self, scope: str) -> None:
        """What has this id, and everything below it."""
        for store in (self.groups, self.resources, self.locks, self.deployments):
            for one in [key for key in store if is_within(key, scope)]:
                del store[one]

    def resources_within(self, scope: str) -> Iterator[Resource]:
        return (resource for key, resource in self.resources.items() if is_within(key, scope))

    def locks_on(self, scope: str) -> list[Json]:
        """Locks of this scope and of what it is in."""
        return [lock for lock in self.locks.values() if is_within(scope, locked_scope(lock))]

    def locks_below(self, scope: str) -> list[Json]:
        return [lock for lock in self.locks.values() if is_within(locked_scope(lock), scope)]


def is_within(inner: str, outer: str) -> bool:
    """Whether an id is that of a scope, or of something in it."""
    inner, outer = inner.lower(), outer.lower().rstrip("/")
    return inner == outer or inner.startswith(f"{outer}/")


def locked_scope(lock: Json) -> str:
    return str(lock["id"]).lower().partition("/providers/microsoft.authorization/locks/")[0]


def subscription_of(scope: str) -> str:
    """Its id, or nothing for what is in none."""
    parts = scope.split("/")
    return parts[2] if len(parts) > 2 and parts[1].lower() == "subscriptions" else ""


def type_of(resource_id: str) -> str:
    """The type that an id says, as it spells it."""
    namespace, *rest = resource_id.rpartition("/providers/")[2].split("/")
    return "/".join([namespace, *rest[::2]])


def parents(scope: str) -> Iterable[str]:
    """The scopes that this one is in, and itself."""
    parts = scope.split("/")
    return ("/".join(parts[:end]) for end in range(len(parts), 0, -1))
