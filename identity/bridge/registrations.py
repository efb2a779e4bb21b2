"""Which programs may ask for a sign-in: those that registered here, and those that publish what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, Final, Protocol
from urllib.parse import urlsplit

from mcp.shared.auth import OAuthClientMetadata
from pydantic import ValidationError

from clients.public_fetch import Fetched
from identity.bridge.redirects import checked_redirect, matching
from identity.seals import Seals, fingerprint
from refusal import Refusal

LONGEST_NAME: Final = 100
LONGEST_ID: Final = 2000
MOST_REDIRECTS: Final = 10
LARGEST_DOCUMENT: Final = 16 * 1024
PATIENCE: Final = 5.0
KEPT_FOR: Final = 300.0
MOST_KEPT: Final = 100


class Fetch(Protocol):
    async def __call__(self, url: str, *, largest: int, seconds: float) -> Fetched: ...


@dataclass(frozen=True, slots=True)
class Registered:
    kind: ClassVar[str] = "client"
    seconds: ClassVar[int] = 2 * 365 * 24 * 3600

    name: str
    redirects: Sequence[str]


@dataclass(frozen=True, slots=True)
class Client:
    """`publisher` is the host that vouches for the rest, if any does. The name is what the client says of itself."""

    id: str
    name: str
    redirects: Sequence[str]
    publisher: str = ""

    @property
    def print(self) -> str:
        return fingerprint(self.id)

    def redirect(self, asked: str) -> str:
        """Return where its users are to be sent back.

        Raises:
            Refusal: It did not say where, or somewhere that is not its own.
        """
        if not matching(self.redirects, checked_redirect(asked)):
            raise Refusal("The address to which the client wants you sent back is none that it has registered.")
        return asked


class Registrations:
    """Nothing is stored: the id of a registered client is its registration, sealed."""

    def __init__(self, seals: Seals, fetch: Fetch, clock: Callable[[], float] = monotonic) -> None:
        self._seals = seals
        self._fetch = fetch
        self._clock = clock
        self._kept: dict[str, tuple[float, Client]] = {}

    def register(self, name: str, redirects: Sequence[str]) -> str:
        """Return the id of a new client.

        Raises:
            Refusal: It wants too much, or its users sent where nobody may be sent.
        """
        client_id = self._seals.seal(Registered(_shown(name), _checked(redirects)))
        if len(client_id) > LONGEST_ID:
            raise Refusal("The redirect URIs are too long together. Register fewer or shorter ones.")
        return client_id

    def knows(self, client_id: str) -> bool:
        """Whether such a client can have got anything from here. Whether it did, its code or token tells."""
        return is_document(client_id) or self._seals.open(Registered, client_id) is not None

    async def find(self, client_id: str) -> Client:
        """Return the client.

        Raises:
            Refusal: There is none of this id, or not any more.
        """
        if is_document(client_id):
            return await self._published(client_id)
        registered = self._seals.open(Registered, client_id)
        if registered is None:
            raise Refusal(
                "This client is not registered here, or its registration has expired. Remove the server from the client"
                " and add it again."
            )
        return Client(client_id, registered.name, registered.redirects)

    async def _published(self, url: str) -> Client:
        kept_until, kept = self._kept.get(url, (0.0, None))
        if kept and self._clock() < kept_until:
            return kept
        client = _client_of(url, await self._fetch(url, largest=LARGEST_DOCUMENT, seconds=PATIENCE))
        if len(self._kept) >= MOST_KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[url] = (self._clock() + KEPT_FOR, client)
        return client


def is_document(client_id: str) -> bool:
    """Whether the id is the address of a document that describes the client."""
    return client_id.startswith("https://")


class _Document(OAuthClientMetadata):
    client_id: str


def _client_of(url: str, fetched: Fetched) -> Client:
    document = _document(fetched)
    parts = urlsplit(url)
    if document.client_id != url or parts.path in {"", "/"} or parts.fragment:
        raise Refusal("The document that describes the client is that of another one.")
    if document.token_endpoint_auth_method not in {None, "none"}:
        raise Refusal(
            "The document of the client asks for a way to prove itself that is not offered here, only `none`."
        )
    redirects = _checked([str(uri) for uri in document.redirect_uris or ()])
    return Client(url, _shown(document.client_name or ""), redirects, parts.hostname or "")


def _document(fetched: Fetched) -> _Document:
    kind = fetched.content_type
    try:
        if kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json")):
            return _Document.model_validate_json(fetched.body)
    except ValidationError as invalid:
        fields = sorted({str(error["loc"][0]) for error in invalid.errors() if error["loc"]})
        raise Refusal(f"The document of the client is not valid: {', '.join(fields) or 'no JSON'}.") from None
    raise Refusal("The document of the client is not served as application/json.")


def _checked(redirects: Sequence[str]) -> Sequence[str]:
    if not 0 < len(redirects) <= MOST_REDIRECTS:
        raise Refusal(f"A client has from 1 to {MOST_REDIRECTS} redirect URIs.")
    return [checked_redirect(uri) for uri in redirects]


def _shown(name: str) -> str:
    # What does not show can turn the text around it: marks of direction, ends of lines.
    return (
        "".join(letter for letter in name if letter.isprintable()).strip()[:LONGEST_NAME] or "A client without a name"
    )
