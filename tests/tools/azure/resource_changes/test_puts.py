"""A PUT by its path as a team makes it: shown by what Azure says that it would do, agreed to by another, done once."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.mcp_server.records import Records
from tests.tools.azure.inventing import answered, refused
from tests.tools.azure.team import ASKING, team

WEB: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
BODY: Final[dict[str, Any]] = {
    "location": "westeurope",
    "properties": {"httpsOnly": False, "note": "as it is"},
}
CALL: Final[dict[str, Any]] = {"method": "PUT", "path": WEB, "body": BODY}


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


def puts(azure: FakeAzure) -> int:
    return len([one for one in azure.asked if one.method == "PUT"])


def what_ifs(azure: FakeAzure) -> int:
    return len([one for one in azure.asked if one.path.lower().endswith("/whatif")])


async def test_a_put_is_shown_by_azure_agreed_to_by_another_and_done_as_it_was_shown_last(azure: FakeAzure) -> None:
    site = azure.estate.resources[WEB.lower()]
    with Records.kept() as records:
        async with team(azure, ASKING) as them:
            ada = them.member("ada")
            told = await refused(ada, "change_azure", **CALL)
            shown = await them.shown(told)
            assert shown.what == "Replacement of Microsoft.Web/sites shop-web in the group shop-prod"
            assert [(one.path, one.before, one.after) for one in shown.edits] == [
                ("microsoft.web/sites/shop-web: properties.httpsOnly", True, False),
                ("microsoft.web/sites/shop-web: properties.note", None, "as it is"),
            ]
            assert (shown.facts["method"], shown.facts["modifies"], shown.missing) == ("PUT", 1, [])
            await them.decides("bea", told)
            site.properties["note"] = "as somebody else wants it"
            them.later(301)
            again = await refused(ada, "change_azure", **CALL)
            assert "a different effect than the preview" in again
            assert (await them.shown(again)).edits[1].before == "as somebody else wants it"
            assert puts(azure) == 0
            await them.decides("bea", again)
            assert (await answered(ada, "change_azure", **CALL))["status"] == "done"
    assert (puts(azure), what_ifs(azure)) == (1, 3)
    assert azure.estate.resources[WEB.lower()].properties["httpsOnly"] is False
    assert [one["outcome"] for one in records.all] == ["asked", "asked", "done"]
    assert len({one["change"] for one in records.all}) == 2


async def test_noise_of_azure_in_what_a_put_would_do_asks_nobody_anew(azure: FakeAzure) -> None:
    azure.deployments.what_ifs.is_noisy = True
    async with team(azure, ASKING) as them:
        ada = them.member("ada")
        await them.decides("bea", await refused(ada, "change_azure", **CALL))
        them.later(301)
        assert (await answered(ada, "change_azure", **CALL))["status"] == "done"
    assert (puts(azure), what_ifs(azure)) == (1, 2)


async def test_a_long_look_at_a_put_is_followed_in_later_calls(azure: FakeAzure) -> None:
    azure.work.polls = 100
    async with team(azure, ASKING) as them:
        ada = them.member("ada")
        told = await refused(ada, "change_azure", **CALL)
        assert told.startswith("Checking what change_azure would do")
        for _ in range(5):
            told = await refused(ada, "change_azure", **CALL)
            if "/changes/" in told:
                break
        assert "/changes/" in told
    assert (puts(azure), what_ifs(azure)) == (0, 1)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_what_is_so_already_is_not_sent(azure: FakeAzure, method: str) -> None:
    document = azure.estate.resources[WEB.lower()].document
    same = {name: value for name, value in document.items() if name not in {"id", "name", "type"}}
    async with team(azure, ASKING) as them:
        done = await answered(them.member("ada"), "change_azure", method=method, path=WEB, body=same)
    assert done["status"] == "unchanged"
    assert [one.method for one in azure.asked if one.method != "GET"] == []


async def test_a_put_that_leaves_a_setting_out_is_a_change(azure: FakeAzure) -> None:
    document = azure.estate.resources[WEB.lower()].document
    less = {name: value for name, value in document.items() if name not in {"id", "name", "type", "tags"}}
    async with team(azure, ASKING) as them:
        await refused(them.member("ada"), "change_azure", method="PUT", path=WEB, body=less)
