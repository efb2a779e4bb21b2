"""The methods that this server uses to sign in to extensions.

Methods that send a secret or a user's token require an entry in the repository's extensions file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import quote

from yarl import URL

from refusal import Refusal

# Headers that must not carry an entry's secret, because the connection or the protocol uses them.
_RESERVED: Final = ("host", "connection", "content-", "transfer-", "mcp-", "cookie", "proxy-", "accept")


@dataclass(frozen=True, slots=True)
class OpenAccess:
    """The extension's server requires no sign-in."""


@dataclass(frozen=True, slots=True)
class ByHeader:
    """This server sends a secret from the vault in a header."""

    secret: str
    header: str = "Authorization"
    before: str = ""


@dataclass(frozen=True, slots=True)
class OnBehalfOfUser:
    """This server sends an Entra token for this scope, on behalf of the caller."""

    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials:
    """This server signs in as itself, with a client that is registered with the issuer."""

    issuer: str
    client_id: str
    secret: str
    scope: str = ""
    # Additional hosts that the issuer's endpoints may use.
    hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ByConsent:
    """Each user signs in as defined in the MCP authorization specification.

    A registered client works only with its own issuer, so `client_id` requires `issuer`.
    """

    issuer: str = ""
    client_id: str = ""
    secret: str = ""
    scope: str = ""
    hosts: frozenset[str] = frozenset()


ANYBODY: Final = OpenAccess()

SignIn = OpenAccess | ByHeader | OnBehalfOfUser | ClientCredentials | ByConsent


class Peer(Protocol):
    """The part of an extension's configuration that is needed to sign in to the extension's server."""

    @property
    def name(self) -> str: ...

    @property
    def url(self) -> str: ...

    @property
    def is_private(self) -> bool: ...

    @property
    def sign_in(self) -> SignIn: ...


@dataclass(frozen=True, slots=True)
class Trust:
    """The permission to send a secret or a user's token to this origin."""

    origin: str
    of: str


def trusted_by(peers: Iterable[Peer]) -> frozenset[Trust]:
    """Return the permissions that the entries of the repository's extensions file require. Servers that are configured
    elsewhere never receive a secret or a user's token.
    """
    return frozenset(trust for peer in peers if (trust := trust_for(peer)))


def trust_for(peer: Peer) -> Trust | None:
    """Return the permission that an entry requires, or None if its server gets no secret and no user's token."""
    kind = peer.sign_in
    match kind:
        case OnBehalfOfUser():
            return Trust(origin_of(peer.url), f"scope {kind.scope}")
        case ByHeader() | ClientCredentials():
            return Trust(origin_of(peer.url), f"secret {kind.secret}{_at(kind)}")
        case ByConsent() if kind.secret:
            return Trust(origin_of(peer.url), f"secret {kind.secret}{_at(kind)}")
        case _:
            return None


def _at(kind: ByHeader | ClientCredentials | ByConsent) -> str:
    """Describe the issuer of an entry. The permission also covers the issuer, because the issuer receives the client's
    secret.
    """
    return "" if isinstance(kind, ByHeader) else f" at {kind.issuer} {sorted(kind.hosts)}"


def origin_of(url: str) -> str:
    return str(URL(url).origin())


def is_private_at(peer: Peer, url: str) -> bool:
    """Check whether a URL may point to a private address.

    Only hosts in the entry of a private server may have private addresses. If all private addresses were allowed, the
    metadata of an extension's server could make this server contact any host in the private network.
    """
    try:
        return peer.is_private and URL(url).host in _named_hosts(peer)
    except ValueError:
        return False


def _named_hosts(peer: Peer) -> frozenset[str | None]:
    issuer = getattr(peer.sign_in, "issuer", "")
    return frozenset({URL(peer.url).host, URL(issuer or peer.url).host}) | getattr(peer.sign_in, "hosts", frozenset())


def page_of(name: str) -> str:
    """Return the path of the page where users sign in to an extension."""
    return f"/extensions/{quote(name, safe='')}"


def check_sign_in(peer: Peer) -> None:
    """Raise Refusal if a sign-in setting of an entry is invalid."""
    kind = peer.sign_in
    if secret := getattr(kind, "secret", ""):
        _check_name_of_secret(peer, secret)
    if isinstance(kind, ByHeader) and not _is_header(kind):
        raise Refusal(
            f"The extension {peer.name!r} must not send its secret in this header. Use another header, for"
            " example X-Api-Key."
        )
    if isinstance(kind, ByConsent) and (kind.client_id or kind.secret) and not (kind.client_id and kind.issuer):
        raise Refusal(f"The extension {peer.name!r} has its own client, so it must name both `client-id` and `issuer`.")


def _check_name_of_secret(peer: Peer, secret: str) -> None:
    mine = f"extension-{peer.name}-"
    suffix = secret.removeprefix(mine)
    if not (secret.startswith(mine) and suffix and suffix.replace("-", "").isalnum() and secret.isascii()):
        raise Refusal(
            f"The secret of the extension {peer.name!r} must be named {mine}<name>, where <name> consists of letters,"
            " digits and hyphens."
        )


def _is_header(kind: ByHeader) -> bool:
    name = kind.header.lower()
    is_name = name.isascii() and name.replace("-", "").isalnum()
    return is_name and not name.startswith(_RESERVED) and kind.before.isascii() and kind.before.isprintable()
