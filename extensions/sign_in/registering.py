"""Obtains the OAuth client for signing users in: a registered client, or a client that this server registers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import quote

from extensions.sign_in.methods import ByConsent, ClientCredentials, Peer, is_private_at
from extensions.sign_in.outgoing import Outgoing
from extensions.sign_in.servers import SignInServer
from identity.seals import fingerprint
from refusal import Refusal

# The path of this server's client metadata document, and the redirect path for clients that use this document.
DOCUMENT: Final = "/extension-client.json"
CALLBACK: Final = "/extension-callback"
_NAME: Final = "Azure Team MCP"
_LONGEST: Final = 2000
_METHODS: Final = ("client_secret_basic", "client_secret_post")

Secrets = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class RegisteredClient:
    """A registered OAuth client: `method` is the authentication method, and users return to the URL `redirect`."""

    id: str
    secret: str = field(default="", repr=False)
    method: str = "none"
    redirect: str = ""


def document_of(origin: str) -> Mapping[str, Any]:
    """Return the client metadata of this server, which is public and contains no secret."""
    return {"client_id": f"{origin}{DOCUMENT}", **_about(f"{origin}{CALLBACK}")}


def callback_of(extension: str, issuer: str) -> str:
    """Return the redirect path for one issuer of one extension.

    Each issuer has its own path, so a code that arrives at this path is from this issuer. Separate paths prevent mix-up
    attacks by other issuers (RFC 9700).
    """
    return f"{CALLBACK}/{quote(extension, safe='')}/{fingerprint('issuer', issuer)[:16]}"


@dataclass(frozen=True)
class Registering:
    outgoing: Outgoing
    secrets: Secrets

    async def client(self, peer: Peer, kind: ByConsent, server: SignInServer, origin: str) -> RegisteredClient:
        """Return the OAuth client for an issuer, and register the client if necessary.

        Raises Refusal if the issuer rejects the client.
        """
        redirect = f"{origin}{callback_of(peer.name, server.issuer)}"
        if kind.client_id:
            return replace(await known_client(peer, kind, server, self.secrets), redirect=redirect)
        # All issuers read the same document and use the same redirect path, so only the `iss` parameter identifies the
        # issuer of a code.
        if server.takes_documents and server.tells_issuer and origin.startswith("https://"):
            return RegisteredClient(f"{origin}{DOCUMENT}", redirect=f"{origin}{CALLBACK}")
        if not server.registration_endpoint:
            raise _unregistered(peer, redirect)
        return await _newly_registered(self.outgoing, peer, server, redirect)


async def known_client(
    peer: Peer, kind: ByConsent | ClientCredentials, server: SignInServer, secrets: Secrets
) -> RegisteredClient:
    if not kind.secret:
        return RegisteredClient(kind.client_id)
    method = next((method for method in _METHODS if method in server.methods), "")
    if not method:
        raise _unfit(peer)
    return RegisteredClient(kind.client_id, await secrets(kind.secret), method)


async def _newly_registered(outgoing: Outgoing, peer: Peer, server: SignInServer, redirect: str) -> RegisteredClient:
    from mcp.shared.auth import OAuthClientInformationFull

    asked = {**_about(redirect), **({"scope": server.scope} if server.scope else {})}
    url = server.registration_endpoint
    reply = await outgoing.post_json(url, is_private=is_private_at(peer, url), document=asked)
    if reply.status not in {200, 201}:
        raise Refusal(f"The issuer of the extension {peer.name!r} rejected this server as a client.")
    try:
        told = OAuthClientInformationFull.model_validate(reply.document)
    except ValueError:
        raise _unfit(peer) from None
    redirects = [str(address) for address in told.redirect_uris or []]
    if redirects and redirect not in redirects:
        raise _unfit(peer)
    method = told.token_endpoint_auth_method or ("client_secret_basic" if told.client_secret else "none")
    client = RegisteredClient(told.client_id, (told.client_secret or "") if method != "none" else "", method, redirect)
    if method not in {*_METHODS, "none"} or bool(client.secret) != (method != "none"):
        raise _unfit(peer)
    if max(len(client.id), len(client.secret)) > _LONGEST or not f"{client.id}{client.secret}".isprintable():
        raise _unfit(peer)
    return client


def _about(redirect: str) -> dict[str, Any]:
    return {
        "client_name": _NAME,
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "web" if redirect.startswith("https://") else "native",
    }


def _unfit(peer: Peer) -> Refusal:
    return Refusal(
        f"The issuer of the extension {peer.name!r} requires a kind of client that this server does not support. Ask an"
        " operator to register a different kind of client."
    )


def _unregistered(peer: Peer, redirect: str) -> Refusal:
    return Refusal(
        f"The issuer of the extension {peer.name!r} accepts only registered clients. Ask an operator to"
        f" register a client with the redirect URI {redirect}, and to add the client to the extension's entry."
    )
