"""Who installs other servers by a tool, or by name alone, and to whom roles and rules open them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.build import build
from changes.rules_file import rules_in
from extensions.entries_file import entries_in
from identity.access import Access
from identity.caller import ANONYMOUS
from identity.roles import Roles
from refusal import Refusal
from settings import Settings
from tests.fakes.extensions.peer import Peer, served, tool
from tests.mcp_server.caller import Caller
from tests.mcp_server.records import Records
from tests.offline import offline
from tests.tools.extensions.office import Registry, shop
from tools import PROVIDERS


async def test_who_learns_a_name_that_a_source_knows_is_told_how_to_install_it_if_they_may(tmp_path: Path) -> None:
    peer = Peer()
    async with served(peer):
        Registry(tmp_path, peer)
        async with shop(tmp_path, peer) as app:
            told = await Caller(app.endpoint).told("azure", learn=True, tool="weather")
            assert "A source offers 'io.example/weather', which is not installed. Use install_extension" in told
            assert "source" not in await Caller(app.endpoint).told("azure", learn=True, tool="rain")
        async with shop(tmp_path, peer, read_only=True) as app:
            assert "source" not in await Caller(app.endpoint).told("azure", learn=True, tool="weather")


async def test_what_a_trusted_source_has_is_installed_when_somebody_learns_its_name_at_a_laptop(tmp_path: Path) -> None:
    peer = Peer(tools=[tool("echo", annotations={"readOnlyHint": True})])
    async with served(peer):
        registry = Registry(tmp_path, peer)
        trusted: Any = {"trusted": (str(registry.path),)}
        async with shop(tmp_path, peer, read_only=True, **trusted) as app:
            assert "source" not in await Caller(app.endpoint).told("azure", learn=True, tool="weather")
        async with shop(tmp_path, peer, **trusted) as app:
            with Records.kept() as records:
                told = await Caller(app.endpoint).told("azure", learn=True, tool="weather")
            assert "so it has been installed as 'installed-weather'. To see its tools, call `azure`" in told
            assert [one["tried"] for one in records.attempts] == ["extension: install io.example/weather automatically"]
            assert [one["tool"] for one in records.all] == ["azure"]
            learnt = await Caller(app.endpoint).call("azure", learn=True, tool="installed-weather")
            assert "echo" in str(learnt)
            assert "/changes/" in await Caller(app.endpoint, "installed-weather").told(
                "installed_weather_echo", text="x"
            )
            again = await Caller(app.endpoint).told("azure", learn=True, tool="io.example/weather")
            assert "The extension is installed as 'installed-weather'. To see its tools, call `azure`" in again
        registry.offer(
            peer, remotes=[{"type": "streamable-http", "url": "http://10.1.2.3/mcp"}], name="io.example/snow"
        )
        async with shop(tmp_path, peer, **trusted) as app:
            told = await Caller(app.endpoint).told("azure", learn=True, tool="snow")
            assert "but it could not be installed: " in told


@pytest.mark.parametrize(
    "mode", [{"AUTH_MODE": "key"}, {"AUTH_MODE": "none", "AZURE_FUNCTIONS_ENVIRONMENT": "Production"}]
)
def test_nothing_installs_itself_but_at_a_laptop(tmp_path: Path, mode: dict[str, str]) -> None:
    given = {"EXTENSION_SOURCES": "a.json", "EXTENSION_TRUSTED": "a.json", **mode}
    settings = Settings.from_environment(offline(tmp_path) | given, [one.settings for one in PROVIDERS])
    with pytest.raises(Refusal, match="EXTENSION_TRUSTED installs servers automatically"):
        build(settings)


def test_what_is_trusted_is_one_of_the_sources(tmp_path: Path) -> None:
    given = {"EXTENSION_SOURCES": "a.json", "EXTENSION_TRUSTED": "b.json"}
    settings = Settings.from_environment(offline(tmp_path) | given, [one.settings for one in PROVIDERS])
    with pytest.raises(Refusal, match=r"EXTENSION_TRUSTED contains 'b.json', which is not in EXTENSION_SOURCES"):
        build(settings)


ROLES = (
    "{All: {all: write}, Keeper: {all: write, installed: destroy},"
    " Some: {installed/installed_weather_burn: none, installed: read}}"
)


@pytest.mark.parametrize(
    ("external", "role", "level", "of_burn"),
    [
        ("[]", "All", None, None),
        ("[installed]", "All", Access.WRITE, Access.WRITE),
        ("[installed]", "Keeper", Access.DESTROY, Access.DESTROY),
        ("[installed]", "Some", Access.READ, None),
    ],
)
def test_what_is_installed_is_closed_until_the_roles_file_opens_it(
    external: str, role: str, level: Access | None, of_burn: Access | None
) -> None:
    roles = ROLES if "installed" in external else "{All: {all: destroy}}"
    read = Roles.read(f"external: {external}\nroles: {roles}", "roles.yaml", {"office": ()})
    grants = read.grants_of(replace(ANONYMOUS, roles=frozenset({role})))
    assert grants.level("installed-weather") == level
    assert grants.of_tool("installed-weather", "installed_weather_burn") == of_burn
    assert (grants & grants).level("installed-weather") == level


def test_single_ones_are_no_names_for_the_files_of_an_operator() -> None:
    with pytest.raises(Refusal, match="was installed by a tool; use 'installed'"):
        Roles.read("external: [installed-weather]\nroles: {}", "roles.yaml", {})
    for name in ("installed", "installed-weather"):
        with pytest.raises(Refusal, match="is reserved for extensions installed by a tool"):
            entries_in(f"extensions:\n  {name}:\n    description: x\n    url: https://a.example.com", "e.yaml", [])


def test_a_rule_of_all_that_is_installed_is_about_each() -> None:
    (rule,) = rules_in("external: [installed]\nchanges: [{tools: [installed], ask: another}]", "roles.yaml", {}, ())
    assert rule.may_concern("installed-weather", "installed_weather_echo", Access.WRITE, frozenset())
    assert not rule.may_concern("weather", "echo", Access.WRITE, frozenset())
