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
_LOOPBACK: Final = {"localhost", "127.0.0.1", "[::1]"}
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
    site_name: str = _setting(
        "WEBSITE_HOSTNAME", str, "", "The app's own host name. Azure sets it; where it is missing, this is a laptop."
    )

    @property
    def is_on_azure(self) -> bool:
        """Azure Functions Core Tools set the host name, too, to the address on which they listen."""
        return bool(self.site_name) and self.site_name.rpartition(":")[0] not in _LOOPBACK

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
    try:
        return metadata["parse"](environment[metadata["name"]].strip())
    except (ValueError, Refusal) as problem:
        raise Refusal(f"The setting {metadata['name']} is not valid: {str(problem).rstrip('.')}.") from None
