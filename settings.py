"""Every setting of the app: its name in the environment, its type, its default and what it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self

from clients.addresses import checked_base_url
from refusal import Refusal

_SHORTEST_KEY: Final = 32
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?:\d+|\*))?")
_ORIGIN: Final = re.compile(r"https?://" + _HOST.pattern)
_GUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
MODES: Final = ("none", "oauth", "platform", "key")
_UNRESOLVED: Final = "@Microsoft.KeyVault("
NO: Final = False


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for entry in text.split(",") if (name := entry.strip()))


def _keys(text: str) -> tuple[str, ...]:
    keys = _names(text)
    if any(len(key.encode()) < _SHORTEST_KEY for key in keys):
        raise ValueError(f"each key needs at least {_SHORTEST_KEY} characters")
    return keys


def _toolsets(text: str) -> tuple[str, ...]:
    if not (names := _names(text)):
        raise ValueError("it names no toolset")
    return names


def _server_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError("it has up to 64 letters, digits and any of -._")
    return text


def _hosts(text: str) -> tuple[str, ...]:
    return _each(text, _HOST, "a host is a name such as mcp.example.com, with :443 or :* where a port belongs to it")


def _origins(text: str) -> tuple[str, ...]:
    return _each(text, _ORIGIN, "an origin is a scheme and a host, such as https://portal.example.com, and no path")


def _each(text: str, form: re.Pattern[str], expected: str) -> tuple[str, ...]:
    if not all(map(form.fullmatch, names := _names(text))):
        raise ValueError(expected)
    return names


def _percent(text: str) -> float:
    percent = float(text)
    if not 0 <= percent <= 100:
        raise ValueError("it must be from 0 to 100")
    return percent


def _truth(text: str) -> bool:
    match text.lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
    raise ValueError("it must be true or false")


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError("it must be a whole number; 0 is no limit")
    return int(text)


def _tenants(text: str) -> tuple[str, ...]:
    return tuple(name.lower() for name in _each(text, _GUID, "a tenant is named by its id, as in Entra's overview"))


def _mode(text: str) -> str:
    if text not in MODES:
        raise ValueError(f"it must be one of {', '.join(MODES)}")
    return text


def _setting(name: str, parse: Callable[[str], Any], default: Any, meaning: str, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"name": name, "parse": parse, "meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    toolsets: tuple[str, ...] = _setting(
        "MCP_TOOLSETS", _toolsets, ("all",), "The toolsets this server offers, separated by commas, or `all`."
    )
    server_name: str = _setting(
        "MCP_SERVER_NAME",
        _server_name,
        "azure-team-mcp",
        "What the server calls itself. What clients carry from one request to the next is sealed for this name.",
    )
    allowed_hosts: tuple[str, ...] = _setting(
        "MCP_ALLOWED_HOSTS",
        _hosts,
        (),
        "Host names the server answers for, separated by commas; `:*` at the end stands for any port."
        " Added to its own name on Azure and to loopback on a laptop.",
    )
    allowed_origins: tuple[str, ...] = _setting(
        "MCP_ALLOWED_ORIGINS",
        _origins,
        (),
        "Origins of web pages that may call the server, such as `https://portal.example.com`, separated by commas."
        " On a laptop, pages on loopback may too.",
    )
    request_state_keys: tuple[str, ...] = _setting(
        "MCP_REQUEST_STATE_KEY",
        _keys,
        (),
        "Secret of at least 32 characters that seals what a client carries from one request to the next. Several,"
        " separated by commas, while one replaces another: the first seals. Without it each process makes its own,"
        " which is enough on a laptop only.",
        secret=True,
    )
    read_only: bool = _setting("MCP_READ_ONLY", _truth, NO, "Whether nobody may change anything through this server.")
    denied: tuple[str, ...] = _setting(
        "MCP_DENIED",
        _names,
        (),
        "Tools and toolsets that nobody has here, whatever their roles, separated by commas.",
    )
    consent_waived: tuple[str, ...] = _setting(
        "MCP_CONSENT_WAIVED",
        _names,
        (),
        "Toolsets whose tools destroy without asking first, separated by commas. Rather leave it empty.",
    )
    auth_mode: str = _setting(
        "AUTH_MODE",
        _mode,
        "none",
        "How callers sign in: `none`, `oauth` (bearer tokens of an OpenID issuer), `platform` (App Service"
        " authentication) or `key` (Functions keys). With `none` on Azure only public toolsets can be read.",
    )
    auth_issuer: str = _setting(
        "AUTH_ISSUER",
        checked_base_url,
        "",
        "The issuer of tokens, such as `https://login.microsoftonline.com/<tenant id>/v2.0`.",
    )
    auth_audience: tuple[str, ...] = _setting(
        "AUTH_AUDIENCE",
        _names,
        (),
        "What tokens for this server have as audience: its application (client) id, or its application id URI. Several"
        " are separated by commas.",
    )
    auth_scope: str = _setting(
        "AUTH_SCOPE",
        str,
        "",
        "The scope that a user's token needs, in full, such as `api://<client id>/access`.",
    )
    auth_allowed_tenants: tuple[str, ...] = _setting(
        "AUTH_ALLOWED_TENANTS",
        _tenants,
        (),
        "Ids of the tenants whose people may sign in, separated by commas. Needed when the issuer serves many.",
    )
    auth_roles_file: str = _setting(
        "AUTH_ROLES_FILE", str, "roles.yaml", "The file that says which role opens which toolsets."
    )
    auth_key_role: str = _setting(
        "AUTH_KEY_ROLE", str, "Reader", "The role that callers with a Functions key have, in the mode `key`."
    )
    auth_bridge_client_id: str = _setting(
        "AUTH_BRIDGE_CLIENT_ID",
        str,
        "",
        "Application id with which clients that Entra does not know are signed in. It turns the sign-in bridge on.",
    )
    auth_bridge_client_secret: str = _setting(
        "AUTH_BRIDGE_CLIENT_SECRET",
        str,
        "",
        "Its client secret. Without it, the managed identity vouches for the app (a federated credential).",
        secret=True,
    )
    upstream_client_id: str = _setting(
        "UPSTREAM_CLIENT_ID",
        str,
        "",
        "Application id with which services are called on behalf of the user who signed in. By default the bridge's.",
    )
    upstream_client_secret: str = _setting(
        "UPSTREAM_CLIENT_SECRET",
        str,
        "",
        "Its client secret. Without it, the managed identity vouches for the app (a federated credential).",
        secret=True,
    )
    upstream_own_identity: bool = _setting(
        "UPSTREAM_OWN_IDENTITY",
        _truth,
        NO,
        "Whether the app's own identity is used for callers who are no users, such as pipelines.",
    )
    identity_client_id: str = _setting(
        "AZURE_CLIENT_ID", str, "", "Client id of the app's managed identity, with which it vouches and calls services."
    )
    limit_per_caller: int = _setting(
        "RATE_LIMIT_PER_CALLER",
        _count,
        300,
        "Requests a minute that one caller may send to one instance; 0 is no limit.",
    )
    limit_per_address: int = _setting(
        "RATE_LIMIT_PER_ADDRESS",
        _count,
        1200,
        "Requests a minute that one network address may send to one instance; 0 is no limit.",
    )
    ado_url: str = _setting(
        "ADO_ORG_URL",
        checked_base_url,
        "",
        "The Azure DevOps organization, `https://dev.azure.com/<name>`, or the collection of an Azure DevOps Server."
        " Without it there are no Azure DevOps tools.",
    )
    ado_project: str = _setting(
        "ADO_PROJECT", str, "", "The project that Azure DevOps tools use if the call names none."
    )
    ado_token: str = _setting(
        "ADO_PAT",
        str,
        "",
        "A personal access token for Azure DevOps. Without it, the user who signed in is represented.",
        secret=True,
    )
    ado_attachment_hosts: tuple[str, ...] = _setting(
        "ADO_ATTACHMENT_HOSTS",
        lambda text: _names(text.lower()),
        (),
        "Hosts from which files may be fetched to attach them to work items, separated by commas. None by default.",
    )
    monitor_connection: str = _setting(
        "APPLICATIONINSIGHTS_CONNECTION_STRING",
        str,
        "",
        "Where traces and metrics are sent. Without it there are none.",
        secret=True,
    )
    monitor_authentication: str = _setting(
        "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
        str,
        "",
        "How that is signed in to, such as `ClientId=<id>;Authorization=AAD`.",
    )
    updates_url: str = _setting(
        "UPDATES_API_URL",
        checked_base_url,
        "https://www.microsoft.com/releasecommunications/api/v2/azure",
        "Where Azure updates are read. Plain http is accepted for this machine only.",
    )
    updates_delta_schedule: str = _setting(
        "UPDATES_DELTA_SCHEDULE", str, "0 7 * * * *", "When new updates are read, as an NCRONTAB expression: hourly."
    )
    updates_reconcile_schedule: str = _setting(
        "UPDATES_RECONCILE_SCHEDULE",
        str,
        "0 37 3 * * *",
        "When all updates are compared, which finds silent edits and withdrawals: daily.",
    )
    updates_largest_withdrawal: float = _setting(
        "UPDATES_LARGEST_WITHDRAWAL",
        _percent,
        5.0,
        "How many percent of the updates may vanish at once. A reading that lacks more is refused as suspicious.",
    )
    updates_sample: bool = _setting(
        "UPDATES_SAMPLE",
        _truth,
        NO,
        "Whether invented updates are served until the real ones have been read once. `scripts/serve` sets it.",
    )
    storage_folder: str = _setting(
        "STORAGE_FOLDER", str, "", "A folder that takes the place of the storage account. `scripts/serve` sets it."
    )
    storage_connection: str = _setting(
        "AzureWebJobsStorage",
        str,
        "",
        "Connection string of the storage account, for the emulator. On Azure the identity below is used.",
        secret=True,
    )
    storage_account: str = _setting(
        "AzureWebJobsStorage__accountName", str, "", "Name of the storage account, reached by the app's identity."
    )
    storage_client_id: str = _setting(
        "AzureWebJobsStorage__clientId", str, "", "Client id of the identity that reaches the storage account."
    )
    environment: str = _setting(
        "AZURE_FUNCTIONS_ENVIRONMENT",
        str,
        "Production",
        "`Development` is a laptop, on which everything is open; Core Tools and `scripts/serve` say so.",
    )
    platform_signs_in: bool = _setting(
        "WEBSITE_AUTH_ENABLED", _truth, NO, "Whether App Service authentication is on. Azure sets it."
    )
    site_name: str = _setting("WEBSITE_HOSTNAME", str, "", "The app's own host name. Azure sets it; a laptop has none.")

    @property
    def is_on_azure(self) -> bool:
        """Whether strangers may come: everywhere but where a developer's own tools say that they serve."""
        return self.environment.lower() != "development"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read all settings.

        Raises:
            Refusal: One of them has a value that it cannot have. The value itself is not repeated.
        """
        return cls(
            **{
                entry.name: _parsed(entry.metadata, environment)
                for entry in fields(cls)
                if _given(entry.metadata, environment)
            }
        )


def _given(metadata: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    return bool(environment.get(metadata["name"], "").strip())


def _parsed(metadata: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    text = environment[metadata["name"]].strip()
    if text.startswith(_UNRESOLVED):
        # The platform hands the reference itself to the app where it cannot read the vault: no secret to anybody.
        raise Refusal(f"The setting {metadata['name']} refers to a vault that the app cannot read.")
    try:
        return metadata["parse"](text)
    except (ValueError, Refusal) as problem:
        raise Refusal(f"The setting {metadata['name']} is not valid: {str(problem).rstrip('.')}.") from None
