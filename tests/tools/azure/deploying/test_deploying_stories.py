"""A template is deployed as it was shown: whole stories at the bakery."""

from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp import web

from tests.fakes.azure import troubles
from tests.fakes.azure.people import PIPELINE, READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident
from tests.fakes.azure.world import PRODUCTION
from tests.fakes.azure.world import SHOP as GROUP
from tests.mcp_server.records import Records
from tests.tools.azure.deploying.stories import (
    FORMS,
    TAGGED,
    VAULT,
    WHERE,
    WORD,
    Json,
    deployments,
    done,
    shown,
    take_forever,
    what_ifs,
)
from tests.tools.azure.deploying.templates import SHOP, nested, resource, site, template, vault
from tests.tools.azure.inventing import asking
from tests.tools.azure.team import team
from tools.azure.settings import AzureSettings


async def test_what_was_shown_is_agreed_to_and_happens_once(azure: FakeAzure, records: Records) -> None:
    async with team(azure) as group:
        ada = group.member("ada")
        words = await shown(ada, template=SHOP, parameters={"title": "Bread", "password": WORD})
        preview = await group.shown(words)
        assert [(one.path, one.before, one.after) for one in preview.edits] == [
            ("microsoft.keyvault/vaults/bread-secrets", None, preview.edits[0].after),
            ("microsoft.web/sites/shop-web: properties.httpsOnly", True, False),
            ("microsoft.web/sites/shop-web: properties.note", None, "(known only after deployment)"),
        ]
        assert (preview.facts["creates"], preview.facts["modifies"], preview.facts["mode"]) == (1, 1, "Incremental")
        assert preview.facts["parameter title"] == "Bread"
        assert preview.facts["secure parameters"] == ["password"]
        assert (preview.missing, deployments(azure)) == ([], [])
        await group.decides("ada", words)
        found = await done(ada, template=SHOP, parameters={"title": "Bread", "password": WORD})
        assert found["status"] == "done"
        assert found["state"] == "Succeeded"
        assert found["outputs"]["count"] == 3
        assert found["outputs"]["word"] == "(withheld)"
        assert found["deployment_id"].startswith(f"{GROUP}/providers/Microsoft.Resources/deployments/template-")
        assert (len(deployments(azure)), what_ifs(azure)) == (1, 2)
        assert VAULT.lower() in azure.estate.resources
        kept = json.dumps([words, found, preview.document, records.all])
        assert WORD not in kept
        assert [one["outcome"] for one in records.all] == ["asked", "done"]
        assert len({one["change"] for one in records.all}) == 1


async def test_nothing_of_a_secret_is_kept_anywhere(azure: FakeAzure) -> None:
    async with team(azure) as group:
        words = await shown(group.member("ada"), template=SHOP, parameters={"password": WORD})
        change = await group.change(words)
        kept = await group.approvals.kept().shown(change)
        assert WORD not in json.dumps(kept.arguments) + change.content.decode()


async def test_a_mistake_in_a_template_is_told_before_anybody_is_asked(azure: FakeAzure) -> None:
    wrong = template(resource("Microsoft.Bakery/ovens", "hot"))
    async with team(azure) as group:
        words = await shown(group.member("ada"), template=wrong)
        assert "Microsoft.Bakery/ovens" in words
        assert "/changes/" not in words
        needed = template(site(), parameters={"name": {"type": "string"}})
        assert "'name'" in await shown(group.member("ada"), template=needed)
        assert "has no parameter nmae" in await shown(group.member("ada"), template=needed, parameters={"nmae": 1})
    assert deployments(azure) == []


async def test_noise_asks_nobody_anew(azure: FakeAzure) -> None:
    azure.deployments.what_ifs.is_noisy = True
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=SHOP))
        assert (await done(group.member("ada"), template=SHOP))["status"] == "done"
    assert what_ifs(azure) == 2


def tag(azure: FakeAzure, **tags: str) -> None:
    """Somebody else tags a resource that the template does not tag."""
    azure.estate.resources[f"{GROUP}/providers/Microsoft.Web/sites/shop-web".lower()].document["tags"] = tags


async def test_a_tag_that_somebody_set_after_the_approval_on_the_page_is_not_lost(azure: FakeAzure) -> None:
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=TAGGED))
        tag(azure, team="ovens")
        words = await shown(group.member("ada"), template=TAGGED)
        assert "a different effect than the preview showed." in words
        new = words.partition("New since the last preview:\n")[2].partition("\n")[0]
        assert "tag team: ovens → shop" in new
        assert deployments(azure) == []
        assert azure.estate.resources[f"{GROUP}/providers/Microsoft.Web/sites/shop-web".lower()].tags["team"] == "ovens"


