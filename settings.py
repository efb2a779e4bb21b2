"""Every setting of the app: its name in the environment, its type, its default and what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self

from refusal import Refusal

_SHORTEST_KEY: Final = 32


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for entry in text.split(",") if (name := entry.strip()))


def _keys(text: str) -> tuple[str, ...]:
    keys = _names(text)
    if any(len(key.encode()) < _SHORTEST_KEY for key in keys):
        raise ValueError(f"each key needs at least {_SHORTEST_KEY} characters")
    return keys


def _setting(name: str, parse: Callable[[str], Any], default: Any, meaning: str, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"name": name, "parse": parse, "meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    toolsets: tuple[str, ...] = _setting(
        "MCP_TOOLSETS", _names, ("all",), "The toolsets this server offers, separated by commas, or `all`."
    )
    allowed_hosts: tuple[str, ...] = _setting(
        "MCP_ALLOWED_HOSTS",
        _names,
        (),
        "Host names the server answers for, separated by commas; `:*` at the end stands for any port."
        " Added to its own name on Azure and to loopback on a laptop.",
    )
    allowed_origins: tuple[str, ...] = _setting(
        "MCP_ALLOWED_ORIGINS",
        _names,
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
    site_name: str = _setting(
        "WEBSITE_HOSTNAME", str, "", "The app's own host name. Azure sets it; where it is missing, this is a laptop."
    )

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
    except ValueError as problem:
        raise Refusal(f"The setting {metadata['name']} is not valid: {problem}.") from None
