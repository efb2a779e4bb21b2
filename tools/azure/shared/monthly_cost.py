"""Uses the public price list to estimate how a change to plans, virtual machines or throughput affects the monthly
cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from changes.plain_names import kind_in_words
from clients.answers import at
from clients.azure.client import Azure
from clients.azure.prices import CURRENCY, PricedItem, monthly_price
from clients.side_by_side import side_by_side

_PLAN: Final = "microsoft.web/serverfarms"
_MACHINE: Final = "microsoft.compute/virtualmachines"
_UNITS_OF_A_PRICE: Final = 100
_CHEAPER: Final = ("spot", "low priority")
_MOST: Final = 8
_MOST_NAMED: Final = 4
_SECONDS: Final = 5.0
_LIST: Final = "list price, without discounts"

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CostChange:
    """The billed part of a resource before and after a change.

    `before` is None if the change creates the resource, and `after` is None if the change deletes it.
    """

    name: str
    before: PricedItem | None
    after: PricedItem | None

    @property
    def is_one(self) -> bool:
        return self.before != self.after


def cost_change(before: Document | None, after: Document | None) -> CostChange | None:
    """Return what is billed for a resource before and after a change.

    Return None if the billed part stays the same, or if the pricing is not simple.
    """
    items = [_item_of(one) if one else None for one in (before, after)]
    one = after or before or {}
    kind, name = kind_in_words(str(one.get("type") or "")), str(one.get("name") or "").rpartition("/")[2]
    change = CostChange(f"{kind} {name}", *items)
    return change if change.is_one else None


def throughput(region: str, units: float) -> PricedItem:
    """Return the price item of manually provisioned Cosmos DB request units.

    `units` is the sum for all regions of the account.
    """

    def fits(record: Document) -> bool:
        return record.get("productName") == "Azure Cosmos DB" and record.get("meterName") == "100 RU/s"

    return PricedItem("Azure Cosmos DB", _region(region), "100 RU/s", fits, count=units / _UNITS_OF_A_PRICE)


async def cost_in_words(azure: Azure, changes: Sequence[CostChange]) -> str:
    """Describe the total cost of the changes. The text is empty if no change has a simple price, or if prices are
    disabled.
    """
    if not changes or azure.prices.fetch is None:
        return ""
    addresses = {item.address for one in changes[:_MOST] for item in (one.before, one.after) if item}
    records = await _price_records(azure, addresses)

    def price_of(item: PricedItem | None) -> float | None:
        return monthly_price(item, records.get(item.address, ())) if item else 0.0

    return _in_words(changes, price_of)


async def _price_records(azure: Azure, addresses: Iterable[str]) -> Mapping[str, list[Document]]:
    records: dict[str, list[Document]] = {}

    async def ask(address: str) -> None:
        records[address] = await azure.prices.records(address)

    await side_by_side({address: address for address in addresses}, ask, seconds=_SECONDS)
    return records


def _in_words(changes: Sequence[CostChange], price_of: Callable[[PricedItem | None], float | None]) -> str:
    prices = [(one, price_of(one.before), price_of(one.after)) for one in changes[:_MOST]]
    known = [(one, was, will) for one, was, will in prices if was is not None and will is not None]
    unknown = [one.name for one in changes if one not in [own for own, *_ in known]]
    sentences = []
    if len(known) == 1:
        sentences.append(_of_one(*known[0]))
    elif known:
        sentences.append(_of_several(known))
    if unknown:
        sentences.append(f"Price unknown: {_named(unknown)}")
    return "; ".join(sentences)


def _of_several(known: Sequence[tuple[CostChange, float, float]]) -> str:
    more = sum(will - was for _, was, will in known)
    verb = "Costs" if more >= 0 else "Saves"
    names = _named([one.name for one, *_ in known])
    amount = f"{_amount(abs(more))}{' more' if more >= 0 else ''}"
    return f"{verb} about {amount} a month for {names} ({_LIST})"


def _of_one(change: CostChange, was: float, will: float) -> str:
    if change.after is None:
        return f"Saves about {_amount(was)} a month for the {change.name} ({_LIST})"
    instead = f" instead of {_amount(was)}" if change.before else ""
    return f"Costs about {_amount(will)} a month{instead} for the {change.name} ({_LIST})"


def _amount(price: float) -> str:
    return f"{price:,.0f} {CURRENCY}" if price >= 1 or not price else f"{price:.2f} {CURRENCY}"


def _named(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _item_of(document: Document) -> PricedItem | None:
    kind = str(document.get("type") or "").lower()
    if kind == _PLAN:
        return _plan(document)
    return _machine(document) if kind == _MACHINE else None


def _plan(document: Document) -> PricedItem | None:
    """Return the price item of an App Service plan. Plans with autoscale are billed by the number of instances."""
    size, count = str(at(document, "sku.name") or "").lower(), at(document, "sku.capacity")
    is_linux = at(document, "properties.reserved") is True or "linux" in str(document.get("kind") or "").lower()
    if not size or size.startswith(("y", "fc", "ep", "ws", "i")):
        return None

    def fits(record: Document) -> bool:
        own = str(record.get("skuName")).replace(" ", "").lower()
        return own == size and str(record.get("productName")).endswith("- Linux") is is_linux

    instances = count if isinstance(count, int) and count > 0 else 1
    return PricedItem("Azure App Service", _region(document.get("location")), size, fits, count=instances)


def _machine(document: Document) -> PricedItem | None:
    size = str(at(document, "properties.hardwareProfile.vmSize") or "")
    system = str(at(document, "properties.storageProfile.osDisk.osType") or "").lower()
    is_windows = system == "windows" or bool(at(document, "properties.osProfile.windowsConfiguration"))
    if not size or at(document, "properties.priority") in {"Spot", "Low"}:
        return None

    def fits(record: Document) -> bool:
        is_cheaper = any(word in str(record.get("skuName")).lower() for word in _CHEAPER)
        return not is_cheaper and ("Windows" in str(record.get("productName"))) is is_windows

    return PricedItem("Virtual Machines", _region(document.get("location")), size, fits, {"armSkuName": size})


def _region(location: object) -> str:
    return str(location or "").replace(" ", "").lower()
