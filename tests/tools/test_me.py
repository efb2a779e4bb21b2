"""Whoever asks is told who they are to this server, and what is open to them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.attacks.agents import ADMIN, ROLES, signed
from tests.attacks.place import Place, attacked
from tests.fakes.issuer import CLIENT, TENANT, USER
from tests.identity.agents import ACCOUNT, AGENT, BY_ITS_ACCOUNT, FOR_A_PERSON, FOR_ITSELF, PERSON, Claims
from tests.mcp_server.caller import Caller, Json
from tests.offline import app_of, offline

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    folder = tmp_path_factory.mktemp("me")
    (folder / "roles.yaml").write_text(ROLES, encoding="utf-8")
    limits = {"RATE_LIMIT_PER_CALLER": "500", "RATE_LIMIT_PER_AGENT": "0", "CHANGES_PER_AGENT": "20"}
    async with attacked(folder / "storage", AUTH_ROLES_FILE=str(folder / "roles.yaml"), **limits) as built:
        yield built


async def told(place: Place, claims: Claims, **headers: str) -> Json:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    caller = Caller(place.app.endpoint, "all", {**signed(place, claims), **named})
    return (await caller.call("whoami"))["structuredContent"]


async def test_a_person_is_told_their_roles_and_what_is_open(place: Place) -> None:
    answer = await told(place, PERSON | ADMIN)
    assert answer == {
        "you_are": "a person",
        "kind": "user",
        "tenant": TENANT,
        "subject": USER,
        "client": CLIENT,
        "roles": ["Admin"],
        "scopes": ["mcp.access"],
        "open_to_you": {
            "destroy": ["azure-updates", "watches"],
            "write": ["tasks"],
            "read": ["firewall", "me", "translation"],
        },
        "limits": {"requests_a_minute": 500},
        "to_open_more": "Ask an administrator to assign you another role.",
    }


async def test_an_agent_for_a_person_is_told_what_it_may_and_who_agrees_to_changes(place: Place) -> None:
    answer = await told(place, FOR_A_PERSON | ADMIN)
    assert (answer["you_are"], answer["agent"]) == ("an agent acting for a person", AGENT)
    opened = {"destroy": ["azure-updates", "watches"], "write": ["tasks"], "read": ["firewall", "me", "translation"]}
    assert answer["open_to_you"] == opened
    assert answer["limits"] == {"requests_a_minute": 500, "changes_a_day_of_the_agent": 20}
    assert answer["narrowed_by"][0].endswith("on the approval page, unless the roles file states otherwise.")
    assert answer["narrowed_by"][1] == "You cannot approve anything in a form; only a person can."
    assert "under `agents` in the roles file" in answer["to_open_more"]
    assert "blueprint" not in str(answer)


@pytest.mark.parametrize(("claims", "subject"), [(FOR_ITSELF, FOR_ITSELF["oid"]), (BY_ITS_ACCOUNT, ACCOUNT)])
async def test_an_agent_for_itself_is_told_that_it_has_its_roles_alone(
    place: Place, claims: Claims, subject: str
) -> None:
    answer = await told(place, claims | ADMIN)
    assert (answer["kind"], answer["subject"], answer["agent"]) == ("agent", subject, AGENT)
    assert answer["open_to_you"]["write"] == ["tasks"]
    assert answer["narrowed_by"][0].startswith("You act for yourself")


async def test_what_a_client_chose_by_headers_is_told_too(place: Place) -> None:
    answer = await told(place, PERSON | ADMIN, x_mcp_readonly="true")
    assert answer["open_to_you"] == {"read": ["azure-updates", "watches", "firewall", "me", "tasks", "translation"]}
    assert answer["narrowed_by"] == ["A request header of your client selects only some tools."]


async def test_on_a_laptop_nobody_in_particular_may_do_everything(tmp_path: Path) -> None:
    app = app_of(offline(tmp_path))
    answer = (await Caller(app.endpoint, "me").call("whoami"))["structuredContent"]
    await app.close()
    assert answer == {
        "you_are": "anonymous: you are not signed in",
        "kind": "anonymous",
        "open_to_you": {"read": ["me"]},
    }
