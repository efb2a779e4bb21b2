"""Builds what decides who comes in, and in whose name services are called, from the settings."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from identity.access import Access
from identity.denial import Denial
from identity.door import Asking, Door, Needed, SignIn, open_door
from identity.grants import UNLIMITED, Grants
from identity.limits import RateLimit
from identity.metadata import ProtectedResources, challenge
from identity.sign_in import BearerSignIn, KeySignIn
from refusal import Refusal
from settings import Settings
from tools import TOOLSETS

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from identity.admission import Admission
    from identity.roles import Roles
    from identity.upstream import Upstream

MCP_PATH: Final = "/mcp"
NAME: Final = "Azure Team MCP"
# Without a key in the settings, which is enough on a laptop only.
_LAPTOP_KEY: Final = secrets.token_hex()
_ROOT: Final = Path(__file__).parent
_MANY_TENANTS: Final = {"", "common", "organizations", "consumers"}
_ENTRA_VERSION: Final = "/v2.0"
# What those may do on the internet who are not signed in.
_PUBLIC_READS: Final = Grants.of(
    [(toolset.name, Access.READ) for toolset in TOOLSETS if toolset.is_public], are_personal=False
)


def door(of: Settings) -> Door:
    """Who is let in, what for, and how often. On a laptop without sign-in, everybody for everything.

    Raises:
        Refusal: The settings or the roles file cannot be right.
    """
    if of.auth_mode == "none" and not of.is_on_azure:
        return open_door(UNLIMITED)
    door = open_door(_PUBLIC_READS) if of.auth_mode == "none" else _guarded(of)
    return replace(
        door,
        per_address=RateLimit("address", of.limit_per_address),
        # Those who are not signed in are one caller together, and are told apart by their addresses.
        per_caller=RateLimit("caller", 0 if of.auth_mode == "none" else of.limit_per_caller),
    )


def _guarded(of: Settings) -> Door:
    roles = _roles(of)
    door = replace(
        open_door(UNLIMITED), sign_in=_sign_in(of), grants_of=roles.grants_of, needed=partial(_needed, roles)
    )
    if of.auth_mode != "oauth":
        return door
    _check_bridge(of)
    return replace(door, challenge=partial(_challenge, of, _admission(of).scope))


def _check_bridge(of: Settings) -> None:
    if of.auth_bridge_client_id and not _entra(of.auth_issuer)[1]:
        raise Refusal("The sign-in bridge works with Entra ID: AUTH_ISSUER must be https://<host>/<tenant id>/v2.0.")
    if of.auth_bridge_client_id and of.is_on_azure and not of.request_state_keys:
        raise Refusal("The sign-in bridge needs the setting MCP_REQUEST_STATE_KEY, which all instances have in common.")


def _roles(of: Settings) -> Roles:
    from identity.roles import Roles

    path = _ROOT / of.auth_roles_file
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise Refusal(f"The setting AUTH_ROLES_FILE names {of.auth_roles_file!r}, which cannot be read.") from None
    roles = Roles.read(text, path.name, [toolset.name for toolset in TOOLSETS])
    if of.auth_mode == "key" and of.auth_key_role not in roles.roles:
        raise Refusal(f"The setting AUTH_KEY_ROLE names {of.auth_key_role!r}, a role that {path.name} does not have.")
    return roles


def _needed(roles: Roles, toolset: str, access: Access) -> Needed:
    return Needed(tuple(roles.scopes_for(toolset, access)), tuple(roles.roles_for(toolset, access)))


def _sign_in(of: Settings) -> SignIn:
    if of.auth_mode == "key":
        return KeySignIn(of.auth_key_role)
    if of.auth_mode == "platform":
        from identity.platform_sign_in import PlatformSignIn

        return PlatformSignIn(_admission(_of_one_tenant(of)), is_on=of.platform_signs_in)
    from identity.bearer import BearerTokens
    from identity.keys import IssuerKeys

    admission = _admission(of)
    return BearerSignIn(BearerTokens(IssuerKeys(of.auth_issuer), admission))


def _of_one_tenant(of: Settings) -> Settings:
    """App Service authentication may be set up for every tenant there is, so here those that may come are known."""
    tenant = _entra(of.auth_issuer)[1]
    if of.auth_allowed_tenants:
        return of
    if tenant in _MANY_TENANTS:
        raise Refusal("AUTH_ISSUER names no single tenant, so AUTH_ALLOWED_TENANTS must be set.")
    return replace(of, auth_allowed_tenants=(tenant.lower(),))


def _admission(of: Settings) -> Admission:
    from identity.admission import Admission

    missing = [
        name
        for name, value in (
            ("AUTH_ISSUER", of.auth_issuer),
            ("AUTH_AUDIENCE", of.auth_audience),
            ("AUTH_SCOPE", of.auth_scope),
        )
        if not value
    ]
    if missing:
        raise Refusal(f"AUTH_MODE is {of.auth_mode}, so {' and '.join(missing)} must be set.")
    return Admission.of(of.auth_audience, of.auth_scope, of.auth_allowed_tenants)


def resources(of: Settings, origin: str) -> ProtectedResources:
    """What clients are told of the way to sign in."""
    servers = (origin if of.auth_bridge_client_id else of.auth_issuer,)
    return ProtectedResources(origin, servers, (_admission(of).scope,), NAME)


def _challenge(of: Settings, scope: str, denial: Denial, request: Asking) -> str:
    """How to sign in, or to ask for more; nothing where asking is no use, since only a role would help."""
    if denial.error == "insufficient_scope" and not denial.scopes:
        return ""
    path = request.path if is_resource(request.path) else MCP_PATH
    return challenge(denial, resources(of, request.origin).metadata_url(path), scope)


def is_resource(path: str) -> bool:
    """Whether a client may know this path as the server."""
    return path == MCP_PATH or path.startswith(f"{MCP_PATH}/x/")


def upstream(of: Settings) -> Upstream:
    """Credentials for what tools call."""
    from identity.on_behalf_of import Registration
    from identity.own_identity import OwnIdentity
    from identity.upstream import Upstream

    authority, tenant = _entra(of.auth_issuer) if of.auth_issuer else ("", "")
    client_id = of.upstream_client_id or of.auth_bridge_client_id
    secret = of.upstream_client_secret or of.auth_bridge_client_secret
    registration = Registration(tenant, client_id, secret, authority) if tenant else Registration()
    own = OwnIdentity(of.is_on_azure, of.identity_client_id, tenant)
    return Upstream(registration, own, own_identity_allowed=of.upstream_own_identity)


def bridge(of: Settings, upstream: Upstream, origin: str) -> ASGIApp:
    """What signs in clients that Entra does not know, for one origin of this server."""
    from identity.bridge.app import sign_in_bridge
    from identity.bridge.authority import Authority
    from identity.bridge.offer import Site
    from identity.on_behalf_of import secret_proof

    async def credential() -> dict[str, str]:
        secret = of.auth_bridge_client_secret
        return dict(secret_proof(secret) if secret else await upstream.proof())

    endpoints = f"{'/'.join(_entra(of.auth_issuer))}/oauth2/v2.0"
    # A client is told of a scope that it lacks, so it must be able to get each that opens something.
    scope = " ".join([_admission(of).scope, *_roles(of).scopes])
    authority = Authority(f"{endpoints}/authorize", f"{endpoints}/token", of.auth_bridge_client_id, scope, credential)
    site = Site(NAME, origin, [origin + MCP_PATH])
    return sign_in_bridge(site, authority, of.request_state_keys or [_LAPTOP_KEY])


def _entra(issuer: str) -> tuple[str, str]:
    """The address of Entra, and the tenant, as its issuers name them."""
    parts = urlsplit(issuer)
    tenant = parts.path.removesuffix(_ENTRA_VERSION).strip("/")
    return f"{parts.scheme}://{parts.netloc}", "" if "/" in tenant else tenant