async def test_a_tag_that_somebody_set_while_a_form_was_open_is_not_lost(azure: FakeAzure) -> None:
    async with team(azure) as group:
        ada = group.member("ada")
        call = {"name": "deploy_template", "arguments": {**WHERE, "template": TAGGED}, "_meta": FORMS}
        await ada.result("tools/call", call)
        asked = await ada.result("tools/call", call)
        tag(azure, team="ovens")
        answer = {"consent": {"action": "accept", "content": {"agree": True}}}
        again = {**call, "requestState": asked["requestState"], "inputResponses": answer}
        shown_again = await ada.result("tools/call", again)
        message = shown_again["inputRequests"]["consent"]["params"]["message"]
        assert "New since the last preview:\n- app shop-web: tag team: ovens → shop" in message
    assert deployments(azure) == []


async def test_what_somebody_changes_between_the_look_and_the_sending_is_not_overwritten(azure: FakeAzure) -> None:
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=TAGGED))
        azure.deployments.what_ifs.afterwards = lambda: tag(azure, team="ovens")
        assert "was changed a moment ago, so nothing was done" in await shown(group.member("ada"), template=TAGGED)
        assert deployments(azure) == []


async def test_what_deletes_takes_another_person(azure: FakeAzure) -> None:
    async with team(azure) as group:
        assert "keep-orders" in await shown(group.member("ada"), template=SHOP, mode="complete")
        azure.estate.locks.clear()
        words = await shown(group.member("ada"), template=SHOP, mode="complete")
        assert "Another person" in words
        assert "The deployment deletes resources in the group if the template omits them" in words
        preview = await group.shown(words)
        assert ("microsoft.web/sites/shop-orders", None) in [(one.path, one.after) for one in preview.edits]


async def test_a_lock_on_what_would_be_changed_is_told_before(azure: FakeAzure) -> None:
    azure.tags_and_locks.lock(GROUP, "ReadOnly", "frozen", "Ask Grace.")
    async with team(azure) as group:
        words = await shown(group.member("ada"), template=SHOP)
        assert "frozen" in words
        assert "/changes/" not in words


async def test_who_may_not_write_is_shown_what_can_be_told_and_another_person_has_to_agree(azure: FakeAzure) -> None:
    async with team(azure, who=PIPELINE) as group:
        words = await shown(group.member("ada"), template=SHOP)
        assert "Another person" in words
        assert "whether you are allowed to deploy" in (await group.shown(words)).missing[0]
        dry = await done(group.member("ada"), "preview_deployment", template=SHOP)
        assert any("whether you are allowed to deploy" in one for one in dry["unknown"])
        assert deployments(azure) == []
    async with team(azure, who=READER) as group:
        assert "requires a role with the action" in await shown(group.member("ada"), template=SHOP)
        assert "whatIf/action" in await shown(group.member("ada"), "preview_deployment", template=SHOP)


async def test_a_long_look_is_followed_in_later_calls(azure: FakeAzure) -> None:
    azure.work.polls = 100
    async with team(azure) as group:
        words = await shown(group.member("ada"), template=SHOP)
        assert words.startswith("Checking what deploy_template would do")
        for _ in range(5):
            words = await shown(group.member("ada"), template=SHOP)
            if "/changes/" in words:
                break
        assert "/changes/" in words
    assert what_ifs(azure) == 1


async def test_a_template_that_changed_while_it_was_looked_at_is_looked_at_anew(azure: FakeAzure) -> None:
    found = {"https://templates.example.com/shop.json": json.dumps(SHOP).encode()}

    async def fetch(address: str, _largest: int) -> bytes:
        return found[address]

    azure.work.polls = 100
    async with team(azure, fetch_link=fetch) as group:
        address = next(iter(found))
        await shown(group.member("ada"), template_url=address)
        found[address] = json.dumps(template(vault())).encode()
        await shown(group.member("ada"), template_url=address)
    assert what_ifs(azure) == 2


async def test_a_template_that_changed_since_it_was_shown_is_not_deployed(azure: FakeAzure) -> None:
    found = {"https://templates.example.com/shop.json": json.dumps(SHOP).encode()}

    async def fetch(address: str, _largest: int) -> bytes:
        return found[address]

    async with team(azure, fetch_link=fetch) as group:
        address = next(iter(found))
        await group.decides("ada", await shown(group.member("ada"), template_url=address))
        found[address] = json.dumps(template(vault())).encode()
        assert "a different effect than the preview" in await shown(group.member("ada"), template_url=address)
    assert deployments(azure) == []


async def test_what_azure_takes_long_for_is_told_as_under_way(azure: FakeAzure) -> None:
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=SHOP))
        take_forever(azure)
        found = await done(group.member("ada"), template=SHOP)
        assert found["status"] == "under way"
        assert "show_azure_deployment(name='template-" in found["look_again"]


