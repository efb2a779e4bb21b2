"""Links to blobs, which are secrets: whoever has one needs no sign-in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from pydantic import Field

from clients.azure.storage import blobs, links
from clients.azure.storage.blobs import Place
from mcp_server.declarations.toolset import Access, Part
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.parameters import Subscription
from tools.azure.storage.shared import OF_BLOB, AccountName, BlobName, ContainerName, data_of

part = Part()

_WARNING: Final = "Until then, whoever has the link can read this blob without a sign-in: give it to nobody else."


# It changes nothing in Azure, yet lets in whomever the link is given to: so it takes more than reading, clients ask
# before they call it, and where people who only read shall have it, their role names it.
@part.tool(Access.WRITE, gives_secret=True, harmless=(*OF_BLOB, "minutes"))
async def create_blob_link(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    minutes: Annotated[int, Field(ge=1, le=60, description="How long it works")] = 15,
    subscription: Subscription = None,
) -> Json:
    """Make a link with which anybody can download one blob for some minutes. Ask the user first."""
    data = await data_of(azure, account, subscription, "blob")
    await blobs.properties(data, Place(container, blob))
    now = datetime.now(UTC)
    end = now + timedelta(minutes=minutes)
    key = await links.delegation_key(data, now, end)
    link = f"{links.address(data, container, blob)}?{links.signed(key, data.account.name, container, blob, end)}"
    return answer(link=link, until=links.written(end), warning=_WARNING, network=data.account.lets_in)
