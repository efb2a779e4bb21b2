"""Kinds of events, each with the likelihood that it breaks an application."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event. `weight`, at most 1, is the likelihood that such an event breaks its target.

    Events of a kind with `is_noise` are counted but not listed. An event of a kind with `is_sign` is a symptom of the
    incident, not a cause.
    """

    name: str
    weight: float
    is_noise: bool = False
    is_sign: bool = False


EXPIRED: Final = EventKind("secret or certificate expired", 1.1)
STOPPED: Final = EventKind("stopped or disabled", 1.0)
DELETED: Final = EventKind("deleted", 0.95)
NETWORK: Final = EventKind("network rule", 0.95)
ACCESS: Final = EventKind("access or identity", 0.95)
KEY: Final = EventKind("key changed", 0.95)
SECRET: Final = EventKind("secret changed", 0.9)
DNS: Final = EventKind("DNS", 0.9)
SETTING: Final = EventKind("settings", 0.9)
CERTIFICATE: Final = EventKind("certificate or domain", 0.85)
CODE: Final = EventKind("code deployed", 0.85)
PLATFORM: Final = EventKind("incident in Azure itself", 0.85)
RUNTIME: Final = EventKind("version or TLS", 0.85)
FAILOVER: Final = EventKind("failover", 0.85)
QUOTA: Final = EventKind("quota or capacity", 0.8)
SMALLER: Final = EventKind("scaled down", 0.8)
SIZE: Final = EventKind("scale or size", 0.6)
LARGER: Final = EventKind("scaled up", 0.3)
HEALTH: Final = EventKind("health of a dependency", 0.75)
RETIRED: Final = EventKind("retirement date passed", 0.75)
LOCK: Final = EventKind("lock", 0.65)
POLICY: Final = EventKind("policy", 0.65)
MAINTENANCE: Final = EventKind("maintenance of Azure", 0.65)
PIPELINE: Final = EventKind("pipeline or its variables", 0.65)
TEMPLATE: Final = EventKind("template deployed", 0.6)
RELEASED: Final = EventKind("released", 0.8)
MERGED: Final = EventKind("code merged", 0.6)
MINOR: Final = EventKind("minor setting", 0.4)
OTHER: Final = EventKind("changed", 0.5)
BUILT: Final = EventKind("built", 0.4)
CREATED: Final = EventKind("created", 0.35)
RESTARTED: Final = EventKind("restarted", 0.3)
ANNOUNCED: Final = EventKind("Azure update", 0.25)
WATCHING: Final = EventKind("monitoring", 0.2)
AUTOSCALED: Final = EventKind("autoscale", 0.08, is_noise=True)
TAGS: Final = EventKind("tags", 0.03, is_noise=True)
ROUTINE: Final = EventKind("reads, scans and state updates", 0.02, is_noise=True)
ALERT: Final = EventKind("alert", 0.0, is_sign=True)
UNHEALTHY: Final = EventKind("unhealthy", 0.0, is_sign=True)