async def test_a_worker_that_was_killed_while_applying_deploys_nothing_twice(azure: FakeAzure) -> None:
    arrived, is_over = asyncio.Event(), asyncio.Event()

    async def unanswered(_: web.BaseRequest) -> web.StreamResponse:
        arrived.set()
        await is_over.wait()
        return web.Response()

    async with team(azure) as group:
        ada = group.member("ada")
        await group.decides("ada", await shown(ada, template=SHOP))
        take_forever(azure)
        azure.accidents.append(Accident("PUT", "/deployments/", unanswered, is_done=True))
        worker = asyncio.create_task(done(ada, template=SHOP))
        await arrived.wait()
        assert "being applied right now" in await shown(ada, template=SHOP)
        group.later(301)
        assert "is still running, so nothing was done" in await shown(ada, template=SHOP)
        azure.deployments.what_ifs.afterwards = lambda: None
        azure.work.never_ends = False
        azure.deployments.end()
        words = await shown(ada, template=SHOP)
        assert str((await group.shown(words)).facts["last deployment of this name"]).startswith("Succeeded")
        # What is left of the worker goes.
        is_over.set()
        await asyncio.gather(worker, return_exceptions=True)
    assert len(deployments(azure)) == 1


@pytest.mark.parametrize("trouble", [troubles.cut_connection, troubles.broken, troubles.gateway_timeout])
async def test_a_lost_answer_is_found_out_by_the_name(azure: FakeAzure, trouble: troubles.Trouble) -> None:
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=SHOP))
        azure.accidents.append(Accident("PUT", "/deployments/", trouble, is_done=True))
        found = await done(group.member("ada"), template=SHOP)
        assert found["status"] == "under way"
    assert len(deployments(azure)) == 1


@pytest.mark.parametrize("trouble", [troubles.cut_connection, troubles.broken])
async def test_what_was_not_taken_is_told_as_that(azure: FakeAzure, trouble: troubles.Trouble) -> None:
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=SHOP))
        azure.accidents.append(Accident("PUT", "/deployments/", trouble))
        assert "most likely not applied" in await shown(group.member("ada"), template=SHOP)
    assert deployments(azure) == []


@pytest.mark.parametrize("trouble", [troubles.cut_connection, troubles.broken, troubles.throttled()])
async def test_a_look_that_could_not_be_looked_at_is_gone_on_with(azure: FakeAzure, trouble: troubles.Trouble) -> None:
    async with team(azure) as group:
        azure.places["/operationresults/"] = trouble
        assert (await shown(group.member("ada"), template=SHOP)).startswith("Checking")
        azure.places.clear()
        assert "/changes/" in await shown(group.member("ada"), template=SHOP)
    assert what_ifs(azure) == 1


async def test_to_a_subscription_groups_are_deployed_with_what_is_in_them(azure: FakeAzure) -> None:
    group_of_it = {"type": "Microsoft.Resources/resourceGroups", "apiVersion": "2024-07-01", "name": "bread"}
    whole = template({**group_of_it, "location": "westeurope"}, nested("bread", template(vault())))
    arguments: Json = {"template": whole, "subscription": "Bakery Production", "location": "westeurope"}
    async with team(azure) as group:
        ada = group.member("ada")
        words = await ada.told("deploy_template", **arguments)
        assert (await group.shown(words)).places["resource-group"] == ["bread"]
        await group.decides("ada", words)
        result = await ada.call("deploy_template", **arguments)
        assert result["structuredContent"]["status"] == "done"
    assert f"/subscriptions/{PRODUCTION}/resourcegroups/bread" in azure.estate.groups


async def test_by_its_published_name_it_answers_as_published(azure: FakeAzure) -> None:
    async def fetch(_address: str, _largest: int) -> bytes:
        return json.dumps(SHOP).encode()

    async with asking(azure, fetch_link=fetch) as caller:
        result = await caller.call(
            "azure_resource_deploy",
            resource_group="shop-prod",
            template_url="https://templates.example.com/shop.json",
            parameters={"title": "Bread"},
        )
        assert not result["isError"], result
        assert sorted(result["structuredContent"]) == ["deployment_id", "outputs", "status"]


async def test_under_a_lock_a_template_that_reaches_elsewhere_is_refused_before_anything(azure: FakeAzure) -> None:
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({"shop-prod"}))
    elsewhere = [
        template(nested("oven-prod", template(vault()))),
        template(site(serverFarmId=f"/subscriptions/{PRODUCTION}/resourceGroups/oven-prod/providers/a.b/c/d")),
        template(site(note="[reference(resourceId('oven-prod', 'Microsoft.Web/sites', 'x')).state]")),
        template(site(note="[listKeys(concat('/subscr', 'iptions/x'), '2024-01-01').keys]")),
    ]
    async with team(azure, settings=settings) as group:
        for one in elsewhere:
            words = await shown(group.member("ada"), template=one, subscription=PRODUCTION)
            assert "allowed" in words, words
            assert "/changes/" not in words
        words = await shown(group.member("ada"), template=SHOP, subscription=PRODUCTION)
        assert "/changes/" in words, words
    async with asking(azure, settings=settings) as caller:
        result = await caller.call("deploy_template", resource_group="shop-prod", template=SHOP)
        assert "MCP_CONSENT_WAIVED" in result["content"][0]["text"]
    async with team(azure, {"ask": "nobody"}, settings=settings) as group:
        words = await shown(group.member("ada"), template=SHOP, subscription=PRODUCTION)
        assert "`ask: nobody`" in words
    assert deployments(azure) == []
