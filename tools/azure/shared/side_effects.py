"""Known side effects of changes: a restart, a failover, or an empty cache."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from changes.preview import Edit
from clients.azure.ids import ResourceId
from clients.folding import folded
from refusal import Refusal

_WHOLE: Final = ""


@dataclass(frozen=True, slots=True)
class KnownEffect:
    """The effect of changing one of these settings, or of deleting a resource of this type."""

    type: str
    settings: re.Pattern[str] | None
    words: str

    def is_of(self, kind: str, setting: str) -> bool:
        if kind != self.type:
            return False
        return setting == _WHOLE if self.settings is None else bool(setting and self.settings.match(setting))


def _changed(kind: str, settings: str, words: str) -> KnownEffect:
    return KnownEffect(kind, re.compile(settings, re.IGNORECASE), words)


_CONNECTIONS: Final = "drops open connections and may be unavailable for a minute or two"
_KNOWN: Final = (
    _changed("microsoft.web/serverfarms", r"sku\b", "Restarts all apps on the plan {}"),
    _changed("microsoft.web/sites", r"properties\.(siteConfig|serverFarmId|httpsOnly)\b", "Restarts the app {}"),
    _changed("microsoft.web/sites/config", r"properties\b", "Restarts the app"),
    _changed("microsoft.app/containerapps", r"properties\.template\b", "Starts a new revision of {}"),
    _changed(
        "microsoft.compute/virtualmachines",
        r"properties\.hardwareProfile\b",
        "Restarts the virtual machine {}, with some minutes of downtime",
    ),
    _changed(
        "microsoft.cache/redis",
        r"(properties\.)?sku\b|properties\.(redisVersion|shardCount)\b",
        "Fails over the cache {} and drops connections; a smaller size or fewer shards leave the cache cold",
    ),
    KnownEffect("microsoft.cache/redis", None, "Deletes everything that {} caches, so apps start with a cold cache"),
    _changed(
        "microsoft.dbforpostgresql/flexibleservers",
        r"sku\b|properties\.(highAvailability|version)\b",
        "Restarts the server {}: it " + _CONNECTIONS,
    ),
    _changed(
        "microsoft.dbformysql/flexibleservers",
        r"sku\b|properties\.(highAvailability|version)\b",
        "Restarts the server {}: it " + _CONNECTIONS,
    ),
    _changed("microsoft.sql/servers/databases", r"sku\b", "Moves {} to another size, which drops open connections"),
    _changed(
        "microsoft.documentdb/databaseaccounts",
        r"properties\.locations\b",
        "Adds or removes regions of {}; removing the write region fails over to another region",
    ),
    _changed(
        "microsoft.containerservice/managedclusters",
        r"properties\.(kubernetesVersion|agentPoolProfiles)\b",
        "Replaces nodes of {} one by one, and their pods restart",
    ),
    _changed(
        "microsoft.network/virtualnetworkgateways",
        r"(properties\.)?sku\b",
        "Drops the connections of {} during the change",
    ),
    _changed(
        "microsoft.network/applicationgateways", r"(properties\.)?sku\b", "May drop requests to {} during the change"
    ),
)


def side_effects(edits: Iterable[Edit], changed: ResourceId | None = None) -> list[str]:
    """Return each side effect once, as a sentence.

    If the path of an edit contains no resource, the edit is assumed to affect `changed`.
    """
    found = (effect.words.format(name) for edit in edits for effect, name in _of(edit, changed))
    return list(dict.fromkeys(found))


def side_effects_of_deleting(ids: Iterable[str]) -> list[str]:
    return side_effects(Edit(one, "there", None) for one in ids)


def _of(edit: Edit, changed: ResourceId | None) -> Iterator[tuple[KnownEffect, str]]:
    named, colon, setting = edit.path.rpartition(": ")
    is_whole = not colon and "/" in edit.path
    resource = _resource(edit.path if is_whole else named) or changed
    # A new resource is not in use yet, so nothing can be interrupted.
    if resource is None or (is_whole and edit.after is not None):
        return
    kind = folded(resource.type)
    for effect in _KNOWN:
        if effect.is_of(kind, _WHOLE if is_whole else setting):
            yield effect, resource.name


def _resource(text: str) -> ResourceId | None:
    """Return the resource of a path. The path is a full id, or the part of an id after the last `/providers/`."""
    own = text[text.lower().rfind("/providers/") + 1 :].removeprefix("providers/").removesuffix(" (perhaps)")
    try:
        return ResourceId.of(f"/providers/{own}") if "/" in own else None
    except Refusal:
        return None
