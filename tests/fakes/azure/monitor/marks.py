"""Annotations of Application Insights: what charts show as a mark."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate
from tests.fakes.azure.routes import Asked, AzureError, Json, Route

_TYPE: Final = "Microsoft.Insights/components"
_GROUP: Final = "/subscriptions/{subscription}/resourceGroups/{group}"
_LINE: Final = f"{_GROUP}/providers/Microsoft.Insights/components/{{component}}/Annotations"


@dataclass
class Marks:
    estate: Estate
    access: Access
    made: dict[str, Json] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"PUT {_LINE}", self._make, type=_TYPE),
            Route(f"GET {_LINE}/{{mark}}", self._show, type=_TYPE),
        ]

    def _make(self, asked: Asked) -> list[Json]:
        self._demand(asked, "write")
        mark = asked.body
        if not mark.get("Id") or not mark.get("AnnotationName") or not mark.get("EventTime"):
            raise AzureError(400, "InvalidAnnotation", "The annotation lacks a property.")
        json.loads(mark["Properties"])
        self.made[mark["Id"]] = mark
        return [mark]

    def _show(self, asked: Asked) -> list[Json]:
        self._demand(asked, "read")
        if asked.places["mark"] not in self.made:
            raise AzureError(404, "AnnotationNotFound", "There is no such annotation.")
        return [self.made[asked.places["mark"]]]

    def _demand(self, asked: Asked, verb: str) -> None:
        component = asked.path.rpartition("/Annotations")[0]
        self.access.demand(asked, f"{_TYPE}/annotations/{verb}", component)
        if component.lower() not in self.estate.resources:
            raise AzureError(404, "ResourceNotFound", f"The Resource '{component}' was not found.")
