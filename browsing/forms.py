"""Validates forms: a page of this server must have issued the form to the user, and the effect must be unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final
from urllib.parse import parse_qsl

from identity.seals import Seals
from mcp_server.http.gate import RejectedError, check_length
from mcp_server.http.messages import HttpRequest
from refusal import Refusal

LARGEST_FORM: Final = 16 * 1024
LONGEST_REASON: Final = 500
TICKET, DECISION, WHY = "ticket", "decision", "why"
_FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 10
_ELSEWHERE: Final = (
    "This form was not sent by a page of this server, so nothing was done. Open the page and decide there."
)
_TOO_OLD: Final = (
    "This page has expired, or was opened by another user, so nothing was done. Reload the page, and decide again."
)


@dataclass(frozen=True, slots=True)
class Ticket:
    """Binds a form to one browser, one user and one subject, and to the effect shown on the page. The effect is
    stored as a digest.
    """

    kind: ClassVar[str] = "decision on a change"
    seconds: ClassVar[int] = 3600

    browser: str
    person: str
    about: str = ""
    digest: str = ""


def fields_of(request: HttpRequest) -> Mapping[str, str]:
    """Read the fields of a submitted form.

    Raises:
        Refusal: The request is too large, or is not a form.
    """
    if len(request.body) > LARGEST_FORM:
        raise RejectedError(413, f"A form must not be larger than {LARGEST_FORM} bytes.")
    check_length(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise Refusal(f"The request must be a form with the content type {_FORM}.")
    return _read(request.body)


def check_is_from_here(request: HttpRequest) -> None:
    """Check that a page of this server sent the form.

    Raises:
        Refusal: Another site sent the form.
    """
    if not _is_from_here(request):
        raise Refusal(_ELSEWHERE)


def _is_from_here(request: HttpRequest) -> bool:
    """Whether the headers Sec-Fetch-Site and Origin show that a page of this server sent the form.

    Older browsers send only one of the two headers.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    said = [site == "same-origin"] if site is not None else []
    said += [origin == request.origin] if origin is not None else []
    return bool(said) and all(said)


def _read(body: bytes) -> Mapping[str, str]:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise Refusal("The form cannot be read.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Refusal("The form contains a field twice.")
    return fields


def check_ticket(seals: Seals, text: str, expected: Ticket) -> None:
    """Check that the form was issued for this browser, user, subject and effect.

    Raises:
        Refusal: The form was issued for another browser, user, subject or effect, or has expired.
    """
    if seals.open(Ticket, text) != expected:
        raise Refusal(_TOO_OLD)


def reason_in(fields: Mapping[str, str]) -> str:
    """Read the reason for a decision from a form, and normalize the line ends.

    Raises:
        Refusal: The reason is too long.
    """
    why = fields.get(WHY, "").replace("\r\n", "\n").strip()
    if len(why) > LONGEST_REASON:
        raise Refusal(f"The reason is {len(why)} characters long; the limit is {LONGEST_REASON}. Nothing was done.")
    return why
