"""Settings and resources are named as people say them, and names that people gave stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes.plain_names import name_in_words

NSG = "microsoft.network/networksecuritygroups/nsg"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("microsoft.web/serverfarms/plan: sku.name", "App Service plan plan: SKU"),
        ("microsoft.web/sites/shop: properties.siteConfig.minTlsVersion", "app shop: site config, min TLS version"),
        (f"{NSG}/securityrules/ssh", "security rule ssh of nsg"),
        (
            f"{NSG}: properties.securityRules[a.Ssh].properties.access",
            "network security group nsg: security rules a.Ssh, access",
        ),
        ("microsoft.web/sites/x/providers/microsoft.authorization/locks/keep", "lock keep of x"),
        (
            "/subscriptions/1/resourcegroups/g/providers/microsoft.web/sites/x (perhaps)",
            "app x in the group g (perhaps)",
        ),
        ("microsoft.bakery/ovens/x: properties.heat", "microsoft.bakery/ovens x: heat"),
        ("properties.httpsOnly", "HTTPS only"),
        ("tags.CostCenter", "tag CostCenter"),
        ("bread: CostCenter", "bread: CostCenter"),
        ("7 Pay: System.AssignedTo", "7 Pay: assigned to"),
        ("WEF_0B_Kanban.Column.Done", "board column done"),
        ("properties.template.containers env PAYMENT_HSM_URL", "template, containers env PAYMENT_HSM_URL"),
        ("/docs/packageLock.json", "/docs/packageLock.json"),
        ("retry.yaml", "retry.yaml"),
        ("setting PORT", "setting PORT"),
        ("microsoft.web/sites", "microsoft.web/sites"),
        ("microsoft.web/sites/11111111-1111-1111-1111-111111111111", "app"),
        ("/subscriptions/1/resourcegroups/g/providers/microsoft.authorization/locks/k", "lock k in the group g"),
        ("a/providers/microsoft.authorization/locks/keep", "lock keep"),
        ("tags", "tags"),
        ("tags.a.b", "tag a.b"),
        ("oven.heat", "oven.heat"),
        ("heat", "heat"),
        ("A", "A"),
        ("properties", "properties"),
        ("properties.a-b", "a-b"),
        ("properties.eTag", "e tag"),
        ("properties.HTTPPort", "HTTPPort"),
        ("sku.tier", "SKU, tier"),
        ("sku.name.x", "SKU, name, x"),
        ("Sku.Name", "SKU"),
        ("properties.\u00e9", "properties.\u00e9"),
        ("properties.lists[0].HTTPS", "lists 0, HTTPS"),
        ("properties.lists[a.b].x[c.d]", "lists a.b, x c.d"),
        ("properties[a].b", "properties a, b"),
        ("rules[a].b", "rules[a].b"),
        ("System.Title x", "title x"),
        ("foo.bar baz", "foo.bar baz"),
        ("my/x: sku.name", "my/x: SKU"),
        ("my/x/y: sku.name", "my/x/y: SKU"),
        ("Custom.X", "X"),
        ("Custom.ID", "ID"),
        ("Custom.Id", "ID"),
        ("Custom.My_Field", "My_Field"),
        ("microsoft.web/sites/x: weird.thing", "app x: weird, thing"),
        ("microsoft.web/sites/x: a/b", "app x: a/b"),
    ],
)
def test_a_path_in_words(path: str, words: str) -> None:
    assert name_in_words(path) == words


@given(st.text(max_size=40), st.text("[].aZ :/", max_size=30))
def test_any_path_has_a_name(head: str, tail: str) -> None:
    assert isinstance(name_in_words(f"{head}properties.{tail}"), str)
    assert isinstance(name_in_words(f"microsoft.web/{head}{tail}"), str)
