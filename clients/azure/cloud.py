"""The Azure clouds, with the hosts of their services and the scopes of tokens."""

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
# The scope for Service Bus is the same in all clouds.
_BUS_SCOPE: Final = "https://servicebus.azure.net/.default"
_BUSES: Final = {
    "public": "servicebus.windows.net",
    "usgovernment": "servicebus.usgovcloudapi.net",
    "china": "servicebus.chinacloudapi.cn",
}
_HTTPS: Final = 443
# Allows only plain letters, digits and hyphens, because URL parsers disagree about where a host name with other
# characters ends.
_BARE: Final = re.compile(r"https://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]{1,5})?/?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Service:
    """The URL of a service, and the scope of tokens for this service.

    `owner` is the resource that has its own URL; None for Resource Manager, which serves all resources.
    """

    name: str
    base_url: BaseUrl
    scope: str
    owner: ResourceId | None = None
    # The path prefix that selects the resource, if a host serves the data of many resources.
    place: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cloud:
    """An Azure cloud. `name` is the name of the cloud in the settings.

    `vaults` and `storage` are the endings of the host names of vaults and storage services.
    """

    name: str
    sign_in: str
    management: str
    # The audience of tokens for Resource Manager.
    audience: str
    vaults: str
    storage: str
    logs: str
    # The URL for Application Insights components without a workspace.
    apps: str
    # The URL of Microsoft Graph, for people and groups.
    graph: str
    # Whether this is an emulator on this machine. An emulator has the same URL for all services.
    is_emulated: bool = False

    @property
    def manager(self) -> Service:
        return Service("Azure", checked_base_url(self.management), f"{self.audience}/.default")

    @property
    def directory(self) -> Service:
        """Microsoft Graph, which contains the people and groups of the tenant."""
        return Service("Microsoft Graph", checked_base_url(self.graph), f"{self.graph}/.default")

    def vault(self, address: str, owner: ResourceId) -> Service:
        """The service for the data of a vault. `address` is the URL from the vault's properties."""
        return Service("Key Vault", self._checked(address, self.vaults), self.vault_scope, owner)

    @property
    def vault_scope(self) -> str:
        return _VAULTS.format(self.vaults)

    def is_vault(self, address: str) -> bool:
        """Whether this URL can belong to a vault in this cloud."""
        try:
            self._checked(address, self.vaults)
        except Refusal:
            return False
        return True

    def stored(self, address: str, owner: ResourceId) -> Service:
        """The service for the blobs, tables or queues of a storage account. `address` is the URL from the account's
        properties.
        """
        return Service("Azure Storage", self._checked(address, self.storage), _STORAGE_SCOPE, owner)

    def logs_of(self, owner: ResourceId) -> Service:
        """The service for the logs of a workspace, or of a resource that sends its logs to a workspace."""
        address, scope = checked_base_url(self.logs), f"{self.logs}/.default"
        return Service("Azure Monitor Logs", address, scope, owner, ("v1", *owner.segments))

    def app_of(self, app: str, owner: ResourceId) -> Service:
        """The service for the logs of an Application Insights component that has no workspace. `app` is the component's
        app ID.
        """
        if not is_guid(app):
            raise Refusal("The Application Insights component has no app ID, so it cannot be queried.")
        address, scope = checked_base_url(self.apps), f"{self.apps}/.default"
        return Service("Application Insights", address, scope, owner, ("v1", "apps", app))

    def bus(self, address: str, owner: ResourceId) -> Service:
        """The service for the messages of a Service Bus namespace. `address` is the URL from the namespace's
        properties.

        This URL contains a port.
        """
        base_url = self._checked(address, _BUSES.get(self.name, _BUSES["public"]))
        return Service("Service Bus", base_url, _BUS_SCOPE, owner)

    def _checked(self, address: str, suffix: str) -> BaseUrl:
        """Check that a URL belongs to this cloud, so that a resource cannot direct a caller's token to another host."""
        parts = urlsplit(address)
        if self.is_emulated:
            fine = _is_this_machine(parts.hostname or "")
        else:
            is_bare = bool(_BARE.fullmatch(address)) and parts.port in {None, _HTTPS}
            fine = is_bare and (parts.hostname or "").endswith(f".{suffix}")
        if not fine:
            raise Refusal(f"The data URL of the resource is not in this cloud ({suffix}).")
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
# The names that `az cloud set` accepts.
_FURTHER_NAMES: Final = {
    "azurecloud": "public",
    "azureusgovernment": "usgovernment",
    "azurechinacloud": "china",
}


def cloud_named(text: str) -> Cloud:
    """The cloud with this name, or an emulator at a URL on this machine.

    Raises:
        Refusal: The name is unknown, or the emulator is on another machine.
    """
    name = text.strip().lower()
    if "://" in name:
        return _emulated(text)
    if found := CLOUDS.get(_FURTHER_NAMES.get(name, name)):
        return found
    raise Refusal(f"Must be one of {', '.join(CLOUDS)}, or the URL of an emulator on this machine.")


def _emulated(address: str) -> Cloud:
    base_url = checked_base_url(address)
    if not _is_this_machine(urlsplit(base_url).hostname or ""):
        raise Refusal("An emulator must be on this machine. To use a cloud, set the cloud's name instead of a URL.")
    public = CLOUDS["public"]
    suffixes = (public.vaults, public.storage)
    graph = f"{base_url}/graph"
    return Cloud(base_url, base_url, base_url, base_url, *suffixes, base_url, base_url, graph, is_emulated=True)


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
