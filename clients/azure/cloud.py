"""The clouds of Azure: where each has its services, and for whom their tokens are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from clients.addresses import BaseUrl, checked_base_url
from clients.azure.ids import ResourceId, is_guid
from refusal import Refusal

_VAULTS: Final = "https://{}/.default"
_STORAGE_SCOPE: Final = "https://storage.azure.com/.default"
# In every cloud.
_BUS_SCOPE: Final = "https://servicebus.azure.net/.default"
_BUSES: Final = {
    "public": "servicebus.windows.net",
    "usgovernment": "servicebus.usgovcloudapi.net",
    "china": "servicebus.chinacloudapi.cn",
}
_HTTPS: Final = 443
# Plain letters only: readers of addresses differ in what ends the host of any other.
_BARE: Final = re.compile(r"https://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]{1,5})?/?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Service:
    """Where a request goes, and the scope of the token that it needs.

    `owner` is the resource that answers there: none where it is Resource Manager, which answers for all.
    """

    name: str
    base_url: BaseUrl
    scope: str
    owner: ResourceId | None = None
    # What its paths begin with, where one address has the data of many resources.
    place: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cloud:
    """One cloud, by the name that a setting has for it.

    The suffixes are those of the hosts that a vault, and each part of a storage account, has.
    """

    name: str
    sign_in: str
    management: str
    # For whom tokens for Resource Manager are.
    audience: str
    vaults: str
    storage: str
    logs: str
    # Application Insights that writes into no workspace.
    apps: str
    # Microsoft Graph, which knows people and groups.
    graph: str
    # An emulator on this machine, of which all services have one address.
    is_emulated: bool = False

    @property
    def manager(self) -> Service:
        return Service("Azure", checked_base_url(self.management), f"{self.audience}/.default")

    @property
    def directory(self) -> Service:
        """Who the people and groups of the tenant are."""
        return Service("Microsoft Graph", checked_base_url(self.graph), f"{self.graph}/.default")

    def vault(self, address: str, owner: ResourceId) -> Service:
        """The data of a vault, at the address that its resource tells."""
        return Service("Key Vault", self._checked(address, self.vaults), self.vault_scope, owner)

    @property
    def vault_scope(self) -> str:
        return _VAULTS.format(self.vaults)

    def is_vault(self, address: str) -> bool:
        """Whether a vault of this cloud may be at this address."""
        try:
            self._checked(address, self.vaults)
        except Refusal:
            return False
        return True

    def stored(self, address: str, owner: ResourceId) -> Service:
        """The data of a storage account: its blobs, tables or queues, at the address that its resource tells."""
        return Service("Azure Storage", self._checked(address, self.storage), _STORAGE_SCOPE, owner)

    def logs_of(self, owner: ResourceId) -> Service:
        """The logs of a resource: a workspace, or whatever writes into one."""
        address, scope = checked_base_url(self.logs), f"{self.logs}/.default"
        return Service("Azure Monitor Logs", address, scope, owner, ("v1", *owner.segments))

    def app_of(self, app: str, owner: ResourceId) -> Service:
        """The logs of a component of Application Insights that writes into no workspace, by the id that it tells."""
        if not is_guid(app):
            raise Refusal("The Application Insights component has no id for its data.")
        address, scope = checked_base_url(self.apps), f"{self.apps}/.default"
        return Service("Application Insights", address, scope, owner, ("v1", "apps", app))

    def bus(self, address: str, owner: ResourceId) -> Service:
        """The messages of a namespace of Service Bus, at the address that its resource tells, which names a port."""
        base_url = self._checked(address, _BUSES.get(self.name, _BUSES["public"]))
        return Service("Service Bus", base_url, _BUS_SCOPE, owner)

    def _checked(self, address: str, suffix: str) -> BaseUrl:
        """The address, to which a token of a caller may be sent: no resource may lead it elsewhere."""
        parts = urlsplit(address)
        if self.is_emulated:
            fine = _is_this_machine(parts.hostname or "")
        else:
            is_bare = bool(_BARE.fullmatch(address)) and parts.port in {None, _HTTPS}
            fine = is_bare and (parts.hostname or "").endswith(f".{suffix}")
        if not fine:
            raise Refusal(f"The resource has its data at an address that is not in this cloud ({suffix}).")
        return checked_base_url(address)


CLOUDS: Final[Mapping[str, Cloud]] = {
    "public": Cloud(
        "public",
        "https://login.microsoftonline.com",
        "https://management.azure.com",
        "https://management.azure.com",
        "vault.azure.net",
        "core.windows.net",
        "https://api.loganalytics.io",
        "https://api.applicationinsights.io",
        "https://graph.microsoft.com",
    ),
    "usgovernment": Cloud(
        "usgovernment",
        "https://login.microsoftonline.us",
        "https://management.usgovcloudapi.net",
        "https://management.core.usgovcloudapi.net",
        "vault.usgovcloudapi.net",
        "core.usgovcloudapi.net",
        "https://api.loganalytics.us",
        "https://api.applicationinsights.us",
        "https://graph.microsoft.us",
    ),
    "china": Cloud(
        "china",
        "https://login.chinacloudapi.cn",
        "https://management.chinacloudapi.cn",
        "https://management.chinacloudapi.cn",
        "vault.azure.cn",
        "core.chinacloudapi.cn",
        "https://api.loganalytics.azure.cn",
        "https://api.applicationinsights.azure.cn",
        "https://microsoftgraph.chinacloudapi.cn",
    ),
}
# As `az cloud set` calls them.
_FURTHER_NAMES: Final = {
    "azurecloud": "public",
    "azureusgovernment": "usgovernment",
    "azurechinacloud": "china",
}


def cloud_named(text: str) -> Cloud:
    """The cloud of a name, or an emulator of one at an address of this machine.

    Raises:
        Refusal: There is none.
    """
    name = text.strip().lower()
    if "://" in name:
        return _emulated(text)
    if found := CLOUDS.get(_FURTHER_NAMES.get(name, name)):
        return found
    raise Refusal(f"It is one of {', '.join(CLOUDS)}, or the address of an emulator on this machine.")


def _emulated(address: str) -> Cloud:
    base_url = checked_base_url(address)
    if not _is_this_machine(urlsplit(base_url).hostname or ""):
        raise Refusal("An emulator must be on this machine: for a cloud, set its name instead.")
    public = CLOUDS["public"]
    suffixes = (public.vaults, public.storage)
    graph = f"{base_url}/graph"
    return Cloud(base_url, base_url, base_url, base_url, *suffixes, base_url, base_url, graph, is_emulated=True)


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
