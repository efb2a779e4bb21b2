"""What must hold for every provider, and that one can be added by what the documentation says."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from refusal import Refusal
from settings import OWN_GROUPS, PlaceSettings, Settings
from tests.clock import fake
from tests.clock.app import app_with_clock
from tests.clock.provider import provider as clock
from tests.clock.settings import ClockSettings
from tests.infra.declared import OF_THE_PLATFORM_OR_A_LAPTOP
from tests.mcp_server.caller import Caller
from tools import PROVIDERS, TOOLSETS
from tools.provider import Provider

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
# A name of a tool is a word with an underscore: no word of English has one.
TOOL_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
SETTING_NAME = re.compile(r"\b(?:MCP|AUTH|UPSTREAM|RATE_LIMIT|ADO|AZURE_OPENAI|COSMOS|UPDATES)_[A-Z_]+\b")
LOWER_ROOMS = ("clients", "firewall", "identity", "mcp_server", "text", "updates")
# Providers that tools ask where they are configured, and else do without.
DONE_WITHOUT = {"azure-openai"}
LAPTOP = PlaceSettings(environment="Development")

every_provider = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)


def tools() -> set[str]:
    return {tool.name for toolset in TOOLSETS for tool in toolset.tools}


def setting_names() -> set[str]:
    groups = [*OWN_GROUPS.values(), *(provider.settings for provider in PROVIDERS)]
    return {entry.metadata["name"] for group in groups for entry in fields(group)}


@every_provider
def test_a_provider_has_a_fake(provider: Provider[Any, Any]) -> None:
    folder = ROOT / "tests" / "fakes" / provider.name.replace("-", "_")
    assert folder.is_dir(), f"write a fake of {provider.name} in {folder}"


@every_provider
def test_a_provider_has_a_page(provider: Provider[Any, Any]) -> None:
    page = ROOT / "docs" / f"{provider.name}.md"
    assert page.exists(), f"write {page}, for who sets {provider.name} up"


@every_provider
def test_the_settings_of_a_provider_that_are_no_secrets_are_given_by_the_template(provider: Provider[Any, Any]) -> None:
    given = json.loads((ROOT / "infra" / "main.parameters.json").read_text(encoding="utf-8"))["parameters"]
    names = {entry.metadata["name"] for entry in fields(provider.settings) if entry.repr} - OF_THE_PLATFORM_OR_A_LAPTOP
    assert names <= given["settings"]["value"].keys()


@every_provider
def test_hints_name_tools_that_there_are(provider: Provider[Any, Any]) -> None:
    named = {name for hint in provider.hints.values() for name in TOOL_NAME.findall(hint)}
    assert named <= tools()


@every_provider
def test_some_toolset_needs_it_or_does_with_and_without_it(provider: Provider[Any, Any]) -> None:
    is_needed = any(provider.key in toolset.may_need for toolset in TOOLSETS)
    assert is_needed is (provider.name not in DONE_WITHOUT)


def test_what_lower_rooms_say_to_callers_names_settings_and_tools_that_there_are() -> None:
    said = [text for room in LOWER_ROOMS for path in (ROOT / room).rglob("*.py") for text in sentences(path)]
    assert {name for text in said for name in SETTING_NAME.findall(text)} <= setting_names()
    looks_like_one = {name for text in said for name in TOOL_NAME.findall(text)} & set(map(_misspelt, tools()))
    assert looks_like_one == set()


def _misspelt(name: str) -> str:
    """The commonest slip: a plural for a singular, or the other way round."""
    return name.removesuffix("s") if name.endswith("s") else f"{name}s"


def sentences(path: Path) -> Iterator[str]:
    """Texts with a space in them, which are for people."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


async def test_a_provider_that_was_added_serves_its_tools() -> None:
    async with fake.clock() as url:
        app = app_with_clock(url)
        answer = await Caller(app.endpoint, "clock").call("tell_time")
        assert answer["structuredContent"] == {"time": fake.TIME}
        await app.close()


async def test_a_provider_that_lacks_a_setting_says_so_in_the_same_words_everywhere() -> None:
    app = app_with_clock()
    caller = Caller(app.endpoint)
    lacking = clock.lacks(ClockSettings(), Settings())
    assert lacking in await caller.told("azure", tool="clock", command="tell_time")
    learned = (await caller.call("azure", learn=True))["structuredContent"]
    assert learned["unavailable"]["clock"] == lacking
    with pytest.raises(Refusal, match=lacking):
        await app.providers.get(clock.key)


async def test_a_service_that_is_away_is_told_with_what_to_do() -> None:
    async with fake.clock() as url:
        app = app_with_clock(f"{url}/nobody-answers-here")
        assert "Call tell_time again" in await Caller(app.endpoint, "clock").told("tell_time")
        await app.close()


def test_the_page_about_adding_one_shows_the_one_that_is_tested() -> None:
    page = (ROOT / "docs" / "adding-a-provider.md").read_text(encoding="utf-8")
    for name in ("settings", "access", "provider", "toolset"):
        assert (ROOT / "tests" / "clock" / f"{name}.py").read_text(encoding="utf-8").strip() in page
