"""Compares the configured scale settings with those in Azure, because Azure may silently change or ignore a setting."""

from __future__ import annotations

from typing import Any

from azure_lookups import SITES_VERSION
from hook import Deployment

PROVISION = "Run 'azd provision', which sets this value."


def compare_scale(deployment: Deployment) -> None:
    answer = deployment.azure.get(deployment.needed("AZURE_FUNCTION_ID", PROVISION), SITES_VERSION)
    if not answer.is_good:
        print(f"Azure did not return the app ({answer.code}), so its scale settings were not compared.", flush=True)
        return
    for name, expected, found in differences(deployment, (answer.content.get("properties") or {})):
        print(
            f"Warning: {name} is {found}, but you set it to {expected}. The region or the service may not support the"
            f" configured value.",
            flush=True,
        )


def differences(deployment: Deployment, site: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the options whose value in Azure differs from the configured value, each with both values."""
    config = site.get("functionAppConfig") or {}
    scale = config.get("scaleAndConcurrency") or {}
    ready = {one.get("name"): one.get("instanceCount") for one in scale.get("alwaysReady") or ()}
    found = {
        "UPDATE_STRATEGY": ("Recreate", (config.get("siteUpdateStrategy") or {}).get("type") or "Recreate"),
        "MAXIMUM_INSTANCE_COUNT": ("100", scale.get("maximumInstanceCount")),
        "ALWAYS_READY_INSTANCES": ("0", ready.get("http") or 0),
    }
    expected = {name: deployment.value(name).strip() or default for name, (default, _) in found.items()}
    known = {name: str(value) for name, (_, value) in found.items() if value is not None}
    return [(name, expected[name], value) for name, value in known.items() if expected[name] != value]
