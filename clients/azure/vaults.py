"""Reads vaults from Resource Manager, and the properties of secrets, keys and certificates from the vaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, Literal

from clients.azure.client import Azure
from clients.azure.data_holder import DataHolder
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import FOUND, AzureRequest, ListPage, of_id
from clients.azure.named import Sort, one_called
from refusal import Refusal

Kind = Literal["secrets", "keys", "certificates"]

VAULT: Final = Sort("Microsoft.KeyVault/vaults", FOUND, "vault")
# The API version for the data of vaults. The properties that this module reads are the same in later versions.
DATA_VERSION: Final = "7.4"
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_PAGE: Final = 25  # the maximum number of entries that a vault returns in a page
# an ID in a vault consists of a kind, a name, and optionally a version
_PARTS: Final = 2


@dataclass(frozen=True, slots=True)
class KeyVault(DataHolder):
    @property
    def goes_by_roles(self) -> bool:
        return self.properties.get("enableRbacAuthorization") is True


@dataclass(frozen=True, slots=True)
class VaultEntry:
    """A secret, a key, a certificate, or a version of one of these, without its value."""

    kind: Kind
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self._place[0]

    @property
    def version(self) -> str:
        return self._place[1]

    @property
    def _place(self) -> tuple[str, str]:
        """The name and version that the ID contains. The ID of a key is in another field."""
        _, _, found = str(self.record.get("id") or self.record.get("kid")).rpartition(f"/{self.kind}/")
        parts = found.split("/")
        return parts[0], parts[1] if len(parts) == _PARTS else ""

    @property
    def is_enabled(self) -> bool:
        return self._attributes.get("enabled") is not False

    @property
    def expires(self) -> datetime | None:
        return _moment(self._attributes.get("exp"))

    def at(self, attribute: str) -> str | None:
        """A time of the entry, for example when it was created or when it expires."""
        moment = _moment(self._attributes.get(attribute) or self.record.get(attribute))
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None

    @property
    def _attributes(self) -> Mapping[str, Any]:
        found = self.record.get("attributes")
        return found if isinstance(found, Mapping) else {}


def _moment(seconds: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int) else None
    except (ValueError, OverflowError, OSError):
        return None  # the time is outside the range of Python's dates


@dataclass(frozen=True, slots=True)
class VaultContents:
    """Reads the secrets, keys and certificates in a vault."""

    azure: Azure
    vault: KeyVault

    async def listed(self, kind: Kind, limit: int, name: str | None = None, *, deleted: bool = False) -> ListPage:
        """List all entries of a kind, the versions of an entry, or deleted entries."""
        folder = f"deleted{kind}" if deleted else kind
        line = f"GET /{folder}/{{name}}/versions" if name else f"GET /{folder}"
        query = {"maxresults": min(limit, _PAGE)}
        request = self.request(line, {"name": name} if name else {}, query)
        try:
            page = await self.azure.page(request, limit)
        except Refusal as refusal:
            raise self.with_advice(refusal) from None
        return ListPage([VaultEntry(kind, record) for record in page.items], page.has_more)

    async def one(
        self, kind: Kind, name: str, version: str | None, *, gives_secrets: bool = False
    ) -> Mapping[str, Any]:
        """The properties of a version of an entry. By default, this is the newest version."""
        values = {"name": name, "version": version}
        request = self.request(f"GET /{kind}/{{name}}/{{version}}", values, gives_secrets=gives_secrets)
        return await self.read(request)

    async def read(self, request: AzureRequest) -> Mapping[str, Any]:
        """Send a read request to the vault.

        Raises:
            Refusal: The request failed. The error message states the likely reason.
        """
        try:
            return await self.azure.json(request)
        except Refusal as refusal:
            raise self.with_advice(refusal) from None

    def request(
        self, line: str, values: Mapping[str, Any], query: Mapping[str, Any] = NOTHING, **options: Any
    ) -> AzureRequest:
        """Build a request to this vault."""
        address = str(self.vault.properties.get("vaultUri") or "")
        service = self.azure.cloud.vault(address, self.vault.id)
        return AzureRequest(line, values, query, version=DATA_VERSION, service=service, **options)

    def with_advice(self, refusal: Refusal) -> Refusal:
        """Add to the error why the vault probably rejected the request."""
        if not self.vault.lets_in:
            return refusal
        if isinstance(refusal, AzureRefusal):
            return refusal.with_more(self.vault.lets_in)
        return Refusal(f"{refusal} {self.vault.lets_in}")


async def deleted_vaults(azure: Azure, scope: ResourceId, limit: int) -> ListPage:
    """The deleted vaults of a subscription that can still be recovered."""
    return await azure.page(of_id("GET", scope, "/providers/Microsoft.KeyVault/deletedVaults"), limit)


async def vault_called(azure: Azure, named: str, subscription: str | None) -> KeyVault:
    """Find a vault by ID or name.

    Raises:
        Refusal: Several vaults match, or no vault does. The error message lists the choices.
    """
    return KeyVault.of(await one_called(azure, VAULT, named, subscription))
