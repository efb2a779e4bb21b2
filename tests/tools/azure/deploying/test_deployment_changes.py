"""A deployment that failed is deployed anew, and one that is under way is cancelled."""

from __future__ import annotations

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP as GROUP
from tests.tools.azure.deploying.stories import WORD, Json, agreed, done, shown, take_forever
from tests.tools.azure.deploying.templates import SHOP, site, template
from tests.tools.azure.team import team


async def test_a_deployment_that_fails_says_where_to_look(azure: FakeAzure) -> None:
    azure.deployments.failing["Microsoft.Web/sites"] = {"code": "Conflict", "message": "The plan is full."}
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=SHOP))
        words = await shown(group.member("ada"), template=SHOP)
        assert "The plan is full" in words
        assert "show_azure_deployment(name='template-" in words


async def test_what_failed_is_deployed_anew(azure: FakeAzure) -> None:
    azure.deployments.failing["Microsoft.Web/sites"] = {"code": "Conflict", "message": "The plan is full."}
    given: Json = {"template": SHOP, "parameters": {"title": "Bread"}, "name": "bread"}
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), **given))
        await shown(group.member("ada"), **given)
        azure.deployments.failing.clear()
        words = await shown(group.member("ada"), "retry_azure_deployment", name="bread")
        assert (await group.shown(words)).facts["parameter title"] == "Bread"
        await group.decides("ada", words)
        assert (await done(group.member("ada"), "retry_azure_deployment", name="bread"))["status"] == "done"
        assert "nothing to redeploy" in await shown(group.member("ada"), "retry_azure_deployment", name="bread")


async def test_what_is_deployed_anew_is_whole_and_told_to_nobody(azure: FakeAzure) -> None:
    azure.deployments.failing["Microsoft.Web/sites"] = {"code": "Conflict", "message": "The plan is full."}
    settings = {"appSettings": [{"name": "API_KEY", "value": WORD}]}
    async with team(azure) as group:
        given: Json = {"template": template(site("bread", siteConfig=settings)), "name": "bread"}
        await group.decides("ada", await shown(group.member("ada"), **given))
        await shown(group.member("ada"), **given)
        azure.deployments.failing.clear()
        words = await shown(group.member("ada"), "retry_azure_deployment", name="bread")
        assert WORD not in words + str(await group.shown(words))
        await group.decides("ada", words)
        found = await done(group.member("ada"), "retry_azure_deployment", name="bread")
        assert WORD not in str(found)
    made = azure.estate.resources[f"{GROUP}/providers/Microsoft.Web/sites/bread".lower()]
    assert made.properties["siteConfig"] == settings


async def test_secure_parameters_of_what_failed_have_to_be_given_anew(azure: FakeAzure) -> None:
    azure.deployments.failing["Microsoft.Web/sites"] = {"code": "Conflict", "message": "The plan is full."}
    safe = template(site(), parameters={"password": {"type": "securestring"}})
    given: Json = {"template": safe, "parameters": {"password": WORD}, "name": "bread"}
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), **given))
        await shown(group.member("ada"), **given)
        assert "Ask the user for password" in await shown(group.member("ada"), "retry_azure_deployment", name="bread")
        words = await shown(group.member("ada"), "retry_azure_deployment", name="bread", parameters={"password": WORD})
        assert "/changes/" in words


async def test_what_is_under_way_is_cancelled_and_nothing_else(azure: FakeAzure) -> None:
    async with team(azure) as group:
        await group.decides("ada", await shown(group.member("ada"), template=SHOP, name="bread"))
        take_forever(azure)
        await done(group.member("ada"), template=SHOP, name="bread")
        found = await agreed(group, "cancel_azure_deployment", name="bread")
        assert found["state"] == "Canceled"
        assert "is already finished (Canceled)" in await shown(
            group.member("ada"), "cancel_azure_deployment", name="bread"
        )
