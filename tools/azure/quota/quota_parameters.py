"""Shared code of the quota tools."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure.client import Azure, Subscription
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.shared.scopes import whole

_SHORT: Final = {"compute": "Microsoft.Compute", "network": "Microsoft.Network", "storage": "Microsoft.Storage"}
# Names of regions, spelled as in Azure's APIs or as in the portal.
_REGION: Final = r"^[A-Za-z0-9 ]+$"

Regions = Annotated[
    list[Annotated[str, Field(pattern=_REGION, max_length=60)]],
    Field(min_length=1, max_length=20, description="Example: westeurope"),
]


async def subscription_meant(azure: Azure, named: str | None) -> Subscription:
    return await whole(azure, named, "Quotas")


def places(regions: list[str]) -> list[str]:
    """Spell the names of regions as Azure's APIs do (`westeurope` for West Europe), and remove duplicates."""
    found = list(dict.fromkeys(one.replace(" ", "").lower() for one in regions))
    if not all(found):
        raise Refusal("Invalid region name. Use a name such as westeurope; list_locations lists all names.")
    return found


def namespace_of(provider: str) -> str:
    return _SHORT.get(provider.lower(), provider)


def amount(value: float) -> int | float:
    return int(value) if value.is_integer() else round(value, 2)
