"""Finds an extension's authorization server in the metadata of the extension's server and of the issuer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from yarl import URL

from extensions.sign_in.methods import ByConsent, ClientCredentials, Peer, is_private_at, origin_of
from extensions.sign_in.outgoing import Outgoing, checked
from refusal import Refusal

if TYPE_CHECKING:
    from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
    from pydantic import BaseModel

_LONGEST_SCOPE: Final = 1000
_SCOPE: Final = re.compile(r"[!#-\[\]-~]+( [!#-\[\]-~]+)*")
_S256: Final = "S256"

M = TypeVar("M", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class Challenge:
    """The challenge that an extension's server sent when it rejected a caller."""

    error: str = ""
    scope: str = ""
    metadata: str = ""

    @classmethod
    def read(cls, www_authenticate: str) -> Challenge:

        from httpx2 import Response
        from mcp.client.auth.utils import extract_field_from_www_auth

        told = Response(401, headers={"WWW-Authenticate": _printable(www_authenticate)})
        said = [extract_field_from_www_auth(told, name) or "" for name in ("error", "scope", "resource_metadata")]
        return cls(*said)


@dataclass(frozen=True, slots=True)
class SignInServer:
    """The authorization server of an extension. The addresses of all its endpoints have been checked."""

    issuer: str
    resource: str
    scope: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str
    revocation_endpoint: str
    methods: Sequence[str]
    takes_documents: bool
    tells_issuer: bool


async def server_for(outgoing: Outgoing, peer: Peer, challenge: Challenge) -> SignInServer:
    """Find the authorization server for an entry.

    Raises:
        Refusal: The metadata is missing or invalid.
    """
    kind = peer.sign_in
    if not isinstance(kind, ByConsent | ClientCredentials):
        raise TypeError(type(kind))
    resource = await _resource(outgoing, peer, challenge)
    issuer = _issuer(peer, resource, kind.issuer)
    metadata = await _metadata(outgoing, peer, issuer)
    _check_endpoints(peer, issuer, metadata, kind.hosts)
    return SignInServer(
        issuer=issuer,
        resource=str(resource.resource),
        scope=_scope(peer, kind.scope, challenge, resource, metadata),
        authorization_endpoint=str(metadata.authorization_endpoint),
        token_endpoint=str(metadata.token_endpoint),
        registration_endpoint=str(metadata.registration_endpoint or ""),
        revocation_endpoint=str(metadata.revocation_endpoint or ""),
        methods=metadata.token_endpoint_auth_methods_supported or ["client_secret_basic"],
        takes_documents=bool(metadata.client_id_metadata_document_supported),
        tells_issuer=bool(metadata.authorization_response_iss_parameter_supported),
    )


async def _resource(outgoing: Outgoing, peer: Peer, challenge: Challenge) -> ProtectedResourceMetadata:
    from mcp.client.auth.utils import build_protected_resource_metadata_discovery_urls
    from mcp.shared.auth import ProtectedResourceMetadata
    from mcp.shared.auth_utils import check_resource_allowed

    if challenge.metadata and _origin(challenge.metadata) != origin_of(peer.url):
        raise _unfit(peer, "points to metadata of another server")
    urls = build_protected_resource_metadata_discovery_urls(challenge.metadata or None, peer.url)
    found = await _first(outgoing, peer, urls, ProtectedResourceMetadata)
    if found is None:
        raise _unfit(peer, "does not publish where to sign in (RFC 9728)")
    if not check_resource_allowed(peer.url, str(found.resource)):
        raise _unfit(peer, "publishes the metadata of another resource")
    return found


def _issuer(peer: Peer, resource: ProtectedResourceMetadata, expected: str) -> str:
    issuers = [str(issuer) for issuer in resource.authorization_servers]
    if expected and expected not in issuers:
        raise _unfit(peer, "does not name the issuer that the entry requires")
    issuer = expected or issuers[0]
    if {*issuer} & {*"?#"}:
        raise _unfit(peer, "names an invalid issuer")
    return issuer


async def _metadata(outgoing: Outgoing, peer: Peer, issuer: str) -> OAuthMetadata:
    from mcp.client.auth import OAuthFlowError
    from mcp.client.auth.utils import (
        build_oauth_authorization_server_metadata_discovery_urls,
        validate_metadata_issuer,
    )
    from mcp.shared.auth import OAuthMetadata

    checked(issuer, is_private=is_private_at(peer, issuer))
    urls = build_oauth_authorization_server_metadata_discovery_urls(issuer, peer.url)
    found = await _first(outgoing, peer, urls, OAuthMetadata)
    if found is None:
        raise _unfit(peer, "names an issuer without metadata (RFC 8414)")
    try:
        validate_metadata_issuer(found, issuer)
    except OAuthFlowError:
        raise _unfit(peer, "names an issuer whose metadata has a different issuer") from None
    if _S256 not in (found.code_challenge_methods_supported or []):
        raise _unfit(peer, "names an issuer that does not declare PKCE with S256")
    return found


async def _first(outgoing: Outgoing, peer: Peer, urls: Sequence[str], model: type[M]) -> M | None:
    """Return the first valid document at these URLs."""
    for url in urls:
        reply = await outgoing.get(url, is_private=is_private_at(peer, url))
        if reply.status == 200:
            try:
                return model.model_validate(reply.document)
            except ValueError:
                raise _unfit(peer, "publishes sign-in metadata that cannot be read") from None
    return None


def _check_endpoints(peer: Peer, issuer: str, metadata: OAuthMetadata, hosts: frozenset[str]) -> None:
    """Check that the endpoints, which get codes and secrets, are on the issuer's host or on a host in the entry."""
    endpoints = [metadata.authorization_endpoint, metadata.token_endpoint]
    endpoints += [url for url in (metadata.registration_endpoint, metadata.revocation_endpoint) if url]
    for endpoint in map(str, endpoints):
        address = checked(endpoint, is_private=is_private_at(peer, endpoint))
        if _origin(endpoint) != _origin(issuer) and address.host not in hosts:
            raise _unfit(
                peer,
                f"signs users in at {address.host}, but only the issuer's host and the hosts in the extension's entry"
                " are allowed",
            )
        if "#" in endpoint:
            raise _unfit(peer, "names an endpoint with a fragment")


def _scope(
    peer: Peer, said: str, challenge: Challenge, resource: ProtectedResourceMetadata, metadata: OAuthMetadata
) -> str:
    from mcp.client.auth.utils import get_client_metadata_scopes, union_scopes

    if said:
        scope = union_scopes(said, challenge.scope or None) or ""
    else:
        # If neither the challenge nor the metadata contains scopes, request no scopes. Do not request all scopes that
        # the issuer supports.
        is_known = challenge.scope or resource.scopes_supported
        told = challenge.scope or None
        scope = (is_known and get_client_metadata_scopes(told, resource, metadata, ["refresh_token"])) or ""
    if scope and (len(scope) > _LONGEST_SCOPE or not _SCOPE.fullmatch(scope)):
        raise _unfit(peer, "requests an invalid scope")
    return scope


def _origin(url: str) -> str:
    try:
        return str(URL(url).origin())
    except ValueError:
        return ""


def _printable(text: str) -> str:
    return "".join(letter for letter in text[:4000] if letter.isascii() and letter.isprintable())


def _unfit(peer: Peer, problem: str) -> Refusal:
    return Refusal(f"Sign-in to the extension {peer.name!r} is not possible: its server {problem}. Tell an operator.")
