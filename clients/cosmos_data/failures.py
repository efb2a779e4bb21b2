"""Converts errors of Cosmos DB to messages that say what to do next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from refusal import Refusal

if TYPE_CHECKING:
    from azure.core.exceptions import HttpResponseError

SECONDS: Final = 15.0
TOO_MANY: Final = 429
_BAD: Final = 400
_USUAL_WAIT: Final = 60
_LONGEST_MESSAGE: Final = 300
_WORDS: Final = {
    400: "Cosmos DB rejected the request",
    401: "Cosmos DB rejected this server's sign-in. Ask an operator to check this server's identity",
    403: "Cosmos DB denied access to this server. Ask an operator to give this server the role Cosmos DB"
    " Built-in Data Contributor, or to open the account's firewall",
    404: "Record not found in this tenant",
    409: "A record with this id already exists. Choose another id, or update the existing record",
    412: "The record has changed, so nothing was done",
    413: "The record exceeds Cosmos DB's limit of 2 MB",
    424: "Cosmos DB did not complete the request",
    449: "Someone else is writing the same record. Try again in a second",
}
# After these errors, the caller should read the record again.
_READ_AGAIN: Final = frozenset({404, 412})
_NOT_NOW: Final = "Cosmos DB does not respond. Try again in a minute."
_NEVER_SENT: Final = "Cosmos DB cannot be reached, so nothing was sent and nothing was done. Try again in a minute."
_TIMEOUT, _OF_THE_SERVICE = 408, 500


class MissingRecordError(Refusal):
    """The record does not exist."""

    http_status = 404


class PresentError(Refusal):
    """The record cannot be created, because it already exists."""

    http_status = 409


class ChangedError(Refusal):
    """The record has changed since the caller read it."""

    http_status = 412


class UnknownOutcomeError(Refusal):
    """The response to a change was lost, so it is unknown whether the change was made."""

    http_status = 504

    def __init__(self) -> None:
        super().__init__("The response from Cosmos DB to the change was lost.")


class CosmosUnreachableError(Refusal):
    """Cosmos DB does not respond."""

    http_status = 503

    def __init__(self, words: str = _NOT_NOW) -> None:
        super().__init__(words)


class BusyError(CosmosUnreachableError):
    """The request units of the container are used up."""

    http_status = 429


_KINDS: Final[Mapping[int, type[Refusal]]] = {
    404: MissingRecordError,
    409: PresentError,
    412: ChangedError,
}


@asynccontextmanager
async def translated_errors(hint: str = "", *, changes: bool = False, explains: bool = False) -> AsyncIterator[None]:
    """Convert SDK exceptions that are raised in this block to our own exceptions.

    - `hint` says how to read a record.
    - `changes` means that the block changes a record.
    - `explains` means that messages of Cosmos DB are about the caller's query, so they are shown.

    Raises:
        UnknownOutcomeError: It is unknown whether the change was made.
        Refusal: The request failed in another way.
    """
    from azure.core.exceptions import AzureError, HttpResponseError  # noqa: PLC0415 - only when needed

    try:
        async with asyncio.timeout(SECONDS):
            yield
    except HttpResponseError as failure:
        if changes and is_unknown(failure.status_code):
            raise UnknownOutcomeError from None
        if failure.status_code == TOO_MANY:
            raise busy(_headers(failure)) from None
        if failure.status_code not in _WORDS:
            raise CosmosUnreachableError from None
        kind = _KINDS.get(failure.status_code, Refusal)
        raise kind(_words(failure.status_code, failure, hint, explains=explains)) from None
    except AzureError:
        raise CosmosUnreachableError(_NEVER_SENT if changes else _NOT_NOW) from None
    except (TimeoutError, OSError):
        raise (UnknownOutcomeError() if changes else CosmosUnreachableError()) from None


def is_unknown(status: int | None) -> bool:
    """Whether a response with this status means that the outcome of a change is unknown.

    None means that there was no complete response.
    """
    return status is None or status == _TIMEOUT or status >= _OF_THE_SERVICE


def busy(headers: Mapping[str, str]) -> BusyError:
    """The error for a response that says that the request units are used up."""
    wait = wait_in(headers) or _USUAL_WAIT
    delay = f"{wait} second{'s' if wait > 1 else ''}"
    return BusyError(f"Cosmos DB is throttling requests: its request units are used up. Try again in {delay}.")


def wait_in(headers: Mapping[str, str]) -> int:
    """The number of seconds to wait according to Cosmos DB, rounded up. 0 if the response does not say."""
    wait = headers.get("x-ms-retry-after-ms", "")
    return max(1, -(-int(wait[:9]) // 1000)) if wait.isdecimal() else 0


def _words(status: int, failure: HttpResponseError, hint: str, *, explains: bool) -> str:
    said = _message_of(failure) if explains and status == _BAD else ""
    next_step = f" {hint}" if hint and status in _READ_AGAIN else ""
    return f"{_WORDS[status]}{said}.{next_step}"


def _message_of(failure: HttpResponseError) -> str:
    text = " ".join(str(failure.message).split())
    return f": {''.join(filter(str.isprintable, text))[:_LONGEST_MESSAGE]}" if text else ""


def _headers(failure: HttpResponseError) -> Mapping[str, str]:
    return getattr(failure, "headers", None) or getattr(failure.response, "headers", None) or {}
