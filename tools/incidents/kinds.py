"""Kinds of what happens to applications, each with how often it is why one breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Kind:
    """`weight` is how likely such a thing breaks what it happens to: 1 is as likely as anything.

    Noise is told as a count; a sign is what trouble looks like, and not why there is any.
    """

    name: str
    weight: float
    is_noise: bool = False
    is_sign: bool = False


EXPIRED: Final = Kind("secret or certificate expired", 1.1)
STOPPED: Final = Kind("stopped or disabled", 1.0)
DELETED: Final = Kind("deleted", 0.95)
NETWORK: Final = Kind("network rule", 0.95)
ACCESS: Final = Kind("access or identity", 0.95)
KEY: Final = Kind("key changed", 0.95)
SECRET: Final = Kind("secret changed", 0.9)
DNS: Final = Kind("DNS", 0.9)
SETTING: Final = Kind("settings", 0.9)
CERTIFICATE: Final = Kind("certificate or domain", 0.85)
CODE: Final = Kind("code deployed", 0.85)
PLATFORM: Final = Kind("trouble of Azure itself", 0.85)
RUNTIME: Final = Kind("version or TLS", 0.85)
FAILOVER: Final = Kind("failover", 0.85)
QUOTA: Final = Kind("quota or capacity", 0.8)
SMALLER: Final = Kind("scaled down", 0.8)
SIZE: Final = Kind("scale or size", 0.6)
LARGER: Final = Kind("scaled up", 0.3)
HEALTH: Final = Kind("health of what it needs", 0.75)
RETIRED: Final = Kind("retirement date passed", 0.75)
LOCK: Final = Kind("lock", 0.65)
POLICY: Final = Kind("policy", 0.65)
MAINTENANCE: Final = Kind("maintenance of Azure", 0.65)
PIPELINE: Final = Kind("pipeline or its variables", 0.65)
TEMPLATE: Final = Kind("template deployed", 0.6)
RELEASED: Final = Kind("released", 0.8)
MERGED: Final = Kind("code merged", 0.6)
MINOR: Final = Kind("minor setting", 0.4)
OTHER: Final = Kind("changed", 0.5)
BUILT: Final = Kind("built", 0.4)
CREATED: Final = Kind("created", 0.35)
RESTARTED: Final = Kind("restarted", 0.3)
ANNOUNCED: Final = Kind("Azure update", 0.25)
WATCHING: Final = Kind("monitoring", 0.2)
AUTOSCALED: Final = Kind("autoscale", 0.08, is_noise=True)
TAGS: Final = Kind("tags", 0.03, is_noise=True)
ROUTINE: Final = Kind("reads, scans and states", 0.02, is_noise=True)
ALERT: Final = Kind("alert", 0.0, is_sign=True)
UNHEALTHY: Final = Kind("unhealthy", 0.0, is_sign=True)
