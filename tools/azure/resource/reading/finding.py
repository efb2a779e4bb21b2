"""Searches the names and descriptions of Azure operations."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal

from clients.azure.messages import AzureRequest
from clients.azure.versions import PROVIDERS_VERSION
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm, Opened
from tools.azure.shared.answers import Json, every, present

if TYPE_CHECKING:
    from azure_operations.keeping import PublishedOperations
    from azure_operations.library import OperationsLibrary
    from azure_operations.record import Operation
    from clients.azure.client import Azure

_STALE: Final = timedelta(days=3)
_LONGEST_WORDS: Final = 160
_NAMED: Final = 10
_HOW_TO_READ: Final = (
    "Replace the placeholders in braces and pass the path to read_azure. To get a list, omit the name at the end of a"
    " path. To list a whole subscription, also omit resourceGroups and the group."
)
_CUT: Final = "Put the text of `idsBeginWith` in front of each path."
_OF_ONE: Final = "Only the resource types of this provider are listed; its other operations are not indexed yet."

part = Part()


@part.tool(Access.READ)
async def find_azure_operation(
    azure: Arm,
    opened: Opened,
    query: Annotated[str, Field(min_length=1, max_length=300, description="In any words")],
    namespace: Annotated[str | None, Field(max_length=100, description="Example: Microsoft.Compute")] = None,
    kind: Annotated[Literal["read", "write", "delete", "action"] | None, Field(description="Only these")] = None,
    max_results: Annotated[int, Field(ge=1, le=30, description="Limit")] = 6,
) -> Json:
    """Find Azure resource types and operations by words, with their permissions, versions, and paths for read_azure.

    change_azure runs operations that change something.
    """
    library = opened.operations()
    edition = await library.edition()
    if edition:
        found = edition.index.find(query, max_results, namespace=namespace or "", kind=kind)
        return _answer(found, _note(edition.published))
    if not namespace:
        raise Refusal(
            f"{library.state} Until then, pass `namespace`, for example Microsoft.Compute, to search one provider's"
            " types."
        )
    return _answer(await _of_provider(azure, library, namespace, query, max_results), f"{library.state} {_OF_ONE}")


async def _of_provider(
    azure: Azure, library: OperationsLibrary, namespace: str, query: str, limit: int
) -> Sequence[Operation]:
    """Return the readable types of one provider, from the provider's own list of types."""
    request = AzureRequest("GET /providers/{namespace}", {"namespace": namespace}, version=PROVIDERS_VERSION)
    document = await azure.json(request)
    return await asyncio.to_thread(library.found_in, document, query, limit)


def _answer(found: Sequence[Operation], note: str) -> Json:
    how = _HOW_TO_READ if found else "No operation matches. Use fewer or different words."
    answer = every(map(_entry, found), how=how, note=note or None)
    return {**answer, "how": f"{how} {_CUT}"} if "idsBeginWith" in answer else answer


def _entry(operation: Operation) -> Json:
    does = operation.description or operation.title
    return present(
        {
            "operation": operation.name,
            "does": does[:_LONGEST_WORDS],
            "kind": operation.kind,
            "path": operation.path,
            "no_path": operation.pathless,
            "version": operation.version,
            "data": operation.is_data or None,
        }
    )


def _note(published: PublishedOperations) -> str:
    """Return a note that says whether the searched index is old or incomplete."""
    notes = []
    if published.read and datetime.now(UTC) - published.read > _STALE:
        notes.append(f"The index is from {published.read:%Y-%m-%d} and has not been refreshed since.")
    if published.doubt:
        notes.append(f"The last refresh was rejected: {published.doubt}")
    if published.unread:
        notes.append(f"These providers did not answer: {', '.join(published.unread[:_NAMED])}.")
    return " ".join(notes)
