"""The Azure DevOps provider: the URL and identity for its requests, and hints for errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from mcp_server.declarations.adaptation import Adaptation, Places
from mcp_server.visit import Context
from settings import Settings
from tools.azure_devops.access import AZURE_DEVOPS, ORGANIZATION, AzureDevOpsAccess, client_of
from tools.azure_devops.settings import APPLICATION, HINTS, AzureDevOpsSettings
from tools.provider import DelegatedPermission, Provider, Supplies

if TYPE_CHECKING:
    from clients.azure_devops.client import AzureDevOps
    from clients.rest import Transport
else:
    # A placeholder for the client's type, because the client is slow to import. The client is imported when the
    # connection to Azure DevOps is opened.
    AzureDevOps = Any


_PERMISSION: Final = DelegatedPermission(
    service="Azure DevOps",
    application=APPLICATION,
    name="user_impersonation",
    id="ee69721e-6c3a-468f-a9ec-302d16a4c599",
)


def _lacks(settings: AzureDevOpsSettings, _: Settings) -> str:
    return "" if settings.url else "Azure DevOps is not configured. Ask an operator to set ADO_ORG_URL."


def _doubts(settings: AzureDevOpsSettings) -> str:
    is_lonely = settings.token and not settings.url
    return "ADO_PAT is set, but ADO_ORG_URL is not, so there are no Azure DevOps tools." if is_lonely else ""


def _check(settings: AzureDevOpsSettings) -> None:
    if not settings.url:
        return
    from tools.azure_devops.organizations import check

    check(settings)
    if settings.authorities:
        from tools.azure_devops.trust import trusting

        trusting(settings.authorities)


def _adapts(settings: AzureDevOpsSettings) -> Adaptation:
    """Return the parameter that selects the organization, if several are configured."""
    return Adaptation({ORGANIZATION: "Has a default"} if "," in settings.url else {}, _placed, _doubt)


@asynccontextmanager
async def access(
    settings: AzureDevOpsSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[AzureDevOpsAccess]:
    from tools.azure_devops.opening import opened

    async with opened(settings, supplies, transport) as found:
        yield found


provider: Final = Provider(
    key=AZURE_DEVOPS,
    settings=AzureDevOpsSettings,
    open=access,
    lacks=_lacks,
    check=_check,
    adapts=_adapts,
    doubts=_doubts,
    hints=HINTS,
    permissions=(_PERMISSION,),
)


async def _placed(context: Context, given: Mapping[str, Any], named: Places) -> Places:
    from tools.azure_devops.previews.placing import placed

    return await placed(await client_of(context), given, named)


async def _doubt(context: Context, tool: str, given: Mapping[str, Any]) -> str:
    from tools.azure_devops.rights.checking import doubt_of

    return await doubt_of(await client_of(context), tool, given)
