"""Builds the door and the gate of the server from the settings and the roles file.

The door identifies callers, grants access and enforces rate limits. The gate checks the hosts and origins in request
headers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.notifying import places_of
from app.signing_in import MCP_PATH, admission_of, entra_of, is_resource, resources_of
from identity.access import Access
from identity.denial import Denial
from identity.door import Door, IncomingRequest, Needed, SignIn, open_door
from identity.grants import UNLIMITED, Grants
from identity.limits import AddressLimit, RateLimit
from identity.metadata import challenge
from identity.sign_in import BearerSignIn, KeySignIn
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.gate import LARGEST_BODY, LARGEST_BODY_OF_STRANGERS, LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from refusal import Refusal
from settings import Settings

if TYPE_CHECKING:
    from changes.rule import Rule
    from identity.roles import Roles
    from identity.tenants import Tenants

_ROOT: Final = Path(__file__).parent.parent
_MANY_TENANTS: Final = {"", "common", "organizations", "consumers"}


def door_of(settings: Settings, toolsets: Sequence[Toolset]) -> Door:
    """Build the door. On a laptop without sign-in, everyone has full access."""
    if settings.sign_in.mode == "none" and not settings.place.is_on_azure:
        return open_door(UNLIMITED)
    door = open_door(_public_reads(toolsets)) if settings.sign_in.mode == "none" else _guarded(settings, toolsets)
    return replace(
        door,
        per_address=AddressLimit(settings.sign_in.limit_per_address),
        # Without sign-in, the server cannot distinguish callers. Rate limits therefore apply only to network addresses.
        per_caller=RateLimit("caller", 0 if settings.sign_in.mode == "none" else settings.sign_in.limit_per_caller),
        per_agent=RateLimit("agent", settings.sign_in.limit_per_agent),
        changes_per_agent=RateLimit("agent", settings.sign_in.changes_per_agent, daily="changes"),
    )


def gate_of(settings: Settings) -> Gate:
    """Build the gate, which checks the Host and Origin headers of requests.

    The gate accepts the hosts in the settings. On Azure, it also accepts the app's own host name; on a laptop, it also
    accepts loopback addresses.
    """
    server, place = settings.server, settings.place
    if place.is_on_azure:
        names = [place.site_name] if place.site_name else []
        own = [f"https://{name}" for name in names]
        largest = LARGEST_BODY_OF_STRANGERS if settings.sign_in.mode == "none" else LARGEST_BODY
        return Gate.of([*names, *server.allowed_hosts], [*own, *server.allowed_origins], largest)
    return Gate.of([*LOCAL_HOSTS, *server.allowed_hosts], [*LOCAL_ORIGINS, *server.allowed_origins])


def _public_reads(toolsets: Sequence[Toolset]) -> Grants:
    """What anonymous callers can do if the server runs on Azure: read the public toolsets."""
    public = [(toolset.name, Access.READ) for toolset in toolsets if toolset.is_public]
    return Grants.of(public, are_personal=False)


def _guarded(settings: Settings, toolsets: Sequence[Toolset]) -> Door:
    roles = roles_of(settings, toolsets)
    door = replace(
        open_door(UNLIMITED),
        sign_in=_sign_in(settings),
        grants_of=roles.grants_of,
        needed=partial(_needed, roles),
        tenants=_tenants_of(settings, toolsets, roles),
    )
    if settings.sign_in.mode != "oauth":
        return door
    _check_bridge(settings)
    return replace(door, challenge=partial(_challenge, settings, admission_of(settings).scope))


def _check_bridge(settings: Settings) -> None:
    client, allowed = settings.sign_in.bridge_client_id, settings.sign_in.allowed_clients
    if client and not entra_of(settings.sign_in.issuer)[1]:
        raise Refusal("The sign-in bridge works with Entra ID: AUTH_ISSUER must be https://<host>/<tenant id>/v2.0.")
    if client and allowed and client.lower() not in map(str.lower, allowed):
        raise Refusal(
            "AUTH_ALLOWED_CLIENTS does not contain the client ID in AUTH_BRIDGE_CLIENT_ID, so nobody can sign in"
            " through the bridge. Add this client ID to the list, or remove AUTH_BRIDGE_CLIENT_ID to turn the bridge"
            " off."
        )
    if client and settings.place.is_on_azure and not settings.server.request_state_keys:
        raise Refusal(
            "The sign-in bridge requires the setting MCP_REQUEST_STATE_KEY, with the same value on all instances."
        )


def _needed(roles: Roles, toolset: str, tool: str, access: Access) -> Needed:
    return Needed(tuple(roles.scopes_for(toolset, tool, access)), tuple(roles.roles_for(toolset, tool, access)))


def _sign_in(settings: Settings) -> SignIn:
    if settings.sign_in.mode == "key":
        return KeySignIn(settings.sign_in.key_role)
    if settings.sign_in.mode == "platform":
        from identity.platform_sign_in import PlatformSignIn

        return PlatformSignIn(admission_of(_of_one_tenant(settings)), is_on=settings.sign_in.platform_signs_in)
    from identity.bearer import BearerTokens
    from identity.keys import IssuerKeys

    admission = admission_of(settings)
    return BearerSignIn(BearerTokens(IssuerKeys(settings.sign_in.issuer), admission))


def _of_one_tenant(settings: Settings) -> Settings:
    """If the settings list no allowed tenants, allow only the issuer's tenant. App Service authentication might
    otherwise admit users from any tenant.
    """
    tenant = entra_of(settings.sign_in.issuer)[1]
    if settings.sign_in.allowed_tenants:
        return settings
    if tenant in _MANY_TENANTS:
        raise Refusal("AUTH_ISSUER does not name a single tenant, so AUTH_ALLOWED_TENANTS must be set.")
    return replace(settings, sign_in=replace(settings.sign_in, allowed_tenants=(tenant.lower(),)))


def external_of(settings: Settings, toolsets: Sequence[Toolset]) -> Sequence[str]:
    """The names of external toolsets in the roles file. If AUTH_MODE is none, the result is empty, because the roles
    file is not read.
    """
    return () if settings.sign_in.mode == "none" else roles_of(settings, toolsets).external


def rules_of(settings: Settings, toolsets: Sequence[Toolset]) -> tuple[Rule, ...]:
    """The approval rules in the roles file. If AUTH_MODE is none, there are no rules unless a setting requires them."""
    if settings.sign_in.mode == "none" and not settings.server.laptop_keeps_rules:
        return ()
    from changes.rules_file import rules_in

    path, text = _roles_file(settings)
    roles = roles_of(settings, toolsets).roles
    return rules_in(text, path.name, _ToolNames(toolsets), roles, places_of(settings))


def _tenants_of(settings: Settings, toolsets: Sequence[Toolset], roles: Roles) -> Tenants:
    from identity.tenants_file import tenants_in

    path, text = _roles_file(settings)
    return tenants_in(text, path.name, _ToolNames(toolsets), roles.roles)


def _roles_file(settings: Settings) -> tuple[Path, str]:
    path = _ROOT / settings.sign_in.roles_file
    try:
        return path, path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise Refusal(
            f"The setting AUTH_ROLES_FILE is {settings.sign_in.roles_file!r}, but that file cannot be read."
        ) from None


def roles_of(settings: Settings, toolsets: Sequence[Toolset]) -> Roles:
    from identity.roles import Roles

    path, text = _roles_file(settings)
    by_name_only = {(toolset.name, tool) for toolset in toolsets for tool in toolset.by_name_only}
    roles = Roles.read(text, path.name, _ToolNames(toolsets), by_name_only)
    if settings.sign_in.mode == "key" and settings.sign_in.key_role not in roles.roles:
        raise Refusal(
            f"The setting AUTH_KEY_ROLE is {settings.sign_in.key_role!r}, but {path.name} has no role with this name."
        )
    return roles


class _ToolNames(Mapping[str, Collection[str]]):
    """For each toolset, the names of its tools.

    A toolset is imported only if the roles file mentions its tools.
    """

    def __init__(self, toolsets: Sequence[Toolset]) -> None:
        self._toolsets = {toolset.name: toolset for toolset in toolsets}

    def __getitem__(self, name: str) -> Collection[str]:
        return [tool.name for tool in self._toolsets[name].tools]

    def __iter__(self) -> Iterator[str]:
        return iter(self._toolsets)

    def __len__(self) -> int:
        return len(self._toolsets)


def _challenge(settings: Settings, scope: str, denial: Denial, request: IncomingRequest) -> str:
    """The WWW-Authenticate header, which tells a client how to sign in or which scopes to request.

    If the caller needs another role, the header is omitted, because more scopes would not help.
    """
    if denial.error == "insufficient_scope" and not denial.scopes:
        return ""
    path = request.path if is_resource(request.path) else MCP_PATH
    return challenge(denial, resources_of(settings, request.origin).metadata_url(path), scope)
