"""Attacks by agents: to pass for a person, to be given what people have, to agree in a person's name."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from mcp_server.http import rest
from tests.attacks.agents import ADMIN, ROLES, signed
from tests.attacks.doors import DOORS
from tests.attacks.place import Place, attacked, gains_nothing
from tests.fakes.issuer import CLIENT, TENANT, USER
from tests.identity.agents import (
    AGENT,
    BLUEPRINT,
    BY_ITS_ACCOUNT,
    FOR_A_PERSON,
    FOR_ITSELF,
    OTHER_AGENT,
    PERSON,
    Claims,
    with_claims,
)
from tests.identity.forging import bearing
from tests.identity.principals import principal_headers
from tests.mcp_server.caller import Caller, post

pytestmark = pytest.mark.anyio

# What only a person with the role of administrators has here.
REFRESH: Final = "refresh_azure_updates"


def agents(**changed: Any) -> Claims:
    return with_claims(FOR_A_PERSON | ADMIN, **changed)


def its_account(**changed: Any) -> Claims:
    return with_claims(BY_ITS_ACCOUNT, **changed)


# Good signatures of the issuer over claims that must not pass.
REFUSED: dict[str, Claims] = {
    "a facet that is a number": agents(xms_act_fct=11),
    "a facet that is a list": agents(xms_act_fct=["11"]),
    "a facet that is an object": agents(xms_sub_fct={"13": True}),
    "a facet that is nothing": agents() | {"xms_act_fct": None},
    "a facet that is empty": agents(xms_sub_fct=""),
    "a facet of unicode digits": agents(xms_act_fct="\u0661\u0661"),
    "a facet of wide digits": agents(xms_act_fct="\uff11\uff11"),
    "a facet with commas": agents(xms_act_fct="9,11"),
    "a facet with two blanks": agents(xms_act_fct="9  11"),
    "a facet with a blank that does not break": agents(xms_act_fct="9\u00a011"),
    "a facet with a line": agents(xms_act_fct="9\n11"),
    "a facet with an end": agents(xms_act_fct="9\x0011"),
    "a facet of ten thousand numbers": agents(xms_act_fct=" ".join(["9"] * 9_000)[:12_000]),
    "a facet of one huge number": agents(xms_sub_fct="9" * 12_000),
    "a facet in capitals": agents(XMS_ACT_FCT="3", xms_act_fct=None),
    "a facet in capitals beside a harmless one": agents(Xms_Sub_Fct="13"),
    "two who act": agents(appid=CLIENT),
    "two agents who act": agents(appid=OTHER_AGENT),
    "nobody who acts": agents(azp=None),
    "a blueprint that poses as a client": agents(azp=BLUEPRINT),
    "a blueprint that poses as a client, in capitals": agents(azp=BLUEPRINT.upper()),
    "a blueprint that is a list": agents(xms_par_app_azp=[BLUEPRINT]),
    "an account that says it is an application": its_account(idtyp="app", scp=None, roles=["Admin"]),
    "an account that is an agent, too": its_account(xms_sub_fct="11 13"),
    "a person who is an agent": agents(xms_sub_fct="11"),
    "a kind of its own": agents(idtyp="agent"),
    "an agent for itself with a scope": with_claims(FOR_ITSELF, scp=PERSON["scp"]),
    "an agent for itself without a role": FOR_ITSELF,
    "an account without a role": its_account(),
    "an account with a scope that opens much to people": its_account(scp=f"{PERSON['scp']} boards"),
}
# What is let in, and opens no more than reading what its person may read.
NARROW: dict[str, Claims] = {
    "an agent for an administrator": agents(),
    "an agent for an administrator, in capitals": agents(azp=AGENT.upper()),
    "an agent whose number has a nought before it": agents(xms_act_fct="011"),
    "an agent among many numbers": agents(xms_act_fct=" ".join(map(str, range(40)))),
    "an agent that hides behind its blueprint": agents(xms_act_fct=None, xms_sub_fct=None),
    "an agent that leaves its blueprint out": agents(xms_par_app_azp=None),
    "an agent that leaves the subject out": agents(xms_sub_fct=None),
    "an agent whose role is a name of the file": agents(roles=["Reader", "agents", "for-people", AGENT, "all"]),
    "an agent that has its person's scope": agents(roles=["Reader"], scp=f"{PERSON['scp']} boards"),
    "an agent with the client of its person as another actor": agents(act={"sub": CLIENT}, actort=CLIENT),
    "a person's token with an actor of another issuer": PERSON | ADMIN | {"act": {"sub": AGENT}},
    "a person's token with two actors": PERSON | ADMIN | {"act": {"sub": AGENT, "act": {"sub": OTHER_AGENT}}},
    "a person's token with an actor that is none": PERSON | ADMIN | {"act": None},
    "an account with the name of a person": its_account(roles=["Reader"], name="Ada", upn="ada@example.com"),
    "an account with the object id of a person": its_account(roles=["Reader"], oid=USER),
    "an agent for itself with the object id of a person": with_claims(FOR_ITSELF, roles=["Reader"], oid=USER),
}


@pytest.fixture(scope="module")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    folder = tmp_path_factory.mktemp("agents")
    roles = folder / "roles.yaml"
    roles.write_text(ROLES, encoding="utf-8")
    async with attacked(folder / "storage", AUTH_ROLES_FILE=str(roles)) as built:
        yield built


@pytest.mark.parametrize("claims", REFUSED.values(), ids=REFUSED)
async def test_no_door_opens_to_an_agent_that_is_not_what_it_says(guarded: Place, claims: Claims) -> None:
    headers = signed(guarded, claims)
    for door in DOORS.values():
        gains_nothing(await door(guarded, headers), 401, 403, largest=1024)


async def wishes(place: Place, headers: dict[str, str]) -> list[bytes]:
    """What is answered to whoever wants to change something, in each way."""
    caller = Caller(place.app.endpoint, "all", headers)
    wish = {"tool": "azure-updates", "command": REFRESH, "parameters": {"full": True}}
    learned = Caller(place.app.endpoint, None, headers)
    body = json.dumps({"tool": REFRESH, "arguments": {"full": True}}).encode()
    return [
        (await caller.send("tools/call", {"name": REFRESH, "arguments": {"full": True}})).body,
        (await learned.send("tools/call", {"name": "azure_change", "arguments": wish})).body,
        (await rest.execute(place.app.endpoint, post(body, headers))).body,
    ]


@pytest.mark.parametrize("claims", NARROW.values(), ids=NARROW)
async def test_no_agent_is_given_what_only_a_person_has(guarded: Place, claims: Claims) -> None:
    headers = signed(guarded, claims)
    names = await Caller(guarded.app.endpoint, "all", headers).tool_names()
    assert "search_azure_updates" in names
    for answer in await wishes(guarded, headers):
        assert b'"outcome"' not in answer
        assert b'"done"' not in answer


async def test_an_administrator_has_what_is_attacked(guarded: Place) -> None:
    """Else nothing above would have to be refused."""
    names = await Caller(guarded.app.endpoint, "all", signed(guarded, PERSON | ADMIN)).tool_names()
    assert REFRESH in names


async def test_no_agent_is_given_an_address_that_outlives_it(guarded: Place) -> None:
    for claims in (agents(), its_account(roles=["Reader"]), with_claims(FOR_ITSELF, roles=["Admin"])):
        caller = Caller(guarded.app.endpoint, "azure-updates", signed(guarded, claims))
        assert "Agents cannot get personal URLs" in await caller.told("get_azure_updates_feeds")
    person = Caller(guarded.app.endpoint, "azure-updates", signed(guarded, PERSON | ADMIN))
    assert "feed=" in json.dumps(await person.call("get_azure_updates_feeds"))


def header(claims: Claims, *more: tuple[Any, Any]) -> dict[str, str]:
    entries = [(name, entry) for name, value in claims.items() for entry in (value if name == "roles" else [value])]
    told = [{"typ": name, "val": value} for name, value in (*entries, *more)]
    return principal_headers({"auth_typ": "aad", "claims": told, "name_typ": "name", "role_typ": "roles"})


WITHOUT: Final[Claims] = dict.fromkeys(("xms_act_fct", "xms_sub_fct", "xms_par_app_azp"))
# What App Service passes, and the token that comes with it.
PASSED: dict[str, tuple[dict[str, str], Claims | None]] = {
    "the header without facets": (header(agents(**WITHOUT)), agents()),
    "the header without who acts": (header(agents(xms_act_fct=None)), agents()),
    "the header without facets and roles": (header(agents(**WITHOUT, roles=None)), agents()),
    "the header of a browser, the token of an agent": (header(agents(**WITHOUT, scp=None)), agents()),
    "the header in capitals": (header(agents(**WITHOUT), ("XMS_ACT_FCT", "11")), None),
    "the header with two facets": (header(agents(), ("xms_act_fct", "3")), None),
    "the header with a facet twice, of two types": (header(agents(), ("xms_act_fct", 11)), None),
    "the header with two who act": (header(agents(), ("appid", OTHER_AGENT)), None),
    "the header with a name that is none": (header(agents(), (["xms_act_fct"], "3")), None),
    "the token without facets": (header(agents()), agents(**WITHOUT)),
    "the token of somebody else": (header(agents()), agents(oid="somebody")),
    "the token with facets of another type": (header(PERSON | ADMIN), PERSON | ADMIN | {"xms_act_fct": ["11"]}),
}


@pytest.mark.parametrize(("headers", "claims"), PASSED.values(), ids=PASSED)
async def test_what_app_service_passes_of_an_agent_makes_no_person_of_it(
    guarded: Place, tmp_path: Path, headers: dict[str, str], claims: Claims | None
) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text(ROLES, encoding="utf-8")
    issuer = f"https://login.microsoftonline.com/{TENANT}/v2.0"
    own = {"AUTH_MODE": "platform", "WEBSITE_AUTH_ENABLED": "true", "AUTH_ISSUER": issuer}
    async with attacked(tmp_path / "storage", **own, AUTH_ROLES_FILE=str(roles)) as place:
        token = bearing(guarded.issuer.sign(claims)) if claims else {}
        caller = Caller(place.app.endpoint, "all", {**headers, **token})
        assert (await caller.send("tools/list")).status in {200, 401, 403}
        asked = await caller.send("tools/call", {"name": REFRESH, "arguments": {"full": True}})
        assert b'"outcome"' not in asked.body
        person = Caller(place.app.endpoint, "all", header(PERSON | ADMIN))
        assert REFRESH in await person.tool_names()


CAPABLE: Final[dict[str, Any]] = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}


async def test_the_answer_to_a_form_is_no_way_round_the_grants(guarded: Place) -> None:
    """A tool that is not there asks nobody, whatever answer comes along."""
    caller = Caller(guarded.app.endpoint, "all", signed(guarded, agents()))
    answer = {"inputResponses": {"consent": {"action": "accept", "content": {"agree": True}}}, "requestState": "x"}
    sent = await caller.send("tools/call", {"name": REFRESH, "arguments": {}, "_meta": CAPABLE, **answer})
    assert b'"outcome"' not in sent.body
