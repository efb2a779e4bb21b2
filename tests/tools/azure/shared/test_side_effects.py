"""What a change does beside what it sets: a restart, a failover, a cold cache."""

from __future__ import annotations

import pytest

from changes.preview import Edit
from clients.azure.ids import ResourceId
from tools.azure.shared.side_effects import side_effects, side_effects_of_deleting

GROUP = "/subscriptions/8e56a298-db31-514d-b40c-0e93fafc3e6f/resourceGroups/shop-prod/providers"
CACHE = f"{GROUP}/Microsoft.Cache/Redis/shop-cache"
GONE = "Deletes everything that shop-cache caches, so apps start with a cold cache"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("microsoft.web/serverfarms/shop-plan: sku.name", "Restarts all apps on the plan shop-plan"),
        ("microsoft.web/sites/shop: properties.siteConfig.alwaysOn", "Restarts the app shop"),
        ("Microsoft.App/containerApps/web: properties.template.containers[web].image", "Starts a new revision of web"),
        (
            "microsoft.compute/virtualmachines/till: properties.hardwareProfile.vmSize",
            "Restarts the virtual machine till, with some minutes of downtime",
        ),
        (
            "microsoft.dbforpostgresql/flexibleservers/orders: sku.name",
            "Restarts the server orders: it drops open connections and may be unavailable for a minute or two",
        ),
        (f"{CACHE}: properties.sku.capacity", "Fails over the cache shop-cache and drops connections"),
        (
            "microsoft.sql/servers/shop-sql/databases/orders: sku.capacity",
            "Moves orders to another size, which drops open connections",
        ),
    ],
)
def test_a_setting_tells_what_else_happens(path: str, words: str) -> None:
    [told] = side_effects([Edit(path, "a", "b")])
    assert told.startswith(words)


@pytest.mark.parametrize(
    "edit",
    [
        Edit("microsoft.web/serverfarms/shop-plan: tags.team", "a", "b"),
        Edit("microsoft.web/serverfarms/new", None, '{"sku": {}}'),
        Edit("microsoft.cache/redis/new", None, "there"),
        Edit("microsoft.web/serverfarms/shop-plan", "there", None),
        Edit("sku.name", "a", "b"),
        Edit("../..//: sku", "a", "b"),
        Edit("? {}", "a", "b"),
    ],
)
def test_nothing_is_said_of_what_interrupts_nothing(edit: Edit) -> None:
    assert side_effects([edit]) == []


def test_each_is_said_once_and_of_the_resource_that_is_changed() -> None:
    plan = ResourceId.of(f"{GROUP}/Microsoft.Web/serverFarms/shop-plan")
    edits = [Edit("sku.name", "B1", "S1"), Edit("sku.capacity", 1, 2)]
    assert side_effects(edits, plan) == ["Restarts all apps on the plan shop-plan"]


def test_a_deleted_cache_leaves_apps_with_a_cold_one() -> None:
    assert side_effects_of_deleting([CACHE, f"{GROUP}/Microsoft.Web/sites/shop"]) == [GONE]
    assert side_effects([Edit("microsoft.cache/redis/shop-cache (perhaps)", "there", None)]) == [GONE]
