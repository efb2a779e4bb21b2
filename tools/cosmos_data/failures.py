"""Failures of Cosmos DB in words that a caller can act on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from refusal import Refusal
from tools.cosmos_data.provider import HINTS

if TYPE_CHECKING:
    from azure.core.exceptions import HttpResponseError

SECONDS: Final = 15.0
_BAD, _TOO_MANY = 400, 429
_LONGEST_MESSAGE: Final = 300
_WORDS: Final = {
    400: "Cosmos DB does not take the request as it is",
    401: "Cosmos DB does not accept the sign-in of this server. An operator has to look at its identity",
    403: "Cosmos DB does not let this server do that. An operator has to give its identity the role Cosmos DB Built-in"
    " Data Contributor, or to open the account's firewall to it",
    404: f"There is no such record in this tenant. {HINTS['read']}",
    409: "There is a record of this id already. Choose another id, or update that one",
    412: f"The record is not what it was any more, so nothing was done. {HINTS['read']}",
    413: "The record is larger than Cosmos DB takes, which is 2 MB",
    424: "Cosmos DB did not carry that out",
    449: "Somebody else writes the same record right now. Try again in a second",
}
_NOT_NOW: Final = "Cosmos DB does not answer at present. Try again in a minute."
_UNKNOWN: Final = f"Cosmos DB did not answer in time, so it is not known whether the change was made. {HINTS['read']}"


class MissingRecordError(Refusal):
    """There is no such record."""

    http_status = 404


class PresentError(Refusal):
    """There is a record already where a new one was to be."""

    http_status = 409


class ChangedError(Refusal):
    """The record is not what whoever changes it has seen."""

    http_status = 412


class BusyError(Refusal):
    """The request units of the container are used up."""

    http_status = 429


_KINDS: Final[Mapping[int, type[Refusal]]] = {
    404: MissingRecordError,
    409: PresentError,
    412: ChangedError,
    _TOO_MANY: BusyError,
}


@asynccontextmanager
async def told(*, changes: bool = False, explains: bool = False) -> AsyncIterator[None]:
    """Whatever goes wrong within becomes a Refusal. `explains` is where what Cosmos DB says is about the caller's text.

    Raises:
        Refusal: Something went wrong.
    """
    from azure.core.exceptions import AzureError, HttpResponseError  # noqa: PLC0415 - not before it is needed

    try:
        async with asyncio.timeout(SECONDS):
            yield
    except HttpResponseError as failure:
        kind = _KINDS.get(failure.status_code or 0, Refusal)
        raise kind(_words(failure, changes=changes, explains=explains)) from None
    except (AzureError, TimeoutError, OSError):
        raise Refusal(_UNKNOWN if changes else _NOT_NOW) from None


def _words(failure: HttpResponseError, *, changes: bool, explains: bool) -> str:
    status = failure.status_code or 0
    if status == _TOO_MANY:
        return f"Cosmos DB has too much to do: its request units are used up. Try again in {_wait(failure)}."
    if status not in _WORDS:
        return _UNKNOWN if changes else _NOT_NOW
    said = _said(failure) if explains and status == _BAD else ""
    return f"{_WORDS[status].removesuffix('.')}{said}."


def _wait(failure: HttpResponseError) -> str:
    headers: Any = getattr(failure, "headers", None) or getattr(failure.response, "headers", None) or {}
    wait = str(headers.get("x-ms-retry-after-ms", ""))
    return f"{-(-int(wait) // 1000)} seconds" if wait.isdecimal() else "a minute"


def _said(failure: HttpResponseError) -> str:
    text = " ".join(str(failure.message).split())
    return f": {''.join(filter(str.isprintable, text))[:_LONGEST_MESSAGE]}" if text else ""
