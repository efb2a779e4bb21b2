"""Lists items that expire soon, in one vault or in all vaults of a subscription."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.vaults import VAULT, KeyVault, Kind, VaultContents, VaultEntry, vault_called
from clients.messages import ListPage
from clients.side_by_side import MOST_SOURCES, Foremost, SourceReading, side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.keyvault.vault_parameters import thumbprint
from tools.azure.shared.answers import Json, many, present
from tools.azure.shared.everywhere import in_each, of_sort
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

_KINDS: Final[tuple[Kind, ...]] = ("secrets", "keys", "certificates")
_LISTS: Final = "lists of secrets, keys and certificates"
_MOST_OF_A_KIND: Final = 1000

AnyVault = Annotated[str | None, Field(max_length=2048, description="Name or id; default: all in the subscription")]
Days = Annotated[int, Field(ge=0, le=3650, description="Within this many days")]


@dataclass(frozen=True, slots=True)
class _List:
    """All items of one kind in a vault."""

    contents: VaultContents
    kind: Kind

    @property
    def name(self) -> str:
        return f"{self.contents.vault.name}: {self.kind}"


@dataclass(slots=True)
class _Search:
    """Searches vaults for items that expire before `until`."""

    now: datetime
    until: datetime
    found: Foremost
    too_long: list[str] = field(default_factory=list)

    async def through(self, listed: _List) -> None:
        page = await listed.contents.listed(listed.kind, _MOST_OF_A_KIND)
        if page.has_more:
            self.too_long.append(listed.name)
        self.found.add(ListPage([self._shown(listed, entry) for entry in page.items if self._counts(entry)]))

    def _counts(self, entry: VaultEntry) -> bool:
        """Check whether to report an item. The key and secret of a certificate expire with the certificate, so they are
        not reported.
        """
        is_own = not entry.record.get("managed")
        return is_own and entry.is_enabled and entry.expires is not None and entry.expires <= self.until

    def _shown(self, listed: _List, entry: VaultEntry) -> Json:
        is_over = entry.expires is not None and entry.expires <= self.now
        return present(
            {
                "expires": entry.at("exp"),
                "expired": is_over or None,
                "kind": listed.kind.removesuffix("s"),
                "name": entry.name,
                "vault": listed.contents.vault.name,
                "subject": entry.record.get("subject"),
                "thumbprint": thumbprint(entry.record.get("x5t")),
            }
        )


@part.tool(Access.READ, harmless=("vault", "days", "resource_group", "subscription"))
async def list_expiring_secrets(
    azure: Arm,
    vault: AnyVault = None,
    days: Days = 30,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List secrets, keys and certificates that expire soon or have expired, in one key vault or a whole subscription.

    Checks the newest version of each enabled item that has an expiry date.
    """
    lists, said = await _lists(azure, vault, resource_group, subscription)
    now = datetime.now(UTC)
    # ISO dates sort chronologically as text.
    search = _Search(now, now + timedelta(days=days), Foremost(max_results, _date, descending=False))
    reading = await side_by_side({one.name: one for one in lists}, search.through)
    reading.refuse_if_none(_LISTS)
    return many(search.found.page, None, **said, **_coverage(reading), not_read_to_the_end=search.too_long)


async def _lists(
    azure: Azure, vault: str | None, group: str | None, subscription: str | None
) -> tuple[list[_List], Json]:
    if vault:
        found, said = [await vault_called(azure, vault, subscription)], {}
    else:
        all_vaults = await in_each(azure, subscription, of_sort(azure, VAULT, MOST_SOURCES), MOST_SOURCES, group=group)
        found, said = [KeyVault.of(record) for record in all_vaults.page.items], all_vaults.said
    return [_List(VaultContents(azure, one), kind) for one in found for kind in _KINDS], said


def _date(entry: Json) -> str:
    return str(entry["expires"])


def _coverage(reading: SourceReading) -> Json:
    said = reading.said(_LISTS)
    return {"read": said["read"], "not_read": said.get("notRead")}
