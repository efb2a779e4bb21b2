"""Describes the layout of a container with terms that are the same in all Cosmos DB APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clients.answers import Json, at, present

_SET_PER_ITEM: Final = -1
_MOST_PATHS: Final = 50
_SPECIAL: Final = ("compositeIndexes", "spatialIndexes", "vectorIndexes", "fullTextIndexes")


def in_short(layout: Mapping[str, Any]) -> Json:
    return {**_shared(layout), "indexing": _summary(layout), "indexes": len(layout.get("indexes") or ()) or None}


def in_full(layout: Mapping[str, Any]) -> Json:
    policy = layout.get("indexingPolicy")
    indexes = [_index(one) for one in (layout.get("indexes") or ())[:_MOST_PATHS] if isinstance(one, Mapping)]
    unique = [at(one, "paths") for one in at(layout, "uniqueKeyPolicy.uniqueKeys") or ()]
    return {
        **_shared(layout),
        "indexing": _policy(policy) if isinstance(policy, Mapping) else None,
        "indexes": indexes,
        "unique_keys": unique,
        "columns": at(layout, "schema.columns"),
        "computed": [at(one, "name") for one in layout.get("computedProperties") or ()],
        "conflicts": at(layout, "conflictResolutionPolicy.mode"),
    }


def _shared(layout: Mapping[str, Any]) -> Json:
    return {
        "partition_key": _partition_key(layout),
        "clustered_by": [at(one, "name") for one in at(layout, "schema.clusterKeys") or ()],
        "ttl": _ttl(layout.get("defaultTtl")),
        "analytical_ttl": _ttl(layout.get("analyticalStorageTtl")),
    }


def _partition_key(layout: Mapping[str, Any]) -> list[Any]:
    if shard := layout.get("shardKey"):
        return list(shard) if isinstance(shard, Mapping) else [shard]
    columns = [at(one, "name") for one in at(layout, "schema.partitionKeys") or ()]
    return columns or list(at(layout, "partitionKey.paths") or ())


def _ttl(seconds: Any) -> str | None:
    """Describe when items expire. None means that items never expire."""
    if not isinstance(seconds, int) or not seconds:
        return None
    return "on, set per item" if seconds == _SET_PER_ITEM else f"{seconds} seconds"


def _summary(layout: Mapping[str, Any]) -> str | None:
    policy = layout.get("indexingPolicy")
    if not isinstance(policy, Mapping):
        return None
    counts = {name: len(policy.get(name) or ()) for name in ("includedPaths", "excludedPaths", *_SPECIAL)}
    numbers = [f"{number} {name}" for name, number in counts.items() if number]
    return ", ".join([str(policy.get("indexingMode") or "consistent"), *numbers])


def _policy(policy: Mapping[str, Any]) -> Json:
    paths = {
        "included": [at(one, "path") for one in policy.get("includedPaths") or ()][:_MOST_PATHS],
        "excluded": [at(one, "path") for one in policy.get("excludedPaths") or ()][:_MOST_PATHS],
    }
    special = {name: (policy.get(name) or [])[:_MOST_PATHS] for name in _SPECIAL}
    return present({"mode": policy.get("indexingMode"), **paths, **special})


def _index(index: Mapping[str, Any]) -> Json:
    options = index.get("options") or {}
    seconds = options.get("expireAfterSeconds")
    return present({"by": at(index, "key.keys"), "unique": options.get("unique"), "expires_after_seconds": seconds})
