"""Cost Management and budgets: sums of what the bakery pays, told apart and filtered as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.charges import Bills, Charge
from tests.fakes.azure.estate import Estate, subscription_of, type_of
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, offset_of, paged, skip_token

_HERE: Final = "{scope}/providers/Microsoft.CostManagement"
_BUDGETS: Final = "{scope}/providers/Microsoft.Consumption/budgets"
_PAGE: Final = 1000
_LONGEST: Final = 366
_MONTH: Final = 28

Told = Callable[[Charge], str]


@dataclass
class Costs:
    """`page_size` rows are in a page, whose next one is asked for by POST."""

    estate: Estate
    access: Access
    bills: Bills
    now: datetime
    page_size: int = _PAGE

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"POST {_HERE}/query", self._query),
            Route(f"POST {_HERE}/forecast", self._forecast),
            Route(f"GET {_BUDGETS}", self._list_budgets),
            Route(f"GET {_BUDGETS}/{{name}}", self._get_budget),
        ]

    def _query(self, asked: Asked) -> Reply:
        charges, body = self._charges(asked, "query"), asked.body
        dataset, by_day = _dataset(body)
        columns, told = self._told(dataset)
        sums: dict[tuple[Any, ...], float] = {}
        for charge in charges:
            key = (*by_day(charge), *(one(charge) for one in told), charge.currency)
            sums[key] = sums.get(key, 0.0) + charge.amount
        rows = [[round(amount, 8), *key] for key, amount in sums.items()]
        if dataset.get("sorting"):
            rows.sort(key=lambda row: row[0], reverse=dataset["sorting"][0]["direction"].lower() == "descending")
        day = {"Daily": [("UsageDate", "Number")], "Monthly": [("BillingMonth", "Datetime")]}
        names = [("Cost", "Number"), *day.get(str(dataset.get("granularity")), []), *columns, ("Currency", "String")]
        return self._page(asked, "query", names, rows)

    def _told(self, dataset: Json) -> tuple[list[tuple[str, str]], list[Told]]:
        columns: list[tuple[str, str]] = []
        told: list[Told] = []
        for one in dataset.get("grouping") or ():
            if one["type"] == "TagKey":
                columns += [("TagKey", "String"), ("TagValue", "String")]
                told += [_always(str(one["name"])), self._tag(one["name"])]
            else:
                columns.append((one["name"], "String"))
                told.append(self._dimension(one["name"]))
        return columns, told

    def _tag(self, name: str) -> Told:
        def value(charge: Charge) -> str:
            resource = self.estate.resources.get(charge.resource)
            tags = resource.tags if resource else {}
            return next((text for key, text in tags.items() if key.lower() == name.lower()), "")

        return value

    def _dimension(self, name: str) -> Told:
        known: Mapping[str, Told] = {
            "servicename": lambda charge: charge.service,
            "resourcegroupname": lambda charge: charge.resource.split("/")[4],
            "resourcegroup": lambda charge: charge.resource.split("/")[4],
            "resourceid": lambda charge: charge.resource,
            "resourcetype": lambda charge: type_of(charge.resource).lower(),
            "resourcelocation": lambda charge: charge.location,
            "meter": lambda charge: charge.meter,
            "subscriptionid": lambda charge: subscription_of(charge.resource),
        }
        if name.lower() not in known:
            raise _bad(f"Invalid dataset grouping: '{name}'; valid values are: {', '.join(sorted(known))}.")
        return known[name.lower()]

    def _charges(self, asked: Asked, what: str) -> list[Charge]:
        scope = asked.places["scope"]
        if not self.access.may(called_by(asked), f"Microsoft.CostManagement/{what}/read", scope):
            message = f"The client does not have authorization to perform action. Request ID: {invented_id('cost')}"
            raise AzureError(403, "RBACAccessDenied", message)
        first, last = _period(asked.body)
        test = self._filter((asked.body.get("dataset") or {}).get("filter"))
        return [one for one in self.bills.within(scope) if first <= one.day <= last and test(one)]

    def _filter(self, written: Any) -> Callable[[Charge], bool]:
        if not written:
            return lambda _: True
        for word, quantor in (("and", all), ("or", any)):
            if word in written:
                parts = [self._filter(one) for one in written[word]]
                return lambda charge: quantor(one(charge) for one in parts)
        [(kind, test)] = written.items()
        if test.get("operator") != "In" or not test.get("values"):
            raise _bad("Invalid dataset filter: the operator has to be 'In', with values.")
        told = self._tag(test["name"]) if kind == "tags" else self._dimension(test["name"])
        values = {str(one).lower() for one in test["values"]}
        return lambda charge: told(charge).lower() in values

    def _forecast(self, asked: Asked) -> Reply:
        charges, (_, last) = self._charges(asked, "forecast"), _period(asked.body)
        today = self.now.date()
        past = [one for one in self.bills.within(asked.places["scope"]) if one.day < today]
        if not past or (today - min(one.day for one in past)).days < _MONTH:
            return Reply(status=204)
        rows: list[list[Any]] = []
        currency, recent = past[0].currency, [one for one in past if one.day >= today - timedelta(days=7)]
        for day, amount in _by_day(one for one in charges if one.day < today).items():
            rows.append([amount, _number(day), "Actual", currency])
        a_day = sum(one.amount for one in recent) / 7
        ahead = (today + timedelta(days=number) for number in range((last - today).days + 1))
        rows += [[round(a_day, 8), _number(day), "Forecast", currency] for day in ahead]
        names = [("Cost", "Number"), ("UsageDate", "Number"), ("CostStatus", "String"), ("Currency", "String")]
        return self._page(asked, "query", names, rows)

    def _page(self, asked: Asked, kind: str, names: Sequence[tuple[str, str]], rows: list[list[Any]]) -> Reply:
        if not rows:
            return Reply(status=204)
        start = offset_of(asked.query.get("$skiptoken"))
        end = start + self.page_size
        link = None
        if end < len(rows):
            link = f"{asked.origin}{asked.path}?api-version={asked.version}&$skiptoken={skip_token(end)}"
        name = invented_id("query", asked.path)
        return Reply(
            {
                "id": f"{asked.places['scope'].lstrip('/')}/providers/Microsoft.CostManagement/{kind}/{name}",
                "name": name,
                "type": f"Microsoft.CostManagement/{kind}",
                "location": None,
                "sku": None,
                "eTag": None,
                "properties": {
                    "nextLink": link,
                    "columns": [{"name": one, "type": of} for one, of in names],
                    "rows": rows[start:end],
                },
            },
            headers={"x-ms-ratelimit-microsoft.costmanagement-qpu-remaining": "QPU-Remaining=599"},
        )

    def _list_budgets(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, "Microsoft.Consumption/budgets/read", scope)
        start = f"{scope}/providers/microsoft.consumption/budgets/".lower()
        found = [self._spent(one) for key, one in self.bills.budgets.items() if key.startswith(start)]
        return paged(asked, found, self.page_size)

    def _get_budget(self, asked: Asked) -> Json:
        self.access.demand(asked, "Microsoft.Consumption/budgets/read", asked.places["scope"])
        found = self.bills.budgets.get(asked.path.lower())
        if found is None:
            raise AzureError(404, "404", f"Budget with name '{asked.places['name']}' not found.")
        return self._spent(found)

    def _spent(self, budget: Json) -> Json:
        scope, today = str(budget["id"]).partition("/providers/Microsoft.Consumption/")[0], self.now.date()
        month = [one for one in self.bills.within(scope) if one.day >= today.replace(day=1)]
        spent = sum(one.amount for one in month)
        unit = month[0].currency if month else "EUR"
        last = (today.replace(day=1) + timedelta(days=31)).replace(day=1)
        expected = spent / today.day * ((last - today.replace(day=1)).days)
        more = {
            "currentSpend": {"amount": round(spent, 2), "unit": unit},
            "forecastSpend": {"amount": round(expected, 2), "unit": unit},
        }
        return {**budget, "properties": {**budget["properties"], **more}}


def _always(text: str) -> Told:
    return lambda _: text


def _dataset(body: Json) -> tuple[Json, Callable[[Charge], tuple[Any, ...]]]:
    dataset: Json = body.get("dataset") or body.get("dataSet") or {}
    if body.get("type") not in {"ActualCost", "AmortizedCost", "Usage"}:
        raise _bad("Invalid query definition: Missing or invalid type.")
    if not dataset.get("aggregation"):
        raise _bad("Invalid dataset aggregation: it is missing.")
    grains: Mapping[str, Callable[[Charge], tuple[Any, ...]]] = {
        "None": lambda _: (),
        "Daily": lambda charge: (_number(charge.day),),
        "Monthly": lambda charge: (f"{charge.day:%Y-%m}-01T00:00:00",),
    }
    if dataset.get("granularity", "None") not in grains:
        raise _bad(f"Invalid dataset granularity: '{dataset['granularity']}'.")
    return dataset, grains[dataset.get("granularity") or "None"]


def _period(body: Json) -> tuple[date, date]:
    try:
        first, last = (date.fromisoformat(str(body["timePeriod"][name])[:10]) for name in ("from", "to"))
    except (LookupError, TypeError, ValueError):
        raise _bad("Invalid query definition: timePeriod is required for the timeframe 'Custom'.") from None
    if not timedelta(0) <= last - first <= timedelta(days=_LONGEST):
        raise _bad("Invalid query definition: The time period for pulling the data cannot exceed 1 year(s).")
    return first, last


def _by_day(charges: Iterable[Charge]) -> dict[date, float]:
    sums: dict[date, float] = {}
    for one in charges:
        sums[one.day] = round(sums.get(one.day, 0.0) + one.amount, 8)
    return sums


def _number(day: date) -> int:
    return int(day.strftime("%Y%m%d"))


def _bad(message: str) -> AzureError:
    return AzureError(400, "BadRequest", message)
