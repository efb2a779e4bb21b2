"""A template is bounded, whole in itself, and has no secrets that would be shown."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from clients.azure.what_if.template import LARGEST, ArmTemplate
from refusal import Refusal

Json = dict[str, Any]
WHERE: Final = "The template"
LINK: Final = "https://templates.example.com/inner.json"


def whole(*resources: Json, **more: Any) -> Json:
    return {"$schema": "https://schema.example.com/x#", "resources": [*resources], **more}


def linking(link: Any, kind: str = "templateLink") -> Json:
    return {
        "type": "Microsoft.Resources/deployments",
        "name": "inner",
        "properties": {kind: link, "mode": "Incremental"},
    }


def nested(inner: Json) -> Json:
    return {"type": "Microsoft.Resources/deployments", "name": "n", "properties": {"template": inner}}


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"param x string", "not JSON"),
        (b"[]", "not an ARM template"),
        (b'{"resources": 1}', "not an ARM template"),
        (b"[" * 5000 + b"]" * 5000, "no JSON|nested more"),
        (b" " * (LARGEST + 1), "too large: 1048577 bytes"),
        (whole(properties=deep(100)), "nested more than 60"),
        (whole(notes="x" * LARGEST), "bytes"),
    ],
)
def test_what_is_no_template_or_too_much_is_refused(content: Any, why: str) -> None:
    with pytest.raises(Refusal, match=why):
        ArmTemplate.of(content, WHERE)


@pytest.mark.parametrize("where", ["top", "nested"])
def test_a_secure_default_is_refused_and_not_repeated(where: str) -> None:
    safe = whole(parameters={"word": {"type": "secureString", "defaultValue": "hunter2"}})
    with pytest.raises(Refusal, match="'word' has a default value") as refused:
        ArmTemplate.of(safe if where == "top" else whole(nested(safe)), WHERE)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("default", ["", "[newGuid()]", None])
def test_a_secure_default_that_tells_nothing_is_taken(default: Any) -> None:
    one = {"type": "securestring", "defaultValue": default}
    assert ArmTemplate.of(whole(parameters={"word": one, "size": {"type": "int"}}), WHERE).secure == {"word"}


def test_what_is_linked_is_a_part_of_it_and_of_its_hash() -> None:
    outer = ArmTemplate.of(whole(linking({"uri": LINK})), WHERE)
    assert outer.links == [LINK]
    made = [outer.with_linked({LINK: ArmTemplate.of(whole(n=number), WHERE)}) for number in (1, 2)]
    properties = made[0].document["resources"][0]["properties"]
    assert properties["template"] == whole(n=1)
    assert properties["expressionEvaluationOptions"] == {"scope": "inner"}
    assert "templateLink" not in properties
    assert len({one.hash for one in [outer, *made]}) == 3


@pytest.mark.parametrize(
    "odd",
    [
        whole(nested(whole(linking({"uri": LINK})))),
        whole(linking({"uri": LINK}, "parametersLink")),
        whole(linking({"uri": LINK}, "TemplateLink")),
        whole(linking({"uri": "[concat('https://', 'x')]"})),
        whole(linking({"id": "/subscriptions/x/providers/Microsoft.Resources/templateSpecs/y"})),
        whole(linking({"relativePath": "inner.json"})),
        whole({"type": "Microsoft.Web/sites", "name": "x", "properties": {"templateLink": {"uri": LINK}}}),
    ],
)
def test_no_other_link_is_followed(odd: Json) -> None:
    with pytest.raises(Refusal, match=r"links? "):
        _ = ArmTemplate.of(odd, WHERE).links


def test_what_is_linked_has_no_links_itself() -> None:
    outer = ArmTemplate.of(whole(linking({"uri": LINK})), WHERE)
    with pytest.raises(Refusal, match="contains links"):
        outer.with_linked({LINK: outer})


def test_too_many_resources_are_refused() -> None:
    many = [{"type": "a.b/c", "apiVersion": "2024-01-01", "name": str(number)} for number in range(801)]
    with pytest.raises(Refusal, match="at most 800 resources"):
        ArmTemplate.of(whole(*many), WHERE).with_linked({})


def test_the_order_of_names_makes_no_other_template() -> None:
    one = whole(parameters={}, variables={})
    other = json.dumps(dict(reversed(one.items()))).encode()
    assert ArmTemplate.of(one, WHERE).hash == ArmTemplate.of(other, WHERE).hash


@pytest.mark.parametrize(
    "text",
    [
        "[resourceId('Microsoft.Web/sites', 'x')]",
        "[reference(resourceId('Microsoft.Web/sites', parameters('name'))).state]",
        "[reference('site').id]",
        "[listKeys(resourceId('Microsoft.Storage/storageAccounts', 'x'), '2024-01-01').keys[0].value]",
        "[extensionResourceId(resourceGroup().id, 'Microsoft.Authorization/locks', 'x')]",
        "[concat('a', parameters('b'))]",
        "no expression: reference(x)",
    ],
)
def test_under_a_lock_expressions_may_name_what_is_deployed(text: str) -> None:
    ArmTemplate.of(whole({"type": "a.b/c", "name": "x", "properties": {"x": text}}), WHERE).refuse_reading_elsewhere()


@pytest.mark.parametrize(
    "text",
    [
        "[resourceId('other', 'Microsoft.Web/sites', 'x')]",
        "[resourceId(parameters('group'), 'Microsoft.Web/sites', 'x')]",
        "[resourceId(subscription().subscriptionId, 'other', 'Microsoft.Web/sites', 'x')]",
        "[reference(concat('/subscr', 'iptions/x')).state]",
        "[reference(parameters('id')).state]",
        "[reference('/subscriptions/x').state]",
        "[LISTKEYS(variables('id'), '2024-01-01')]",
        "[reference(subscriptionResourceId('a.b/c', 'x')).x]",
        "[reference(extensionResourceId(variables('id'), 'a.b/c', 'x')).x]",
        "[tenantResourceId('Microsoft.Web/sites', 'x')]",
        "[managementGroupResourceId('Microsoft.Web/sites', 'x')]",
        "[concat(reference('site').id, reference(format('{0}', 'x')).id)]",
    ],
)
@pytest.mark.parametrize("where", ["top", "nested", "name"])
def test_under_a_lock_expressions_that_may_read_elsewhere_are_refused(text: str, where: str) -> None:
    inner = whole({"type": "a.b/c", "name": "x", "properties": {"x": [text]} if where != "name" else {text: 1}})
    with pytest.raises(Refusal, match="must not name another group"):
        ArmTemplate.of(whole(nested(inner)) if where == "nested" else inner, WHERE).refuse_reading_elsewhere()


PLACE: Final = "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/shop"
LAB: Final = "22222222-2222-2222-2222-222222222222"


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({}, PLACE),
        ({"resourceGroup": "web"}, f"{PLACE.removesuffix('shop')}web"),
        ({"subscriptionId": LAB}, f"/subscriptions/{LAB}"),
        ({"SUBSCRIPTIONID": LAB, "RESOURCEGROUP": "web"}, f"/subscriptions/{LAB}/resourceGroups/web"),
        ({"resourceGroup": "[parameters('group')]"}, PLACE.removesuffix("/resourceGroups/shop")),
        ({"subscriptionId": LAB, "resourceGroup": "[parameters('group')]"}, f"/subscriptions/{LAB}"),
    ],
)
def test_a_nested_template_says_where_it_deploys(said: Json, place: str) -> None:
    template = ArmTemplate.of(whole({**nested(whole(nested(whole()))), **said}), WHERE)
    assert template.nested_places(PLACE) == [place, place]


@pytest.mark.parametrize("said", [{"subscriptionId": "[subscription().id]"}, {"scope": "/providers/x"}, {"Scope": "/"}])
def test_a_nested_template_that_may_deploy_anywhere_is_refused(said: Json) -> None:
    template = ArmTemplate.of(whole({**nested(whole()), **said}), WHERE)
    with pytest.raises(Refusal, match="must say where it deploys"):
        template.nested_places(PLACE)


def test_a_template_has_up_to_60_levels() -> None:
    assert ArmTemplate.of(whole(properties=deep(58)), WHERE)
    with pytest.raises(Refusal, match="nested more than 60"):
        ArmTemplate.of(whole(properties=deep(59)), WHERE)


def test_a_template_has_up_to_a_megabyte_and_800_resources() -> None:
    content = json.dumps(whole()).encode()
    assert ArmTemplate.of(content.ljust(LARGEST), WHERE)
    with pytest.raises(Refusal, match="too large"):
        ArmTemplate.of(content.ljust(LARGEST + 1), WHERE)
    resource = {"type": "X.Y/z", "name": "a", "apiVersion": "2024-01-01"}
    assert ArmTemplate.of(whole(*[resource] * 800), WHERE).with_linked({})
    with pytest.raises(Refusal, match="at most 800 resources"):
        ArmTemplate.of(whole(*[resource] * 801), WHERE).with_linked({})
