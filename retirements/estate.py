"""Reads the resources whose type a retirement may affect, and the settings that conditions need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.graph import ready_made, rows_of, text_of
from retirements.conditions import SITE_CONFIG, ResourceCondition
from retirements.mapping import Concerned
from retirements.scope import Scope

MOST: Final = 5000
_ALWAYS: Final = ("id", "name", "type", "kind", "sku", "tags")
_SITES: Final = frozenset({"microsoft.web/sites", "microsoft.web/sites/slots"})
_CONFIGS: Final = "where type in~ ('microsoft.web/sites/config', 'microsoft.web/sites/slots/config')"
# Maps the name of a setting in an App Service resource to the name of its column in Resource Graph's table.
_OF_SITES: Final = {
    "minTlsVersion": "MinTlsVersion",
    "linuxFxVersion": "LinuxFxVersion",
    "netFrameworkVersion": "NetFrameworkVersion",
    "pythonVersion": "PythonVersion",
}


@dataclass(frozen=True, slots=True)
class EstateResource:
    """A resource in the scope. If `is_whole` is true, all settings of the resource were read, so a missing value is
    really absent.
    """

    id: str
    record: Mapping[str, Any]
    is_whole: bool = True

    @property
    def tags(self) -> Mapping[str, Any]:
        found = self.record.get("tags")
        return found if isinstance(found, Mapping) else {}


@dataclass(slots=True)
class Estate:
    """The resources in the scope, by type. `unread` describes the resources that could not be read, with reasons."""

    by_type: dict[str, list[EstateResource]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)

    def of(self, types: Iterable[str]) -> Iterator[EstateResource]:
        for one in dict.fromkeys(types):
            yield from self.by_type.get(one, ())


async def read(azure: Azure, scope: Scope, concerned: Iterable[Concerned]) -> Estate:
    """Read all resources that these retirements may affect, with at most two queries of Resource Graph."""
    types = list(concerned)
    estate = Estate()
    request = ready_made(scope.subscriptions, "resources", *_steps(types, scope))
    rows = await rows_of(azure.send, request, MOST)
    if rows.has_more:
        estate.unread.append(f"Resource Graph returned {len(rows.items)} of {rows.total} resources. Narrow `scope`.")
    columns = _columns(types)
    found = [_resource(row, columns) for row in rows.items if scope.has(str(row.get("id")))]
    if any(str(one.record["type"]) in _SITES for one in found):
        found = await _with_configs(azure, scope, found, estate)
    for one in found:
        estate.by_type.setdefault(str(one.record["type"]), []).append(one)
    return estate


async def counted(azure: Azure, scope: Scope, types: Iterable[str]) -> Mapping[str, int]:
    """Count the resources of each type."""
    listed = ", ".join(text_of(one) for one in sorted(set(types)))
    if not listed:
        return {}
    steps = (f"where type in~ ({listed})", *scope.steps, "summarize number = count() by type")
    rows = await rows_of(azure.send, ready_made(scope.subscriptions, "resources", *steps), MOST)
    return {str(row.get("type")).lower(): int(row.get("number") or 0) for row in rows.items}


def _steps(concerned: Sequence[Concerned], scope: Scope) -> list[str]:
    columns = [f"{name} = {path}" for path, name in _columns(concerned).items()]
    tests = " or ".join(_tests(concerned))
    return [f"where {tests}", *scope.steps, f"project {', '.join([*_ALWAYS, *columns])}", "order by id asc"]


def _tests(concerned: Sequence[Concerned]) -> Iterator[str]:
    """Yield the query condition for each resource type."""
    by_type: dict[str, list[str]] = {}
    for one in concerned:
        condition_text = " and ".join(filter(None, (condition.in_query() for condition in one.conditions)))
        by_type.setdefault(one.type, []).append(condition_text)
    for kind, tests in by_type.items():
        own = f"type =~ {text_of(kind)}"
        yield f"({own} and ({' or '.join(dict.fromkeys(tests))}))" if all(tests) else f"({own})"


def _columns(concerned: Iterable[Concerned]) -> dict[str, str]:
    """Return the queried paths, each with its column name."""
    conditions: Iterator[ResourceCondition] = (one for each in concerned for one in each.conditions)
    paths = dict.fromkeys(one.column for one in conditions if one.column.startswith("properties."))
    return {path: f"p{number}" for number, path in enumerate(paths)}


def _resource(row: Mapping[str, Any], columns: Mapping[str, str]) -> EstateResource:
    record: dict[str, Any] = {name: row.get(name) for name in _ALWAYS}
    record["type"] = str(record["type"]).lower()
    for path, name in columns.items():
        if row.get(name) not in (None, ""):
            _put(record, path.split("."), row[name])
    return EstateResource(str(row["id"]), record, is_whole=record["type"] not in _SITES)


def _put(record: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        record = record.setdefault(name, {})
    record[path[-1]] = value


async def _with_configs(
    azure: Azure, scope: Scope, found: Sequence[EstateResource], estate: Estate
) -> list[EstateResource]:
    """Add App Service settings to each app. Resource Graph has App Service settings in a separate table."""
    columns = ", ".join(f"{name} = properties.{column}" for name, column in _OF_SITES.items())
    request = ready_made(scope.subscriptions, "appserviceresources", _CONFIGS, *scope.steps, f"project id, {columns}")
    try:
        rows = await rows_of(azure.send, request, MOST)
    except AzureRefusal as refusal:
        estate.unread.append(f"Settings of web apps: {refusal}")
        return list(found)
    configs = {str(row.get("id")).lower().rpartition("/config/")[0]: row for row in rows.items}
    return [_completed(one, configs.get(one.id.lower())) for one in found]


def _completed(one: EstateResource, config: Mapping[str, Any] | None) -> EstateResource:
    if config is None:
        return one
    own = one.record.get("properties", {})
    settings = {name: config[name] for name in _OF_SITES if config.get(name)}
    known = {name: value for name, value in own.get("siteConfig", {}).items() if value}
    properties = {**own, SITE_CONFIG.split(".")[1]: {**settings, **known}}
    return EstateResource(one.id, {**one.record, "properties": properties})
