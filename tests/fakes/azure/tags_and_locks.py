"""Tags of any scope, and locks, which hold for everything below."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, is_within, locked_scope
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, paged

_TAGS: Final = "{scope}/providers/Microsoft.Resources/tags/default"
_LOCKS: Final = "{scope}/providers/Microsoft.Authorization/locks"
_TAGS_TYPE: Final = "Microsoft.Resources/tags"
_LOCKS_TYPE: Final = "Microsoft.Authorization/locks"
_LEVELS: Final = {"cannotdelete": "CanNotDelete", "readonly": "ReadOnly"}


@dataclass
class TagsAndLocks:
    estate: Estate
    access: Access
    page_size: int = 100

    @property
    def routes(self) -> list[Route]:
        return [
            Route("GET /subscriptions/{subscription}/tagNames", self._names, type=_TAGS_TYPE),
            Route(f"GET {_TAGS}", self._tags, type=_TAGS_TYPE),
            Route(f"PUT {_TAGS}", self._put_tags, type=_TAGS_TYPE),
            Route(f"PATCH {_TAGS}", self._patch_tags, type=_TAGS_TYPE),
            Route(f"DELETE {_TAGS}", self._delete_tags, type=_TAGS_TYPE),
            Route(f"GET {_LOCKS}", self._locks, type=_LOCKS_TYPE),
            Route(f"GET {_LOCKS}/{{name}}", self._get_lock, type=_LOCKS_TYPE),
            Route(f"PUT {_LOCKS}/{{name}}", self._put_lock, type=_LOCKS_TYPE),
            Route(f"DELETE {_LOCKS}/{{name}}", self._delete_lock, type=_LOCKS_TYPE),
        ]

    # Tags

    def _names(self, asked: Asked) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}"
        self.access.demand_below(asked, "Microsoft.Resources/subscriptions/tagNames/read", scope)
        tagged = [one.tags for one in self.estate.resources_within(scope)]
        tagged += [group.get("tags", {}) for key, group in self.estate.groups.items() if is_within(key, scope)]
        counts = Counter((name, value) for tags in tagged for name, value in tags.items())
        return paged(asked, [_name(scope, name, counts) for name in sorted({name for name, _ in counts})], 100)

    def _tagged(self, asked: Asked, verb: str) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_TAGS_TYPE}/{verb}", scope)
        resource = self.estate.resources.get(scope.lower())
        found = resource.document if resource else self.estate.groups.get(scope.lower())
        found = found or self.estate.subscriptions.get(scope.rpartition("/")[2].lower())
        if found is None:
            raise AzureError(404, "ResourceNotFound", f"The resource '{scope}' could not be found.")
        return found

    def _tags(self, asked: Asked) -> Json:
        return _shown(asked, self._tagged(asked, "read"))

    def _put_tags(self, asked: Asked) -> Json:
        return self._set(asked, asked.body["properties"]["tags"])

    def _patch_tags(self, asked: Asked) -> Json:
        before = self._tagged(asked, "write").get("tags") or {}
        given, operation = asked.body["properties"]["tags"], asked.body["operation"]
        kept = {name: value for name, value in before.items() if given.get(name) != value}
        by_operation = {"Merge": {**before, **given}, "Replace": given, "Delete": kept}
        return self._set(asked, by_operation[operation])

    def _delete_tags(self, asked: Asked) -> Reply:
        self._set(asked, {})
        return Reply(status=200)

    def _set(self, asked: Asked, tags: dict[str, str]) -> Json:
        tagged = self._tagged(asked, "write")
        self._check_locks(asked.places["scope"])
        tagged["tags"] = tags
        return _shown(asked, tagged)

    def _check_locks(self, scope: str) -> None:
        held = [lock for lock in self.estate.locks_on(scope) if lock["properties"]["level"] == "ReadOnly"]
        if held:
            message = (
                f"The scope '{scope}' cannot perform write operation because following scope(s) are locked:"
                f" '{locked_scope(held[0])}'. Please remove the lock and try again."
            )
            raise AzureError(409, "ScopeLocked", message)

    # Locks

    def _locks(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_LOCKS_TYPE}/read", scope)
        found = self.estate.locks_on(scope)
        if asked.query.get("$filter", "").lower() != "atscope()":
            found = [*found, *(one for one in self.estate.locks_below(scope) if one not in found)]
        return paged(asked, found, self.page_size)

    def _get_lock(self, asked: Asked) -> Json:
        self.access.demand(asked, f"{_LOCKS_TYPE}/read", asked.places["scope"])
        found = self.estate.locks.get(asked.path.lower())
        if found is None:
            raise AzureError(404, "LockNotFound", f"The lock '{asked.places['name']}' could not be found.")
        return found

    def _put_lock(self, asked: Asked) -> Reply:
        self.access.demand(asked, f"{_LOCKS_TYPE}/write", asked.places["scope"])
        level = _LEVELS.get(str(asked.body.get("properties", {}).get("level")).lower())
        if level is None:
            raise AzureError(400, "InvalidLockLevel", "The lock level is invalid.")
        is_new = asked.path.lower() not in self.estate.locks
        return Reply(
            self.lock(asked.places["scope"], level, asked.places["name"], asked.body["properties"].get("notes")),
            201 if is_new else 200,
        )

    def _delete_lock(self, asked: Asked) -> Reply:
        self.access.demand(asked, f"{_LOCKS_TYPE}/delete", asked.places["scope"])
        return Reply(status=200 if self.estate.locks.pop(asked.path.lower(), None) else 204)

    def lock(self, scope: str, level: str = "CanNotDelete", name: str = "keep", notes: str | None = None) -> Json:
        made = {"properties": {"level": level}, "id": f"{scope}/providers/Microsoft.Authorization/locks/{name}"}
        if notes:
            made["properties"] = {"level": level, "notes": notes}
        made |= {"type": _LOCKS_TYPE, "name": name}
        self.estate.locks[str(made["id"]).lower()] = made
        assert locked_scope(made) == scope.lower()
        return made


def _shown(asked: Asked, tagged: Json) -> Json:
    about = {"id": f"{asked.places['scope']}/providers/Microsoft.Resources/tags/default", "name": "default"}
    return {**about, "type": _TAGS_TYPE, "properties": {"tags": tagged.get("tags") or {}}}


def _name(scope: str, name: str, counts: Counter[tuple[str, str]]) -> Json:
    values = [(value, count) for (tag, value), count in counts.items() if tag == name]
    at = f"{scope}/tagNames/{name}"
    return {
        "id": at,
        "tagName": name,
        "count": {"type": "Total", "value": sum(count for _, count in values)},
        "values": [
            {"id": f"{at}/tagValues/{value}", "tagValue": value, "count": {"type": "Total", "value": count}}
            for value, count in values
        ],
    }
