"""An approval of one change of Azure is not valid for another, nor for another caller."""

from __future__ import annotations

from typing import Final

import pytest

from tests.attacks.azure_changes.calls import (
    HTTPS,
    OF_THE_SITE,
    TAGS,
    TITLED,
    WORD,
    Json,
    deploy,
    patch,
    sent,
    words_of,
    written,
)
from tests.fakes.azure.service import FakeAzure
from tests.sweeps import Sweep
from tests.tools.azure.inventing import answered
from tests.tools.azure.resource_changes.scenes import SITE, WEB
from tests.tools.azure.team import Team

OTHERS: Final = {
    "another secret under the same mark": (
        patch({"properties": {"adminPassword": WORD}}),
        patch({"properties": {"adminPassword": f"{WORD}!"}}),
    ),
    "a secret and one setting more": (
        patch({"properties": {"adminPassword": WORD}}),
        patch({"properties": {"adminPassword": WORD, "httpsOnly": True}}),
    ),
    "an id in other letters": (patch(HTTPS), patch(HTTPS, path=SITE.upper().replace("SUBSCRIPTIONS", "subscriptions"))),
    "another site": (patch(TAGS), patch(TAGS, path=WEB)),
    "one more parameter": (patch(HTTPS), patch(HTTPS, query={"force": "true"})),
    "a list in another order": (
        patch({"properties": {"siteConfig": {"hosts": ["a", "b"]}}}),
        patch({"properties": {"siteConfig": {"hosts": ["b", "a"]}}}),
    ),
    "another case of a value": (
        patch({"properties": {"siteConfig": {"start": "Run"}}}),
        patch({"properties": {"siteConfig": {"start": "run"}}}),
    ),
    "a number as a text": (
        patch({"properties": {"siteConfig": {"size": 1}}}),
        patch({"properties": {"siteConfig": {"size": "1"}}}),
    ),
    "a deletion instead": (patch(HTTPS), {"tool": "change_azure", "method": "DELETE", "path": SITE}),
    "by another tool": ({"tool": "delete_azure_resource", "resource_id": SITE}, patch(HTTPS)),
    "the other of two": (
        {"tool": "delete_azure_resource", "resource_id": SITE},
        {"tool": "delete_azure_resource", "resource_id": WEB},
    ),
    "a tag with a letter that looks alike": (
        {"tool": "tag_resources", "resource_ids": [WEB], "tags": {"owner": "ada"}},
        {"tool": "tag_resources", "resource_ids": [WEB], "tags": {"owner": "\u0430da"}},
    ),
    "tags of one more": (
        {"tool": "tag_resources", "resource_ids": [WEB], "tags": {"owner": "ada"}},
        {"tool": "tag_resources", "resource_ids": [WEB, SITE], "tags": {"owner": "ada"}},
    ),
    "tags replaced instead of added": (
        {"tool": "tag_resources", "resource_ids": [WEB], "tags": {"owner": "ada"}},
        {"tool": "tag_resources", "resource_ids": [WEB], "tags": {"owner": "ada"}, "mode": "replace"},
    ),
    "another secure parameter": (
        deploy(TITLED, parameters={"password": WORD}),
        deploy(TITLED, parameters={"password": f"{WORD}!"}),
    ),
    "another parameter": (
        deploy(TITLED, parameters={"password": WORD, "title": "a"}),
        deploy(TITLED, parameters={"password": WORD, "title": "b"}),
    ),
    "a deployment that deletes the rest": (
        deploy(TITLED, parameters={"password": WORD}),
        deploy(TITLED, parameters={"password": WORD}, mode="complete"),
    ),
    "under a name that was used": (
        deploy(TITLED, parameters={"password": WORD}),
        deploy(TITLED, parameters={"password": WORD}, name="shop"),
    ),
}


@Sweep(("agreed", "done"), OTHERS.values(), ids=OTHERS, every=2)
async def test_no_agreement_to_a_change_of_azure_is_good_for_another(
    azure: FakeAzure, house: Team, agreed: Json, done: Json
) -> None:
    words = await words_of(house, "ada", agreed)
    await house.decides("bea", words)
    assert (await sent(house, "ada", done))["isError"]
    assert written(azure) == []


@pytest.mark.parametrize(
    "name", ["bea", "cleo, who only reads", "ada's agent", "an application", "ada by another client"]
)
async def test_what_was_agreed_to_for_one_is_done_by_nobody_else(azure: FakeAzure, house: Team, name: str) -> None:
    call = deploy(TITLED, parameters={"password": WORD})
    await house.decides("bea", await words_of(house, "ada", call))
    given = {key: value for key, value in call.items() if key != "tool"}
    answer = await house.member(name).send("tools/call", {"name": call["tool"], "arguments": given})
    assert b'"isError":false' not in answer.body
    assert written(azure) == []


async def test_what_can_be_done_is_done(azure: FakeAzure, house: Team) -> None:
    """Otherwise the refusals here would prove nothing."""
    call = OF_THE_SITE["delete_azure_resource"]
    await house.decides("bea", await words_of(house, "ada", call))
    assert (await answered(house.member("ada"), "delete_azure_resource", resource_id=SITE))["status"] == "done"
    assert len(written(azure)) == 1
