"""The four ways in which Azure DevOps gives a list in pieces, followed up to a limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest, Place
from clients.azure_devops.records import records
from clients.messages import ListPage

__all__ = ["HEADER_TOKEN", "SEARCH_SKIP", "SKIP", "BySkip", "ByToken", "ListPage", "ListPaging", "collected"]

# A service that gives ever new tokens and no entries must not hold a caller for ever.
_MOST_PAGES: Final = 100
_CONTINUATION: Final = "continuationToken"

Send = Callable[[DevOpsRequest], Awaitable[DevOpsAnswer]]


@dataclass(frozen=True, slots=True)
class ListPiece:
    """One piece of a list: `count` of the `size` entries asked for, which makes `read` in all, shown or not."""

    asked: DevOpsRequest
    answer: DevOpsAnswer
    size: int
    count: int
    read: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPaging(ABC):
    """How one list is given in pieces: under which name its entries are, and which parameter bounds a piece."""

    entries: str = "value"
    top: str | None = "$top"
    place: Place = "query"
    largest: int = 100

    def sized(self, request: DevOpsRequest, size: int) -> DevOpsRequest:
        return request.asking(self.place, **{self.top: size}) if self.top else request

    @abstractmethod
    def wanted(self, limit: int) -> int:
        """How many entries have to be read to know what a limit leaves out."""

    @abstractmethod
    def following(self, piece: ListPiece) -> DevOpsRequest | None:
        """The request for the next piece, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByToken(ListPaging):
    """Each piece carries a token that asks for the next one."""

    in_header: bool = True

    def wanted(self, limit: int) -> int:
        return limit

    def following(self, piece: ListPiece) -> DevOpsRequest | None:
        headers, document = piece.answer.headers, piece.answer.document
        token = headers.get("x-ms-continuationtoken") if self.in_header else document.get(_CONTINUATION)
        return piece.asked.asking(self.place, **{_CONTINUATION: token}) if token else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BySkip(ListPaging):
    """The next piece is asked for by how many entries come before it; a short piece is the last."""

    skip: str = "$skip"

    def wanted(self, limit: int) -> int:
        return limit + 1

    def following(self, piece: ListPiece) -> DevOpsRequest | None:
        is_last = piece.count < piece.size
        return None if is_last else piece.asked.asking(self.place, **{self.skip: piece.read})


HEADER_TOKEN: Final = ByToken()
SKIP: Final = BySkip()
SEARCH_SKIP: Final = BySkip(top="searchCriteria.$top", skip="searchCriteria.$skip")


async def collected(send: Send, request: DevOpsRequest, paging: ListPaging, limit: int) -> ListPage:
    """Read a list, piece by piece, until it has `limit` entries or ends."""
    items: list[Any] = []
    read = 0
    wanted = paging.wanted(limit)
    following: DevOpsRequest | None = request
    for _ in range(_MOST_PAGES):
        if following is None or len(items) >= wanted:
            break
        size = min(wanted - len(items), paging.largest)
        answer = await send(paging.sized(following, size))
        found = records(answer.document[paging.entries])
        items += found
        given = len(found) + answer.left_out
        read += given
        following = paging.following(ListPiece(following, answer, size, given, read))
    return ListPage(items[:limit], len(items) > limit or following is not None)
