"""No change of Azure reaches beyond the allowed scope."""

from __future__ import annotations

import json
import re
from typing import Final

import pytest

from tests.attacks.azure_changes.calls import ELSEWHERE, HTTPS, SHUT, Json, deploy, patch, words_of, written
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, OVEN, PRODUCTION, SHOP
from tests.sweeps import Sweep
from tests.tools.azure.deploying.templates import nested, resource, site, template
from tests.tools.azure.resource_changes.scenes import SITE, WEB
from tests.tools.azure.team import ASKING, team
from tools.azure.settings import AzureSettings

BEYOND: Final = {
    "a template within it for another group": template(nested("oven-prod", template())),
    "in other letters": template({**nested("oven-prod", template()), "type": "microsoft.resources/DEPLOYMENTS"}),
    "for a group that is made up of pieces": template(nested("[concat('oven', '-prod')]", template())),
    "for a group that is a parameter": template(
        nested("[parameters('g')]", template()), parameters={"g": {"type": "string", "defaultValue": "oven-prod"}}
    ),
    "for another subscription": template(nested("shop-prod", template(), subscriptionId=DEVELOPMENT)),
    "for a subscription that is made up of pieces": template(
        nested("shop-prod", template(), subscriptionId="[concat('a', 'b')]")
    ),
    "for a scope": template({**nested("shop-prod", template()), "scope": "/"}),
    "for another group, two levels down": template(nested("shop-prod", template(nested("oven-prod", template())))),
    "that reads there": template(
        nested("oven-prod", template(outputs={"a": {"type": "string", "value": "[reference('x').y]"}}))
    ),
    "a secret of a vault by an id in pieces": template(
        nested("shop-prod", template(parameters={"p": {"type": "securestring"}}))
        | {
            "properties": {
                "mode": "Incremental",
                "template": template(parameters={"p": {"type": "securestring"}}),
                "parameters": {
                    "p": {
                        "reference": {
                            "keyVault": {"id": "[concat('/subscr', 'iptions/x/resourceGroups/oven-prod')]"},
                            "secretName": "x",
                        }
                    }
                },
            }
        }
    ),
    "an id in a value": template(site(serverFarmId=f"{OVEN}/providers/Microsoft.Web/serverfarms/x")),
    "an encoded id": template(site(link=f"https://x/?a={OVEN.replace('/', '%2F')}")),
    "an id of another group by a function": template(
        site(note="[resourceId('oven-prod', 'Microsoft.Web/sites', 'x')]")
    ),
    "reading by an id in pieces": template(site(note="[reference(concat('/subscr', 'iptions/x'), '2023').a]")),
    "a private endpoint to what is there": template(
        resource(
            "Microsoft.Network/privateEndpoints",
            "door",
            properties={"privateLinkServiceConnections": [{"properties": {"privateLinkServiceId": f"{OVEN}/x"}}]},
        )
    ),
}


REFUSED: Final = re.compile("outside the allowed scope|Access to Azure is restricted")


@pytest.mark.parametrize("document", BEYOND.values(), ids=BEYOND)
async def test_no_template_leads_beyond_what_may_be_reached(azure: FakeAzure, document: Json) -> None:
    async with team(azure, settings=SHUT) as them:
        words = await words_of(them, "ada", deploy(document))
    assert REFUSED.search(words), words
    assert "/changes/" not in words
    assert written(azure) == []
    assert not [one for one in azure.asked if one.path.lower().endswith("/whatif")]


async def test_a_template_within_another_goes_where_it_may(azure: FakeAzure) -> None:
    """Otherwise the refusals here would prove nothing."""
    async with team(azure, settings=SHUT) as them:
        words = await words_of(them, "ada", deploy(template(nested("SHOP-PROD", template(site(httpsOnly=False))))))
        assert "/changes/" in words, words
    whole = AzureSettings(subscription=PRODUCTION, allowed_subscriptions=frozenset({PRODUCTION}))
    free = template(nested("[parameters('g')]", template()), parameters={"g": {"type": "string", "defaultValue": "x"}})
    async with team(azure, settings=whole) as them:
        assert not REFUSED.search(await words_of(them, "ada", deploy(free)))


NAMED_BEYOND: Final = {
    "in a body": patch({"properties": {"serverFarmId": f"{OVEN}/providers/Microsoft.Web/serverfarms/x"}}),
    "in a list of a body": patch({"properties": {"siteConfig": {"ids": [{"a": ELSEWHERE}]}}}),
    "as the name of a value": patch({"properties": {ELSEWHERE: 1}}),
    "in capitals": patch({"properties": {"x": OVEN.upper()}}),
    "with other slashes": patch({"properties": {"x": OVEN.replace("/", "\\")}}),
    "encoded twice": patch({"properties": {"x": OVEN.replace("/", "%252F")}}),
    "in a parameter": patch(HTTPS, query={"target": OVEN}),
    "at a slot of a site there": patch(HTTPS, path=f"{OVEN}/providers/Microsoft.Web/sites/x/slots/y"),
    "as what a lock is on": patch({"properties": {"level": "ReadOnly"}}, path=f"/subscriptions/{PRODUCTION}"),
    "as a role at the subscription": {
        "tool": "change_azure",
        "method": "PUT",
        "path": f"/subscriptions/{PRODUCTION}/providers/Microsoft.Authorization/roleAssignments/{'0' * 8}",
        "body": {"properties": {"principalId": "x"}},
    },
    "as a role of everything": {
        "tool": "change_azure",
        "method": "PUT",
        "path": "/providers/Microsoft.Authorization/roleAssignments/x",
        "body": {"properties": {"principalId": "x"}},
    },
    "as rights for whoever asks": {
        "tool": "change_azure",
        "method": "POST",
        "path": "/providers/Microsoft.Authorization/elevateAccess",
    },
    "as the target of a move": {"tool": "move_resources", "resource_ids": [SITE], "target_group": "oven-prod"},
    "as one of two to tag": {
        "tool": "tag_resources",
        "resource_ids": [WEB, OVEN],
        "tags": {"a": "b"},
        "mode": "delete",
    },
    "as a role given at the subscription": {"tool": "assign_role", "principal": "x", "role": "Reader"},
}


@Sweep("call", NAMED_BEYOND.values(), ids=NAMED_BEYOND, every=2)
async def test_no_change_names_what_is_beyond_reach(azure: FakeAzure, call: Json) -> None:
    async with team(azure, ASKING, settings=SHUT) as them:
        words = await words_of(them, "ada", call)
        if "/changes/" in words:  # only what is within may have been shown
            await them.decides("bea", words)
            await words_of(them, "ada", call)
    beyond = [one for one in written(azure) if not one.partition(" ")[2].lower().startswith(f"{SHOP.lower()}/")]
    assert beyond == []
    assert OVEN.lower() not in json.dumps([one.body for one in azure.asked if one.method == "PATCH"]).lower()
