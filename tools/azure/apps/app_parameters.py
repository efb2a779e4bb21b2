"""Code shared by the tools for apps: parameters, and descriptions of an app's state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.answers import Json, at, present
from clients.azure.apps.finding import AzureApp
from mcp_server.declarations.field import Field

AppName = Annotated[str, Field(min_length=1, max_length=2048, description="Name, id, or app/slot")]

# Parameters whose values are allowed in audit records.
OF_APP: Final = ("app", "subscription")

_FINE: Final = frozenset({"", "succeeded", "normal", "none"})


def state(record: Mapping[str, Any]) -> str | None:
    """Describe the state of an app, including any unusual availability, usage or provisioning state."""
    found = record.get("properties") or {}
    own = found.get("state") or found.get("runningStatus") or at(found, "powerState.code")
    unusual = [found.get(name) for name in ("availabilityState", "usageState", "provisioningState")]
    states = [str(one) for one in (own, *unusual) if one and str(one).lower() not in _FINE]
    return ", ".join(dict.fromkeys(states)) or None


def runtime(record: Mapping[str, Any], configuration: Mapping[str, Any] | None = None) -> str | None:
    """Return the runtime of a web or function app, if it is known."""
    found = record.get("properties") or {}
    own = configuration or found.get("siteConfig") or {}
    flexible = at(found, "functionAppConfig.runtime") or {}
    named = " ".join(str(flexible[name]) for name in ("name", "version") if flexible.get(name))
    on_windows = f".NET {own['netFrameworkVersion']}" if own.get("netFrameworkVersion") else None
    return own.get("linuxFxVersion") or own.get("windowsFxVersion") or named or on_windows


def hosts(record: Mapping[str, Any]) -> list[str]:
    """Return the host names of an app."""
    found = record.get("properties") or {}
    names = found.get("hostNames") or [found.get("defaultHostName")]
    own = [at(found, "configuration.ingress.fqdn"), found.get("fqdn"), *names]
    domains = at(found, "configuration.ingress.customDomains") or ()
    return [str(one) for one in (*own, *(at(domain, "name") for domain in domains)) if one]


def own_name(text: Any) -> str | None:
    """Return the name at the end of a resource id."""
    return str(text).rpartition("/")[2] if text else None


def about(app: AzureApp) -> Json:
    record = app.record
    kind = {"kind": app.kind, "location": record.get("location"), "tags": record.get("tags")}
    return present({"name": record.get("name"), "id": record.get("id"), **kind, "state": state(record)})
