"""Reads lists of Azure DevOps up to a limit. Azure DevOps has four ways to return pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest, Place
from clients.azure_devops.records import records
from clients.messages import ListPage

__all__ = ["HEADER_TOKEN", "SEARCH_SKIP", "SKIP", "BySkip", "ByToken", "ListPage", "ListPaging", "collected"]

# The maximum number of pages, in case a service keeps returning tokens but no entries.
_MOST_PAGES: Final = 100
_CONTINUATION: Final = "continuationToken"

Send = Callable[[DevOpsRequest], Awaitable[DevOpsAnswer]]


@dataclass(frozen=True, slots=True)
class ListPiece:
    """A page of a list.

    `size` entries were requested, and the page has `count` entries. `read` is the number of entries read so far.
    """

    asked: DevOpsRequest
    answer: DevOpsAnswer
    size: int
    count: int
    read: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPaging(ABC):
    """How a list is divided into pages: the field that contains the entries, and the parameter for the page size."""

    entries: str = "value"
    top: str | None = "$top"
    place: Place = "query"
    largest: int = 100

    def sized(self, request: DevOpsRequest, size: int) -> DevOpsRequest:
        return request.asking(self.place, **{self.top: size}) if self.top else request

    @abstractmethod
    def needed(self, limit: int) -> int:
        """The number of entries to read in order to find out whether a list has more than `limit` entries."""

    @abstractmethod
    def following(self, piece: ListPiece) -> DevOpsRequest | None:
        """The request for the next page; None after the last page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByToken(ListPaging):
    """Each page contains a token for the next page."""

    in_header: bool = True

    def needed(self, limit: int) -> int:
        return limit

    def following(self, piece: ListPiece) -> DevOpsRequest | None:
        headers, document = piece.answer.headers, piece.answer.document
        token = headers.get("x-ms-continuationtoken") if self.in_header else document.get(_CONTINUATION)
        return piece.asked.asking(self.place, **{_CONTINUATION: token}) if token else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BySkip(ListPaging):
    """Requests contain the number of entries to skip. A page with fewer entries than requested is the last page."""

    skip: str = "$skip"

    def needed(self, limit: int) -> int:
        return limit + 1

    def following(self, piece: ListPiece) -> DevOpsRequest | None:
        is_last = piece.count < piece.size
        return None if is_last else piece.asked.asking(self.place, **{self.skip: piece.read})


HEADER_TOKEN: Final = ByToken()
SKIP: Final = BySkip()
SEARCH_SKIP: Final = BySkip(top="searchCriteria.$top", skip="searchCriteria.$skip")


async def collected(send: Send, request: DevOpsRequest, paging: ListPaging, limit: int) -> ListPage:
    """Read a list page by page, until it has `limit` entries or ends."""
    items: list[Any] = []
    read = 0
    needed = paging.needed(limit)
    following: DevOpsRequest | None = request
    for _ in range(_MOST_PAGES):
        if following is None or len(items) >= needed:
            break
        size = min(needed - len(items), paging.largest)
        answer = await send(paging.sized(following, size))
        found = records(answer.document[paging.entries])
        items += found
        given = len(found) + answer.left_out
        read += given
        following = paging.following(ListPiece(following, answer, size, given, read))
    return ListPage(items[:limit], len(items) > limit or following is not None)
