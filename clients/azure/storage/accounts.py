"""Storage accounts, as Resource Manager tells them: where each has its data, and who may get there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from clients.azure.client import Azure
from clients.azure.cloud import Cloud, Service
from clients.azure.data_holder import DataHolder
from clients.azure.ids import ResourceId
from clients.azure.messages import Page, Request, of_id
from refusal import Refusal

Kind = Literal["blob", "table", "queue"]

TYPE: Final = "Microsoft.Storage/storageAccounts"
_MOST: Final = 5000
_NAMED: Final = 30


@dataclass(frozen=True, slots=True)
class Account(DataHolder):
    def service(self, cloud: Cloud, kind: Kind) -> Service:
        """Where it has its data of one kind.

        Raises:
            Refusal: It can have none of that kind, or elsewhere than in this cloud.
        """
        address = (self.properties.get("primaryEndpoints") or {}).get(kind)
        if not address:
            what = f"{self.record.get('kind', '')} {(self.record.get('sku') or {}).get('name', '')}".strip()
            raise Refusal(f"The storage account {self.name} has no {kind}s: {what} accounts cannot.")
        return cloud.stored(address, self.id)


async def accounts(azure: Azure, subscription: str | None, group: str | None, limit: int) -> Page:
    """The accounts of a subscription, or of one of its groups."""
    values = {"subscription": (await azure.subscription(subscription)).id, "group": group}
    within = "/resourceGroups/{group}" if group else ""
    place = f"/subscriptions/{{subscription}}{within}/providers/{TYPE}"
    return await azure.page(Request(f"GET {place}", {k: v for k, v in values.items() if v}), limit)


async def account_called(azure: Azure, named: str, subscription: str | None) -> Account:
    """The account of an id, or of a name in a subscription; what was read of it lately is not read again.

    Raises:
        Refusal: There is none; the text says which there are.
    """
    if "/" in named:
        place = _account_id(named)
        return await azure.lately(("storage account", place.key), lambda: _of_id(azure, place))
    where = (await azure.subscription(subscription)).id
    name = named.strip().lower()
    return await azure.lately(("storage account", where, name), lambda: _of_name(azure, name, where))


def _account_id(text: str) -> ResourceId:
    place = ResourceId.of(text)
    if place.type.lower() != TYPE.lower():
        raise Refusal(f"This is not the id of a storage account: one ends with /providers/{TYPE}/<name>.")
    return place


async def _of_id(azure: Azure, place: ResourceId) -> Account:
    return Account.of(await azure.json(of_id("GET", place)))


async def _of_name(azure: Azure, name: str, subscription: str) -> Account:
    found = [Account.of(record) for record in (await accounts(azure, subscription, None, _MOST)).items]
    for account in found:
        if account.name.lower() == name:
            return account
    raise Refusal(_which(name, [account.name for account in found]))


def _which(name: str, there: list[str]) -> str:
    if not there:
        return "This subscription has no storage account that you may see. Pass another `subscription`."
    more = f" and {len(there) - _NAMED} more" if len(there) > _NAMED else ""
    names = ", ".join(there[:_NAMED])
    return (
        f"This subscription has no storage account {name!r}. There are {names}{more}. Or pass another `subscription`."
    )
