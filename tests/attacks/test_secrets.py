"""Attacks for the value of a secret, by whoever was given everything but the one tool that gives any."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

import pytest

from identity.caller import Caller as Person
from identity.caller import CallerKind
from identity.grants import UNLIMITED, Grants
from identity.roles import Roles
from mcp_server.http import rest
from mcp_server.http.messages import HttpAnswer
from tests.fakes.azure.service import FakeAzure
from tests.mcp_server.caller import Caller, message, post
from tests.sweeps import Sweep
from tests.tools.azure.bakery import at_the_bakery
from tools import TOOLSETS

pytestmark = pytest.mark.anyio

TOOL: Final = "show_keyvault_secret"
CLOSED: Final = {(toolset.name, name) for toolset in TOOLSETS for name in toolset.by_name_only}
ARGUMENTS: Final = {"vault": "shop-secrets", "name": "mail-password"}
CALL: Final = {"tool": "keyvault", "command": TOOL, "parameters": ARGUMENTS}
LISTED: Final = {"tool": "keyvault", "command": "list_secrets", "parameters": {"vault": "shop-secrets"}}
ROLES: Final = f"""
roles:
  Reader: {{all: read}}
  Admin: {{all: destroy}}
  Vaults: {{keyvault: destroy}}
  Shut: {{all: destroy, keyvault/{TOOL}: none}}
  Secrets: {{keyvault/{TOOL}: read}}
scopes:
  api://app/vaults:
    keyvault: destroy
