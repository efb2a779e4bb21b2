"""The Azure provider: the cloud, the identity for calls to Azure, and hints for errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from clients.azure.ids import is_guid
from clients.folding import folded
from refusal import Refusal
from settings import Settings
from tools.azure.access import AZURE, AzureAccess, FetchLink
from tools.azure.settings import HINTS, PURPOSE, AzureSettings, reach_of
from tools.azure.signed_in import is_somebody_signed_in
from tools.jobs import JobContext, ScheduledJob
from tools.provider import DelegatedPermission, Provider, Supplies

if TYPE_CHECKING:
    from azure_operations.library import OperationsLibrary
    from clients.azd_gallery import Fetch
    from clients.azure.client import Azure
    from clients.azure.prices import FetchPrices
    from clients.rest import Transport
    from tasks.work import StepOutcome, WorkStep
else:
    # Placeholders for types that are slow to import. The real types are imported when the connection to Azure is
    # opened.
    Azure = OperationsLibrary = Any


_PERMISSIONS: Final = (
    DelegatedPermission(
        service="Azure Resource Manager",
        application="797f4846-ba00-4fd7-ba43-dac1f8f63013",
        name="user_impersonation",
        id="41094075-9dad-400e-a0bd-54e686782033",
    ),
    DelegatedPermission(
        service="Azure Key Vault",
        application="cfa8b339-82a2-471a-a3c9-0fc0be7a4093",
        name="user_impersonation",
        id="f53da476-18e3-4152-8e01-aec403e6edc0",
    ),
    DelegatedPermission(
        service="Azure Storage",
        application="e406a681-f3d4-42a8-90b6-c2b029497af1",
        name="user_impersonation",
        id="03e0da56-190b-40ad-a80c-ea378c433f7f",
    ),
    DelegatedPermission(
        service="Log Analytics API",
        application="ca7f3f0b-7d91-482c-8e09-c5d840d0eac5",
        name="Data.Read",
        id="e8dac03d-d467-4a7e-9293-9cca7df08b31",
    ),
    # Queries to Application Insights components without a workspace require this permission.
    DelegatedPermission(
        service="Application Insights API",
        application="f5c26e74-f226-4ae8-85f0-b4af0080ac9e",
        name="Data.Read",
        id="c6d30a22-009b-43ce-a9e9-3ca625e7a3d4",
    ),
    DelegatedPermission(
        service="Azure Service Bus",
        application="80a10ef9-8168-493d-abf9-3297c4ef6e3c",
        name="user_impersonation",
        id="40e16207-c5fd-4916-8ca4-64565f2367ca",
    ),
    *(
        DelegatedPermission(
            service="Microsoft Graph",
            application="00000003-0000-0000-c000-000000000000",
            name=name,
            id=object_id,
            setting="AZURE_READ_DIRECTORY",
        )
        for name, object_id in (
            ("GroupMember.Read.All", "bc024368-1153-4739-b217-4326f2e966d0"),
            ("User.ReadBasic.All", "b340eb25-3456-403f-be2f-af7a0d370277"),
        )
    ),
)


_NOBODY_SIGNED_IN: Final = (
    "Azure is not available: no one is signed in on this machine. Run `az login`, then restart this server."
)
_NOBODY_SIGNS_IN: Final = "Azure is not available without sign-in. Ask an operator to set AUTH_MODE."
_IN_NOBODYS_NAME: Final = (
    "Azure is not available. Ask an operator to set UPSTREAM_CLIENT_ID, so that the server can call Azure on behalf of"
    " the signed-in user."
)


def _lacks(_own: AzureSettings, app: Settings) -> str:
    if app.sign_in.mode != "none":
        if app.upstream.client_id or app.sign_in.bridge_client_id:
            return ""
        if not app.upstream.own_identity:
            return _IN_NOBODYS_NAME
    elif app.place.is_on_azure:
        return _NOBODY_SIGNS_IN
    return "" if app.place.is_on_azure or is_somebody_signed_in() else _NOBODY_SIGNED_IN


@asynccontextmanager
async def access(
    settings: AzureSettings,
    supplies: Supplies,
    transport: Transport | None = None,
    fetch: Fetch | None = None,
    fetch_link: FetchLink | None = None,
    fetch_prices: FetchPrices | None = None,
) -> AsyncIterator[AzureAccess]:
    from tools.azure.opening import opened

    async with opened(settings, supplies, transport, fetch, fetch_link, fetch_prices) as found:
        yield found


def _check(settings: AzureSettings) -> None:
    """Reject lists of allowed scopes that contradict each other."""
    if stray := reach_of(settings).contradiction:
        raise Refusal(
            f"AZURE_ALLOWED_RESOURCE_GROUPS has a group in subscription {stray!r}, but this subscription is missing"
            f" from AZURE_ALLOWED_SUBSCRIPTIONS. Add {stray!r} to AZURE_ALLOWED_SUBSCRIPTIONS, exactly as"
            " written here."
        )


def _doubts(settings: AzureSettings) -> str:
    """Warn if the default subscription, which the deployment template sets, is not allowed."""
    default, named = folded(settings.subscription.strip()), reach_of(settings).named
    # A name and an id may refer to the same subscription, so only two ids or two names can be compared.
    is_known = not named or {is_guid(default)} == {is_guid(one) for one in named}
    if not default or not named or not is_known or default in named:
        return ""
    return (
        "AZURE_SUBSCRIPTION_ID is outside AZURE_ALLOWED_SUBSCRIPTIONS or AZURE_ALLOWED_RESOURCE_GROUPS, so there is no"
        " default subscription."
    )


async def _read_operations(given: JobContext[AzureAccess]) -> None:
    await (await given.opened()).operations().refresh()


async def _remove_role_assignment(opened: AzureAccess, step: WorkStep) -> StepOutcome:
    from tools.azure.roles.expiry import remove_when_it_ends

    return await remove_when_it_ends(opened, step)


provider: Final = Provider(
    key=AZURE,
    settings=AzureSettings,
    open=access,
    lacks=_lacks,
    check=_check,
    doubts=_doubts,
    hints=HINTS,
    permissions=_PERMISSIONS,
    keeps=(PURPOSE,),
    jobs=(ScheduledJob("read_azure_operations", lambda settings: settings.operations_schedule, _read_operations),),
    works={"remove_role_assignment": _remove_role_assignment},
)
