"""Builds queries for Cost Management."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, Literal, Self

from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id

VERSION: Final = "2023-11-01"
# The value of the header ClientType. Azure has a limit for each client type. All clients without a type share one
# limit.
CLIENT_TYPE: Final = "azure-team-mcp"
_HEADERS: Final = {"ClientType": CLIENT_TYPE}
_PLACE: Final = "/providers/Microsoft.CostManagement"
_SUM: Final = {"totalCost": {"name": "Cost", "function": "Sum"}}

Per = Literal["total", "day", "month"]
_GRAINS: Final = {"total": "None", "day": "Daily", "month": "Monthly"}


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups costs by a dimension, or by the values of a tag."""

    kind: Literal["Dimension", "TagKey"]
    name: str

    def only(self, values: Sequence[str]) -> Only:
        return Only("tags" if self.kind == "TagKey" else "dimensions", self.name, tuple(values))


@dataclass(frozen=True, slots=True)
class Only:
    """Selects only costs that have one of these values in a dimension or tag."""

    kind: Literal["dimensions", "tags"]
    name: str
    values: tuple[str, ...]

    @property
    def body(self) -> dict[str, Any]:
        return {self.kind: {"name": self.name, "operator": "In", "values": list(self.values)}}


@dataclass(frozen=True, slots=True)
class CostQuestion:
    """A query for the costs of a period. The first and the last day are part of the period."""

    scope: ResourceId
    since: date
    until: date
    by: Grouping | None = None
    per: Per = "total"
    only: tuple[Only, ...] = ()
    is_amortized: bool = False

    def undivided(self) -> Self:
        """A copy of this query without groups. The copy returns the total."""
        return replace(self, by=None)

    def narrowed(self, *only: Only) -> Self:
        return replace(self, only=(*self.only, *only))

    @property
    def request(self) -> AzureRequest:
        return of_id(
            "POST", self.scope, f"{_PLACE}/query", body=self._body, headers=_HEADERS, is_read=True, version=VERSION
        )

    @property
    def _body(self) -> dict[str, Any]:
        return {
            "type": "AmortizedCost" if self.is_amortized else "ActualCost",
            "timeframe": "Custom",
            "timePeriod": period(self.since, self.until),
            "dataset": {"granularity": _GRAINS[self.per], "aggregation": _SUM, **self._grouping, **self._filter},
        }

    @property
    def _grouping(self) -> dict[str, Any]:
        """Group the costs. In totals, the groups with the highest costs come first and are on the first pages."""
        if self.by is None:
            return {}
        order = [{"direction": "descending", "name": "Cost"}] if self.per == "total" else []
        return {"grouping": [{"type": self.by.kind, "name": self.by.name}], **({"sorting": order} if order else {})}

    @property
    def _filter(self) -> dict[str, Any]:
        if not self.only:
            return {}
        parts = [one.body for one in self.only]
        return {"filter": parts[0] if len(parts) == 1 else {"and": parts}}


def forecast(scope: ResourceId, since: date, until: date, *, is_amortized: bool = False) -> AzureRequest:
    """Build the request for the costs of a period: actual costs until today, then Azure's forecast."""
    body = {
        "type": "AmortizedCost" if is_amortized else "ActualCost",
        "timeframe": "Custom",
        "timePeriod": period(since, until),
        "dataset": {"granularity": "Daily", "aggregation": _SUM},
        "includeActualCost": True,
        "includeFreshPartialCost": False,
    }
    return of_id("POST", scope, f"{_PLACE}/forecast", body=body, headers=_HEADERS, is_read=True, version=VERSION)


def period(since: date, until: date) -> dict[str, str]:
    return {"from": f"{since.isoformat()}T00:00:00Z", "to": f"{until.isoformat()}T23:59:59Z"}
