"""How this server signs in to another: what any entry may set, and what only the repository's file may."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import quote

from yarl import URL

from refusal import Refusal

# Headers an entry may not set: they belong to the connection or the protocol.
_RESERVED: Final = ("host", "connection", "content-", "transfer-", "mcp-", "cookie", "proxy-", "accept")


@dataclass(frozen=True, slots=True)
class OpenAccess:
    """No sign-in."""


@dataclass(frozen=True, slots=True)
class ByHeader:
    """A secret of the vault, in a header."""

    secret: str
    header: str = "Authorization"
    before: str = ""


@dataclass(frozen=True, slots=True)
class OnBehalfOfUser:
    """An Entra token for this scope, on behalf of the caller."""

    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials:
    """This server as itself, with a client registered at the issuer."""

    issuer: str
    client_id: str
    secret: str
    scope: str = ""
    # Further hosts for endpoints of the issuer.
    hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ByConsent:
    """Each person signs in, following MCP authorization.

    A registered client works only with its own issuer, which must then be given.
    """

    issuer: str = ""
    client_id: str = ""
    secret: str = ""
    scope: str = ""
    hosts: frozenset[str] = frozenset()


ANYBODY: Final = OpenAccess()

SignIn = OpenAccess | ByHeader | OnBehalfOfUser | ClientCredentials | ByConsent


class Peer(Protocol):
    """What must be known about an entry to sign in to its server."""

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
    """Permission to send this server what this secret or scope grants."""

    origin: str
    of: str


def trusted_by(peers: Iterable[Peer]) -> frozenset[Trust]:
    """What the entries in the repository's file trust: nothing else gets a secret or a user's token."""
    return frozenset(trust for peer in peers if (trust := trust_for(peer)))


def trust_for(peer: Peer) -> Trust | None:
    """What an entry needs that only the file can grant; nothing if anyone may write such an entry."""
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
    """The issuer sees the client's secret, so both must be trusted."""
    return "" if isinstance(kind, ByHeader) else f" at {kind.issuer} {sorted(kind.hosts)}"


def origin_of(url: str) -> str:
    return str(URL(url).origin())


def is_private_at(peer: Peer, url: str) -> bool:
    """Whether this may be a private address: for a private server, only hosts in its entry.

    Otherwise its metadata could lead this server to any host in the network.
    """
    try:
        return peer.is_private and URL(url).host in _named_hosts(peer)
    except ValueError:
        return False


def _named_hosts(peer: Peer) -> frozenset[str | None]:
    issuer = getattr(peer.sign_in, "issuer", "")
    return frozenset({URL(peer.url).host, URL(issuer or peer.url).host}) | getattr(peer.sign_in, "hosts", frozenset())


def page_of(name: str) -> str:
    """The path of the page on which people sign in to an extension."""
    return f"/extensions/{quote(name, safe='')}"


def check_sign_in(peer: Peer) -> None:
    """Validate the sign-in of an entry.

    Raises:
        Refusal: It is invalid.
    """
    kind, mine = peer.sign_in, f"extension-{peer.name}-"
    if secret := getattr(kind, "secret", ""):
        suffix = secret.removeprefix(mine)
        if not (secret.startswith(mine) and suffix and suffix.replace("-", "").isalnum() and secret.isascii()):
            raise Refusal(
                f"The secret of the extension {peer.name!r} must be named {mine}..., with letters, digits and hyphens."
            )
    if isinstance(kind, ByHeader) and not _is_header(kind):
        raise Refusal(
            f"The extension {peer.name!r} cannot have its secret in this header. Use another, for example X-Api-Key."
        )
    if isinstance(kind, ByConsent) and (kind.client_id or kind.secret) and not (kind.client_id and kind.issuer):
        raise Refusal(f"The extension {peer.name!r} has its own client, so it must name both `client-id` and `issuer`.")


def _is_header(kind: ByHeader) -> bool:
    name = kind.header.lower()
    is_name = name.isascii() and name.replace("-", "").isalnum()
    return is_name and not name.startswith(_RESERVED) and kind.before.isascii() and kind.before.isprintable()
