"""Measures in milliseconds how long the server takes to respond, after a restart and while it runs."""

from __future__ import annotations

from collections.abc import Callable

from azure_lookups import SITES_VERSION
from verification.target import Target
from web import WebAnswer

Ask = Callable[[], WebAnswer]
TIMES = 10
WARM, COLD = "warm call", "cold start"


def warm(target: Target) -> list[int]:
    target.ask("GET", "/health")
    return [_milliseconds(target, lambda: target.mcp("tools/list", {})) for _ in range(TIMES)]


def cold(target: Target) -> list[int]:
    """The time of the first response after a restart. Only a deployment can be restarted."""
    if target.deployment is None:
        return []
    app = target.deployment.value("AZURE_FUNCTION_ID")
    measured = []
    for _ in range(TIMES):
        if not target.deployment.azure.post(f"{app}/restart", SITES_VERSION).is_good:
            break
        measured.append(_milliseconds(target, lambda: target.ask("GET", "/health")))
    return measured


def _milliseconds(target: Target, ask: Ask) -> int:
    began = target.clock.now()
    ask()
    return round((target.clock.now() - began) * 1000)
