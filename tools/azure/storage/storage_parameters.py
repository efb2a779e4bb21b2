"""Code that the storage tools share: parameters, and the conversion of Azure's XML answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.storage.accounts import Kind, account_called
from clients.azure.storage.data import Data
from clients.azure.storage.xml import Element
from clients.azure.withholding import withheld
from mcp_server.declarations.field import Field
from tools.azure.shared.answers import Json, answer, present

_CONTAINER: Final = r"^(\$root|\$web|\$logs|\$blobchangefeed|[a-z0-9](-?[a-z0-9]){2,62})$"

AccountName = Annotated[str, Field(min_length=3, max_length=2048, description="Name or id")]
ContainerName = Annotated[str, Field(pattern=_CONTAINER, description="Its name")]
BlobName = Annotated[str, Field(min_length=1, max_length=1024, description="Full name")]
Prefix = Annotated[str | None, Field(max_length=1024, description="Name prefix")]
MostListed = Annotated[int, Field(ge=1, le=1000, description="Limit")]
Next = Annotated[str | None, Field(max_length=4096, description="`next` of the last answer")]
Snapshot = Annotated[str | None, Field(max_length=40, description="As shown by list_blobs")]
Version = Annotated[str | None, Field(max_length=40, description="As shown by list_blobs")]

# Parameters whose values may appear in audit records: names, but not filters.
OF_ACCOUNT: Final = ("account", "subscription")
OF_BLOB: Final = (*OF_ACCOUNT, "container", "blob")


async def data_of(azure: Azure, account: str, subscription: str | None, kind: Kind, *, anew: bool = False) -> Data:
    return Data(azure, await account_called(azure, account, subscription, anew=anew), kind)


def some(items: Sequence[Any], following: str, **more: Any) -> Json:
    """Build an answer with a page of a list and the marker of the next page."""
    return {**answer(next=following), "count": len(items), **present(more), "items": items}


def moment(text: str | None) -> str | None:
    """Convert the time in a header to the format of other Azure services."""
    try:
        return parsedate_to_datetime(text or "").astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return text or None


def texts(element: Element, paths: Mapping[str, str]) -> Json:
    """Return the texts at these paths in an XML element, under the given names."""
    return present({name: element.findtext(path) for name, path in paths.items()})


def metadata(element: Element) -> Any:
    found = element.find("Metadata")
    return {} if found is None else withheld({entry.tag: entry.text for entry in found})