"""


def roles() -> Roles:
    return Roles.read(ROLES, "roles.yaml", {one.name: [tool.name for tool in one.tools] for one in TOOLSETS}, CLOSED)


def granted(*names: str) -> Grants:
    return roles().grants_of(Person(CallerKind.USER, roles=frozenset(names), scopes=frozenset({"vaults"})))


EVERYTHING_ELSE: Final[dict[str, Grants]] = {
    "on a laptop": UNLIMITED,
    "a reader of everything": granted("Reader"),
    "an administrator": granted("Admin"),
    "who has all of the toolset": granted("Vaults"),
    "whom a role shuts out": granted("Shut"),
    "who has many roles": granted("Reader", "Admin", "Vaults", "Shut"),
}
WAYS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "directly": (TOOL, ARGUMENTS),
    "by its longer name": (f"keyvault_{TOOL}", ARGUMENTS),
    "in another spelling": ("Show-KeyVault-Secret", ARGUMENTS),
    "through azure": ("azure", CALL),
    "through azure, in another spelling": ("azure", {**CALL, "tool": "KEYVAULT", "command": "show-keyvault-secret"}),
    "through azure, by its longer name": ("azure", {**CALL, "command": f"keyvault_{TOOL}"}),
    "through azure, as a command of another": ("azure", {**CALL, "tool": "account"}),
    "through azure, without a toolset": ("azure", {"command": TOOL, "parameters": ARGUMENTS}),
    "through azure, by what it is for": ("azure", {"intent": "show the value of the secret mail-password"}),
    "learned": ("azure", {"learn": True, "tool": "keyvault", "command": TOOL}),
    "learned with its toolset": ("azure", {"learn": True, "tool": "keyvault"}),
    "by a version of a list": ("list_secrets", {"vault": "shop-secrets", "name": "mail-password", "version": "x"}),
    "by a name that is a path": ("list_secrets", {"vault": "shop-secrets", "name": "mail-password/"}),
    "as a certificate": ("show_keyvault_certificate", ARGUMENTS),
    "as a certificate that is a path": (
        "show_keyvault_certificate",
        {"vault": "shop-secrets", "name": "../secrets/mail-password"},
    ),
    "by a field of what is listed": ("azure", {**LISTED, "select": "items[].value"}),
    "by a field of what is not given": ("azure", {**CALL, "select": "value"}),
}

every_role = pytest.mark.parametrize("grants", EVERYTHING_ELSE.values(), ids=EVERYTHING_ELSE)


async def sent(caller: Caller, name: str, arguments: Any, **headers: str) -> HttpAnswer:
    named = {f"x-mcp-{name}": value for name, value in headers.items()}
    request = message("tools/call", {"name": name, "arguments": arguments}, headers=named)
    return await caller.endpoint.handle(request, caller.toolsets)


def gives_nothing(answer: HttpAnswer, azure: FakeAzure) -> None:
    assert b"invented-" not in answer.body
    read = [asked.path for asked in azure.asked if asked.path.startswith("/vault/") and "/secrets/" in asked.path]
    assert [path for path in read if not path.endswith("/versions")] == []


@every_role
@Sweep(("name", "arguments"), WAYS.values(), ids=WAYS, every=2)
async def test_nobody_gets_a_value_whom_no_role_names_the_tool_for(
    grants: Grants, name: str, arguments: dict[str, Any]
) -> None:
    azure = FakeAzure()
    async with at_the_bakery(azure, grants=grants) as caller:
        for toolsets in ("all", "keyvault", None):
            answer = await sent(Caller(caller.endpoint, toolsets), name, arguments)
            gives_nothing(answer, azure)


@every_role
async def test_nobody_else_is_told_of_the_tool(grants: Grants) -> None:
    async with at_the_bakery(FakeAzure(), grants=grants) as caller:
        for toolsets in ("all", "keyvault", None):
            assert TOOL not in await Caller(caller.endpoint, toolsets).tool_names()
        learned = await Caller(caller.endpoint).call("azure", learn=True, tool="keyvault")
        assert "list_secrets" in json.dumps(learned)
        assert f'"name": "{TOOL}"' not in json.dumps(learned)


@every_role
async def test_choosing_the_tool_by_a_header_opens_nothing(grants: Grants) -> None:
    azure = FakeAzure()
    async with at_the_bakery(azure, grants=grants) as caller:
        for toolsets in ("all", "keyvault", None):
            gives_nothing(
                await sent(Caller(caller.endpoint, toolsets), TOOL, ARGUMENTS, tools=TOOL, toolsets="keyvault"), azure
            )


@every_role
async def test_plain_http_gives_it_to_nobody_else_either(grants: Grants) -> None:
    azure = FakeAzure()
    async with at_the_bakery(azure, grants=grants) as caller:
        for name in (TOOL, f"keyvault_{TOOL}"):
            body = json.dumps({"tool": name, "arguments": ARGUMENTS}).encode()
            gives_nothing(await rest.execute(caller.endpoint, post(body)), azure)
        assert TOOL.encode() not in (await rest.list_tools(caller.endpoint, replace(post(b""), method="GET"))).body


async def test_whoever_has_a_role_that_names_the_tool_gets_the_value_and_with_it_alone_nothing_else() -> None:
    async with at_the_bakery(FakeAzure(), grants=roles().grants_of(_person("Secrets"))) as caller:
        assert (await caller.call(TOOL, **ARGUMENTS))["structuredContent"]["value"] == "invented-mail"
        assert set(await caller.tool_names()) == {TOOL}


async def test_a_role_that_names_the_tool_opens_it_beside_others_that_do_not() -> None:
    async with at_the_bakery(FakeAzure(), grants=granted("Admin", "Shut", "Secrets")) as caller:
        assert (await caller.call(TOOL, **ARGUMENTS))["structuredContent"]["value"] == "invented-mail"


def test_no_scope_and_no_role_is_said_to_open_it_that_does_not() -> None:
    tool = next(tool for one in TOOLSETS for tool in one.tools if tool.name == TOOL)
    assert roles().scopes_for("keyvault", TOOL, tool.access) == []
    assert roles().roles_for("keyvault", TOOL, tool.access) == ["Secrets"]


def test_every_tool_that_reads_a_secret_is_opened_by_name_only() -> None:
    giving = {(one.name, tool.name) for one in TOOLSETS for tool in one.tools if tool.reads_secret}
    assert giving <= CLOSED
    assert ("keyvault", TOOL) in giving


def _person(role: str) -> Person:
    return Person(CallerKind.USER, roles=frozenset({role}))
