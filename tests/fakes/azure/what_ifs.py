"""What a deployment would do, found out from what there is, with the noise that the real service makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.azure.estate import Estate
from tests.fakes.azure.routes import Json
from tests.fakes.azure.templates import Template, Wanted

_TOLD: Final = ("id", "name", "type", "kind", "location", "tags", "sku", "identity", "zones", "properties")


@dataclass
class WhatIfs:
    """`is_noisy` turns the order around each time, spells ids in another case, and adds what makes no difference."""

    estate: Estate
    is_noisy: bool = False
    asked: int = 0
    # What somebody else does as soon as it was told.
    afterwards: Callable[[], None] = lambda: None

    def of(self, template: Template, mode: str) -> Json:
        told = self._told(template, mode)
        self.afterwards()
        return told

    def _told(self, template: Template, mode: str) -> Json:
        self.asked += 1
        wanted = list(template.wanted(is_secret_known=False))
        changes = [self._change(one) for one in wanted]
        named = {one.id.lower() for one in wanted}
        changes += [self._left(one, mode) for one in self._others(template.scope, named)]
        if self.is_noisy:
            changes = [self._noisy(one) for one in changes]
            changes = changes[::-1] if self.asked % 2 else changes
        return {"status": "Succeeded", "properties": {"correlationId": str(self.asked), "changes": changes}}

    def _others(self, scope: str, named: set[str]) -> Iterator[Json]:
        if len(scope.split("/")) > 4:
            for one in self.estate.resources_within(scope):
                is_child = any(one.id.lower().startswith(f"{name}/") for name in named)
                if one.id.lower() not in named and not is_child and "location" in one.document:
                    yield one.document

    def _left(self, document: Json, mode: str) -> Json:
        kind = "Delete" if mode == "Complete" else "Ignore"
        return {"resourceId": document["id"], "changeType": kind, "before": _told(document)}

    def _change(self, wanted: Wanted) -> Json:
        own = self.estate.resources.get(wanted.id.lower())
        found = own.document if own else self.estate.groups.get(wanted.id.lower())
        after = {"id": wanted.id, **wanted.document}
        if found is None:
            return {"resourceId": wanted.id, "changeType": "Create", "after": after}
        before = _told(found)
        delta = list(_delta(before, after, ""))
        kind = "Modify" if delta else "NoChange"
        told = {"resourceId": found["id"], "changeType": kind, "before": before, "after": after}
        return {**told, "delta": delta} if delta else told

    def _noisy(self, change: Json) -> Json:
        respelled = change["resourceId"].replace("/resourceGroups/", "/resourcegroups/")
        noise = [
            {"path": "properties.provisioningState", "propertyChangeType": "Modify", "before": 1, "after": self.asked},
            {"path": "properties.defaults", "propertyChangeType": "Delete", "before": [], "after": None},
            {"path": "properties.same", "propertyChangeType": "NoEffect", "after": self.asked},
        ]
        if change["changeType"] == "NoChange":
            return {**change, "changeType": "Modify", "delta": noise}
        delta = {"delta": [*noise, *change["delta"]]} if "delta" in change else {}
        return {**change, **delta, "resourceId": respelled if self.asked % 2 else change["resourceId"]}


def _told(document: Json) -> Json:
    return {name: document[name] for name in _TOLD if name in document}


def _delta(before: Mapping[str, Any], after: Mapping[str, Any], above: str) -> Iterator[Json]:
    """What the template names and is otherwise there: what it does not name stays."""
    for name, value in after.items():
        path = f"{above}.{name}" if above else name
        was = before.get(name)
        if name in {"id", "type", "apiVersion", "name"} and not above:
            continue
        if isinstance(value, Mapping) and isinstance(was, Mapping):
            yield from _delta(was, value, path)
        elif was is None:
            yield {"path": path, "propertyChangeType": "Create", "after": value, "before": None, "children": None}
        elif was != value:
            yield {"path": path, "propertyChangeType": "Modify", "before": was, "after": value, "children": None}
