"""The app's own settings for callers' sign-in, and for the identity that calls services."""

from __future__ import annotations

from dataclasses import dataclass

from clients.addresses import checked_base_url
from clients.azure.cloud import cloud_named
from settings import forms
from settings.declared import NO, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInSettings:
    """The settings for callers' sign-in and for rate limits."""

    mode: str = setting(
        "AUTH_MODE",
        forms.mode,
        "none",
        "How callers sign in: `none`, `oauth` (bearer tokens of an OpenID issuer), `platform` (App Service"
        " authentication) or `key` (Functions keys). With `none` on Azure, callers can use only"
        " the read tools of public toolsets.",
    )
    issuer: str = setting(
        "AUTH_ISSUER",
        checked_base_url,
        "",
        "Issuer of tokens, such as `https://login.microsoftonline.com/<tenant id>/v2.0`.",
    )
    audience: tuple[str, ...] = setting(
        "AUTH_AUDIENCE",
        forms.names,
        (),
        "Audience of tokens for this server: its application (client) id or its application id URI."
        " Separate several audiences with commas.",
    )
    scope: str = setting(
        "AUTH_SCOPE",
        str,
        "",
        "Full name of the scope that a user's token must have, such as `api://<client id>/access`.",
    )
    allowed_tenants: tuple[str, ...] = setting(
        "AUTH_ALLOWED_TENANTS",
        forms.tenants,
        (),
        "Ids of the tenants whose users can sign in, separated by commas. Required if the issuer serves many tenants.",
    )
    allowed_clients: tuple[str, ...] = setting(
        "AUTH_ALLOWED_CLIENTS",
        forms.names,
        (),
        "Application (client) ids of the clients that can call the server, separated by commas."
        " By default, all clients with tokens from the issuer can call the server. All clients that use the"
        " sign-in bridge have the id AUTH_BRIDGE_CLIENT_ID.",
    )
    required_claims: tuple[tuple[str, str], ...] = setting(
        "AUTH_REQUIRED_CLAIMS",
        forms.claims,
        (),
        "Claims that the sign-in of a user must have, separated by commas, such as `acct=0`, which excludes guests of"
        " the tenant. If a claim is listed with several values, one of them is sufficient.",
    )
    roles_file: str = setting(
        "AUTH_ROLES_FILE", str, "roles.yaml", "The roles file, which says which role gives access to which toolsets."
    )
    key_role: str = setting("AUTH_KEY_ROLE", str, "Reader", "Role of callers with a Functions key, in the mode `key`.")
    bridge_client_id: str = setting(
        "AUTH_BRIDGE_CLIENT_ID",
        str,
        "",
        "Application (client) id that the [sign-in bridge](signing-in.md#which-mode) uses to sign in users. With the"
        " bridge, clients need no registration in Entra. Setting this id turns on the bridge.",
    )
    bridge_client_secret: str = setting(
        "AUTH_BRIDGE_CLIENT_SECRET",
        str,
        "",
        "Client secret of the application AUTH_BRIDGE_CLIENT_ID. Without a secret, the managed identity signs in"
        " for the"
        " application (federated credential).",
        secret=True,
    )
    platform_signs_in: bool = setting(
        "WEBSITE_AUTH_ENABLED",
        forms.truth,
        NO,
        "Whether App Service authentication is on.",
        set_by="azure",
    )
    limit_per_caller: int = setting(
        "RATE_LIMIT_PER_CALLER",
        forms.count,
        300,
        "Requests per minute from one caller to one instance, through all of the caller's clients; 0 means no limit.",
    )
    limit_per_address: int = setting(
        "RATE_LIMIT_PER_ADDRESS",
        forms.count,
        1200,
        "Requests per minute from one network address to one instance; 0 means no limit. For IPv6, a /64 counts as"
        " one address, and a whole /48 can send four times as many requests.",
    )
    limit_per_agent: int = setting(
        "RATE_LIMIT_PER_AGENT",
        forms.count,
        300,
        "Requests per minute from one agent to one instance, for all of its users; 0 means no limit.",
    )
    changes_per_agent: int = setting(
        "CHANGES_PER_AGENT",
        forms.count,
        0,
        "Changes per day that one agent can make through one instance, for all of its users; 0 means no limit.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamSettings:
    """The settings for the identity that calls services."""

    client_id: str = setting(
        "UPSTREAM_CLIENT_ID",
        str,
        "",
        "Id of the application that calls services on behalf of the signed-in user. Default: AUTH_BRIDGE_CLIENT_ID.",
    )
    client_secret: str = setting(
        "UPSTREAM_CLIENT_SECRET",
        str,
        "",
        "Client secret of the application UPSTREAM_CLIENT_ID. Default: AUTH_BRIDGE_CLIENT_SECRET. Without either"
        " secret, the managed identity signs in for the application (federated credential).",
        secret=True,
    )
    own_identity: bool = setting(
        "UPSTREAM_OWN_IDENTITY",
        forms.truth,
        NO,
        "Whether tools use the app's own identity for callers who are not users, such as pipelines.",
    )
    identity_client_id: str = setting(
        "AZURE_CLIENT_ID",
        str,
        "",
        "Client id of the app's managed identity, which calls services and signs in for applications without a secret.",
        set_by="template",
    )
    cloud: str = setting(
        "AZURE_CLOUD",
        lambda text: cloud_named(text).name,
        "public",
        "The cloud of the services that are called: `public`, `usgovernment` or `china`, or the URL of an emulator on"
        " this machine. The deployment to Azure supports only `public`.",
        set_by="template",
    )
    tenant: str = setting(
        "AZURE_TENANT_ID",
        str,
        "",
        "The tenant of the services. Default: the tenant of AUTH_ISSUER, or of `az login`.",
        set_by="laptop",
    )
