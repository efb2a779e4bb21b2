"""No action of Azure returns keys, and no secret of a change is shown, stored or recorded."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tests.attacks.azure_changes.calls import TITLED, WORD, Json, deploy, patch, sent
from tests.fakes.azure.service import FakeAzure
from tests.mcp_server.records import Records
from tests.tools.azure.inventing import refused
from tests.tools.azure.resource_changes.scenes import SITE
from tests.tools.azure.team import Team
from tools.azure.resource_any.changeable import changeable

ACTIONS: Final = (
    *("listKeys/", "listKeys//", "ListKeys ", "list%4Beys", "listKeys?x", "listKeys;x", "./listKeys", "../listKeys"),
    *("listKeys\u200b", "l\u0456stKeys", "\uff4cistKeys", "listKeys\t", "listKeys\n", "listKeys#", "listKeys%00"),
    *(
        "providers/Microsoft.Web/listKeys",
        "config/appsettings/list",
        "host/default/listkeys",
        "functions/f/listsecrets",
    ),
    *("newPublishingPassword", "listSyncFunctionTriggerStatus", "regenerateAccessKey", "createQueryKeys"),
)


@pytest.mark.parametrize("action", ACTIONS)
async def test_no_spelling_of_an_action_gives_keys(azure: FakeAzure, house: Team, action: str) -> None:
    words = await refused(house.member("ada"), "change_azure", method="POST", path=f"{SITE}/{action}")
    assert "/changes/" not in words
    assert not [one for one in azure.asked if one.method == "POST"]


@given(st.sampled_from("listKeys getToken listSecrets regenerateKey".split()), st.data())
def test_no_case_of_an_action_that_gives_keys_is_taken(word: str, data: st.DataObject) -> None:
    spelt = "".join(letter.upper() if data.draw(st.booleans()) else letter.lower() for letter in word)
    with pytest.raises(Refusal):
        changeable("POST", f"{SITE}/{spelt}")


SECRETS: Final = {
    "a password of a body": patch({"properties": {"adminPassword": WORD, "httpsOnly": True}}),
    "a value of a body": patch({"properties": {"siteConfig": {"appSettings": [{"name": "a", "value": WORD}]}}}),
    "a body of a POST": {
        "tool": "change_azure",
        "method": "POST",
        "path": f"{SITE}/restart",
        "body": {"password": WORD},
    },
    "a secure parameter": deploy(TITLED, parameters={"password": WORD}),
    "a secure parameter of a mistake": deploy(TITLED, parameters={"passwort": WORD}),
    "a setting of an app": {"tool": "set_app_settings", "app": "shop-web", "values": {"PLAIN": WORD}},
    "a secret of a vault": {"tool": "set_keyvault_secret", "vault": "oven-secrets", "name": "x", "value": WORD},
}


@pytest.mark.parametrize("call", SECRETS.values(), ids=SECRETS)
async def test_no_secret_of_a_change_is_shown_kept_recorded_or_told(
    house: Team, call: Json, caplog: pytest.LogCaptureFixture
) -> None:
    with Records.kept() as records:
        told = [await sent(house, "ada", call)]
        told.append(await sent(house, "ada", call))
    ledger = house.approvals.kept()
    changes = await ledger.newest(10)
    kept = [(one.content, await ledger.shown(one)) for one in changes]
    assert WORD not in f"{told} {records.all} {caplog.text} {kept}"
