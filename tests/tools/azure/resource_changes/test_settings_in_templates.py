"""Settings and environment variables of templates are shown by their names, and never by their values."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure.world import SHOP
from tests.tools.azure.resource_changes.previewed import CLOSED, deployed

HIDDEN: Final = "Tr0ub4dor&3xyz-9Qp"
OTHER: Final = "c0rrect-Horse-9battery"
APP: Final = f"{SHOP}/providers/Microsoft.App/containerApps/web"
SITE: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"


def change(path: str, kind: str = "Modify", **more: Any) -> dict[str, Any]:
    return {"path": path, "propertyChangeType": kind, **more}


def of_env(*changes: Any) -> list[Any]:
    env = change("env", "Array", children=list(changes))
    return [change("properties.template.containers", "Array", children=[change("0", children=[env])])]


def state(*env: tuple[str, str]) -> dict[str, Any]:
    entries = [{"name": name, "value": value} for name, value in env]
    return {"properties": {"template": {"containers": [{"name": "web", "env": entries}]}}}


BEFORE: Final = state(("LEVEL", "info"), ("PAYMENT_HSM_URL", HIDDEN))
ENTRY: Final = {"name": "PAYMENT_HSM_URL", "value": HIDDEN}
ENV: Final = "container app web: template, containers web, env PAYMENT_HSM_URL"


@pytest.mark.parametrize(
    ("place", "delta", "states", "line"),
    [
        (
            APP,
            of_env(change("1", "Delete", before=ENTRY)),
            {"before": BEFORE, "after": state(("LEVEL", "info"))},
            f"{ENV} removed (was a value)",
        ),
        (
            APP,
            of_env(change("1", "Create", after=ENTRY)),
            {"before": state(("LEVEL", "info")), "after": BEFORE},
            f"{ENV} added: a value",
        ),
        (
            APP,
            of_env(change("1", children=[change("value", before=HIDDEN, after=OTHER)])),
            {"before": BEFORE, "after": BEFORE},
            f"{ENV}, value: a value → another value",
        ),
        (
            SITE,
            [change("properties.siteConfig.appSettings[2].value", before=HIDDEN, after=OTHER)],
            {},
            "app shop-web: site config, app settings 2, value: a value → another value",
        ),
        (
            f"{SITE}/config/appsettings",
            [change("properties.PAYMENT_HSM_URL", before=HIDDEN, after=OTHER)],
            {},
            "PAYMENT_HSM_URL: a value → another value",
        ),
        (
            f"{SITE}/config/appsettings",
            [change("properties.PAYMENT_HSM_URL", "Delete", before=HIDDEN)],
            {},
            "PAYMENT_HSM_URL removed (was a value)",
        ),
    ],
)
async def test_a_setting_is_told_by_its_name_alone(place: str, delta: Any, states: Any, line: str) -> None:
    text = await deployed(CLOSED, {"resourceId": place, "changeType": "Modify", "delta": delta, **states})
    assert line in text
    assert HIDDEN not in text
    assert OTHER not in text
