"""Configures sign-in: metadata for clients, the bridge for clients that Entra does not support, and credentials."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clients.azure.cloud import cloud_named
from identity.metadata import ProtectedResources
from refusal import Refusal
from settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from identity.admission import Admission
    from identity.bridge.authority import Authority
    from identity.bridge.sessions import BridgeSessions
    from identity.upstream import Upstream

MCP_PATH: Final = "/mcp"
NAME: Final = "Azure Team MCP"
# The sealing key that is used if the settings contain no sealing key. This key is sufficient only on a laptop, because
# each process creates its own key.
_LAPTOP_KEY: Final = secrets.token_hex()
_ENTRA_VERSION: Final = "/v2.0"
# The clouds of issuers, by the end of the issuer's host name. Issuers with other host names do not belong to Azure, so
# their cloud is unknown.
_SIGNED_IN_AT: Final = {
    ".microsoftonline.com": "public",
    "sts.windows.net": "public",
    ".microsoftonline.us": "usgovernment",
    ".chinacloudapi.cn": "china",
    ".partner.microsoftonline.cn": "china",
}


def admission_of(settings: Settings) -> Admission:
    from identity.admission import Admission

    sign_in = settings.sign_in
    needed = {"AUTH_ISSUER": sign_in.issuer, "AUTH_AUDIENCE": sign_in.audience, "AUTH_SCOPE": sign_in.scope}
    missing = [name for name, value in needed.items() if not value]
    if missing:
        raise Refusal(f"AUTH_MODE is {sign_in.mode}, so {' and '.join(missing)} must be set.")
    return Admission.of(
        sign_in.audience, sign_in.scope, sign_in.allowed_tenants, sign_in.allowed_clients, sign_in.required_claims
    )


def resources_of(settings: Settings, origin: str) -> ProtectedResources:
    """The metadata that tells clients how to sign in."""
    servers = (origin if settings.sign_in.bridge_client_id else settings.sign_in.issuer,)
    return ProtectedResources(origin, servers, (admission_of(settings).scope,), NAME)


def is_resource(path: str) -> bool:
    """Whether clients may use this path as the server's address."""
    return path == MCP_PATH or path.startswith(f"{MCP_PATH}/x/")


def upstream_of(settings: Settings) -> Upstream:
    """The credentials for the services that tools call."""
    from identity.on_behalf_of import AppRegistration
    from identity.own_identity import OwnIdentity
    from identity.upstream import Upstream

    authority, tenant = entra_of(settings.sign_in.issuer) if settings.sign_in.issuer else ("", "")
    client_id = settings.upstream.client_id or settings.sign_in.bridge_client_id
    secret = settings.upstream.client_secret or settings.sign_in.bridge_client_secret
    registration = AppRegistration(tenant, client_id, secret, authority) if tenant else AppRegistration()
    own = OwnIdentity(
        settings.place.is_on_azure, settings.upstream.identity_client_id, tenant or settings.upstream.tenant
    )
    return Upstream(registration, own, own_identity_allowed=settings.upstream.own_identity)


def bridge_of(
    settings: Settings, upstream: Upstream, sessions: BridgeSessions, scopes: Iterable[str], origin: str
) -> ASGIApp:
    """Build the sign-in bridge of one origin. The bridge signs in clients that Entra does not support."""
    from identity.bridge.app import sign_in_bridge
    from identity.bridge.offer import Site
    from identity.seals import Seals

    # Clients must be able to request every scope that grants access, because a denial names the scope to request.
    authority = authority_of(settings, upstream, scopes)
    site = Site(NAME, origin, [origin + MCP_PATH])
    return sign_in_bridge(site, authority, Seals(sealing_keys(settings)), sessions)


def authority_of(settings: Settings, upstream: Upstream, scopes: Iterable[str] = ()) -> Authority:
    """The authority that signs users in. Sign-ins request `scopes` in addition to the scope that every token has."""
    from identity.bridge.authority import Authority
    from identity.on_behalf_of import secret_proof

    async def credential() -> dict[str, str]:
        secret = settings.sign_in.bridge_client_secret
        return dict(secret_proof(secret) if secret else await upstream.proof())

    endpoints = f"{'/'.join(entra_of(settings.sign_in.issuer))}/oauth2/v2.0"
    scope = " ".join([admission_of(settings).scope, *scopes])
    client = settings.sign_in.bridge_client_id
    return Authority(f"{endpoints}/authorize", f"{endpoints}/token", client, scope, credential)


def sealing_keys(settings: Settings) -> Sequence[str]:
    """The keys for encrypting the state that clients and browsers store for this server."""
    return settings.server.request_state_keys or [_LAPTOP_KEY]


def check_cloud(settings: Settings) -> None:
    """Raise Refusal if sign-in and services are in different clouds, because a token is valid only in one cloud."""
    host = urlsplit(settings.sign_in.issuer).hostname or ""
    cloud = next((cloud for ending, cloud in _SIGNED_IN_AT.items() if host.endswith(ending)), "")
    named = cloud_named(settings.upstream.cloud)
    if cloud and cloud != named.name and not named.is_emulated:
        raise Refusal(
            f"AUTH_ISSUER belongs to the cloud {cloud}, but AZURE_CLOUD is {named.name}. Set AZURE_CLOUD to {cloud},"
            f" or set AUTH_ISSUER to an issuer in {named.name}."
        )


def entra_of(issuer: str) -> tuple[str, str]:
    """Split an issuer URL into the Entra URL and the tenant."""
    parts = urlsplit(issuer)
    tenant = parts.path.removesuffix(_ENTRA_VERSION).strip("/")
    return f"{parts.scheme}://{parts.netloc}", "" if "/" in tenant else tenant
