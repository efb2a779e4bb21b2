"""Creates links to blobs. The links are secrets: anyone with a link can read the blob without signing in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from changes.preview import Preview
from changes.undo import never
from clients.azure.client import Azure
from clients.azure.storage import blobs, links
from clients.azure.storage.blobs import BlobAddress
from clients.azure.storage.data import Data
from mcp_server.declarations.change import Change
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.inspecting import inspect
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.permitted import doubt_of
from tools.azure.storage.storage_parameters import OF_BLOB, AccountName, BlobName, ContainerName, data_of

part = Part()

# The action that returns the key for signing links.
_ACTION: Final = "Microsoft.Storage/storageAccounts/blobServices/generateUserDelegationKey/action"
_WARNING: Final = (
    "Until the link expires, anyone with the link can read this blob without signing in. Do not share the link further."
)


@dataclass(frozen=True, slots=True)
class _Link(Change[Json]):
    azure: Azure
    data: Data
    place: BlobAddress
    minutes: int

    async def preview(self) -> Preview:
        account = self.data.account
        doubt = await doubt_of(self.azure, account.id, _ACTION)
        known = await inspect(self.azure, account.id, seen=[dict(account.record)])
        whole = f"{self.place.blob} in {self.place.container} of {account.name}"
        return Preview(
            what=f"A link to the blob {whole}",
            sentence=f"Create a link that lets anyone download the blob {whole} for {self.minutes} minutes",
            facts={"account": account.name, "network": account.lets_in},
            places=known.places,
            missing=known.missing,
            undo=never("a link cannot be revoked before it expires"),
            destroys=False,
            doubt=doubt,
        )

    async def apply(self) -> Json:
        data, place = self.data, self.place
        now = datetime.now(UTC)
        end = now + timedelta(minutes=self.minutes)
        key = await links.delegation_key(data, now, end)
        signed = links.signed(key, data.account.name, place.container, place.blob, end)
        link = f"{links.address(data, place.container, place.blob)}?{signed}"
        return answer(link=link, until=links.written(end), warning=_WARNING, network=data.account.lets_in)


# The tool changes nothing in Azure, but gives access to everyone with the link. For this reason, the tool requires more
# than read access, clients ask before calling the tool, and a role with read access includes the tool only if the role
# lists it.
@part.change(Access.WRITE, gives_secret=True, harmless=(*OF_BLOB, "minutes"))
async def create_blob_link(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    minutes: Annotated[int, Field(ge=1, le=60, description="Lifetime")] = 15,
    subscription: Subscription = None,
) -> _Link:
    """Create a link that lets anyone download one blob for some minutes. Ask the user first."""
    data, place = await data_of(azure, account, subscription, "blob", anew=True), BlobAddress(container, blob)
    await blobs.properties(data, place)
    return _Link(azure, data, place, minutes)
