"""Finding other servers in registries: what is offered, what cannot be had, and what is not taken of strangers."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extensions.registries.offer import InstallInput, OfferedPackage, Origin, Remote, ServerOffer
from extensions.registries.registry import DocumentRegistry, OfficialRegistry, registry_at
from extensions.registries.server_json import offer_of
from extensions.registries.sources import SECONDS_KEPT, ServerSources
from refusal import Refusal
from tests.extensions.registries.library import AZD, WEATHER, FakeRegistry, Json, listed, named
from tests.sweeps import examples

pytestmark = pytest.mark.anyio

NOWHERE = "https://nothing.example/"


async def nothing(_address: str) -> bytes:
    raise Refusal("It is away.")


def document(folder: Path, content: Any) -> str:
    path = folder / "registry.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def test_a_server_is_offered_with_all_the_ways_in_which_it_can_be_had() -> None:
    assert offer_of(WEATHER, "here") == ServerOffer(
        name="io.example/weather",
        version="1.4.0",
        source="here",
        title="Weather",
        description="Forecasts for fields and orchards",
        repository="https://github.com/example/weather",
        remotes=(
            Remote(
                url="https://{region}.weather.example/mcp",
                wants=(InstallInput(name="region", about="Where", default="eu", choices=("eu", "us")),),
                headers=(InstallInput(name="X-Key", about="Yours", is_required=True, is_secret=True),),
            ),
        ),
        packages=(
            OfferedPackage(
                origin=Origin.NPM,
                identifier="@example/weather",
                version="1.4.0",
                arguments=("serve", "--units", "metric", "{folder}"),
                variables=(InstallInput(name="WEATHER_KEY", is_required=True, is_secret=True),),
            ),
        ),
        other_ways=("oci docker.io/example/weather", "sse at https://weather.example/sse"),
    )


@pytest.mark.parametrize(
    "package",
    [
        {"registryType": "npm", "registryBaseUrl": "https://npm.attacker.example", "version": "1.0.0"},
        {"registryType": "pypi", "registryBaseUrl": "https://pypi.org.attacker.example", "version": "1.0.0"},
        {"registryType": "npm"},
        {
            "registryType": "npm",
            "version": "1.0.0",
            "transport": {"type": "streamable-http", "url": "http://localhost"},
        },
        {"registryType": "nuget", "version": "1.0.0"},
        {"registryType": "mcpb", "version": "1.0.0", "fileSha256": "0" * 64},
    ],
)
def test_a_package_that_cannot_be_had_from_here_is_only_told(package: Json) -> None:
    offer = offer_of(named("io.example/one", packages=[{"identifier": "one", **package}]), "here")
    assert not offer.packages
    over = f" over {package['transport']['type']}" if "transport" in package else ""
    assert offer.other_ways == (f"{package['registryType']} one{over}",)


@pytest.mark.parametrize(
    ("said", "default"),
    [({"value": "a"}, "a"), ({"default": "b"}, "b"), ({"value": "a", "default": "b"}, "b"), ({}, "")],
)
def test_an_input_is_preset_by_its_default_or_its_value(said: Json, default: str) -> None:
    variables = [{"name": "KEY", **said}]
    package = {"registryType": "npm", "identifier": "one", "version": "1.0.0", "environmentVariables": variables}
    (found,) = offer_of(named("io.example/one", packages=[package]), "here").packages
    assert found.variables == (InstallInput(name="KEY", default=default),)


def test_unknown_fields_are_ignored_whatever_their_names() -> None:
    package = {"registryType": "npm", "identifier": "one", "version": "1.0.0", "transport": {"url": "x", "env": 7}}
    unknown = {"origin": 7, "base": 7, "digest": 7, "arguments": 7, "variables": "all"}
    word = {"value": "serve", "is_required": "x", "is_secret": 7, "value_hint": 7}
    document = named("io.example/one", packages=[package | unknown | {"packageArguments": [word]}], words=7, _meta=[])
    assert offer_of(document, "here", {"words": 7, "statusMessage": "Good."}) == ServerOffer(
        name="io.example/one",
        version="1.0.0",
        source="here",
        status_words="Good.",
        packages=(OfferedPackage(origin=Origin.NPM, identifier="one", version="1.0.0", arguments=("serve",)),),
    )


@pytest.mark.parametrize(
    "malformed",
    [
        None,
        7,
        [],
        {},
        named("no-namespace"),
        named("../../etc/passwd"),
        named("io.example/" + "a" * 101),
        named("io.example/one", version="latest"),
        named("io.example/one", version="^1.0.0"),
        named("io.example/one", version=""),
        named("io.example/one", packages=[{"registryType": "npm", "identifier": "one", "version": ">=1"}]),
        named("io.example/one", packages=[{"registryType": "npm", "identifier": ""}]),
        named("io.example/one", packages=[{"registryType": "npm", "identifier": "one", "fileSha256": "short"}]),
        named("io.example/one", remotes=[{"type": "streamable-http", "url": "https://a.example"}] * 51),
        named("io.example/one", remotes={"type": "sse"}),
    ],
)
def test_what_is_no_description_is_refused_with_the_place_of_the_mistake(malformed: Any) -> None:
    with pytest.raises(Refusal, match="Not a valid server description"):
        offer_of(malformed, "here")


def test_texts_of_strangers_are_cut_and_lose_what_cannot_be_seen() -> None:
    hidden = "Nice\u202e\u200b\ufe01\U000e0101\u3164\u2800 tool\ud800\x1b[2J" + "x" * 5000
    offer = offer_of(named("io.example/one", title=hidden, description=hidden), "here")
    assert offer.title.startswith("Nice tool [2Jxx")
    assert (len(offer.title), len(offer.description)) == (300, 1000)
    assert "\u202e" not in offer.title + offer.description


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.sampled_from([*WEATHER, "type", "url", "name"]), one),
        max_leaves=20,
    )
)
# Which inputs are tried must not depend on how busy the machine is.
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
def test_whatever_a_stranger_writes_is_an_offer_or_refused(document: Any) -> None:
    spoilt = {**WEATHER, **document} if isinstance(document, dict) else document
    with suppress(Refusal):
        assert offer_of(spoilt, "here").source == "here"


async def test_the_official_registry_is_asked_for_the_longest_word_and_the_others_are_looked_for() -> None:
    fake = FakeRegistry([listed(WEATHER), listed(named("io.example/weather-ships", description="Tides"))])
    async with fake.serving():
        found = await OfficialRegistry(fake.url, fake.read).search(["orchards", "WEATHER"], 10)
    assert [one.name for one in found] == ["io.example/weather"]
    assert fake.asked == ["search=orchards&version=latest&limit=100"]


async def test_all_pages_are_read_as_far_as_they_are_wanted() -> None:
    fake = FakeRegistry([listed(named(f"io.example/one-{number}")) for number in range(7)], page=3)
    async with fake.serving():
        registry = OfficialRegistry(fake.url, fake.read)
        assert len(await registry.search([], 100)) == 7
        assert len(await registry.search([], 3)) == 3
    assert len(fake.asked) == 4


async def test_a_registry_whose_pages_never_end_is_left() -> None:
    fake = FakeRegistry([listed(named(f"io.example/one-{number}")) for number in range(50)], page=1)
    async with fake.serving():
        assert len(await OfficialRegistry(fake.url, fake.read).search([], 100)) == 3


async def test_what_is_deleted_or_malformed_is_not_found_and_takes_no_other_with_it() -> None:
    gone = listed(named("io.example/gone"), status="deleted")
    fake = FakeRegistry([gone, {"server": 7}, "odd", {"server": {}, "_meta": []}, listed(named("io.example/there"))])
    async with fake.serving():
        found = await OfficialRegistry(fake.url, fake.read).search([], 10)
    assert [one.name for one in found] == ["io.example/there"]


async def test_one_version_of_a_server_is_asked_for_with_its_name_as_one_part_of_the_address() -> None:
    fake = FakeRegistry([listed(WEATHER, status="deprecated", statusMessage="Take another")])
    async with fake.serving():
        registry = OfficialRegistry(fake.url, fake.read)
        offer = await registry.offer("io.example/weather", "1.4.0")
        assert offer is not None
        assert (offer.status, offer.status_words) == ("deprecated", "Take another")
        with pytest.raises(Refusal, match="status 404"):
            await registry.offer("io.example/weather", "9.9.9")
    assert fake.asked[0] == "/v0.1/servers/io.example%2Fweather/versions/1.4.0"


async def test_an_answer_about_another_server_than_was_asked_for_is_refused() -> None:
    async def another(_address: str) -> bytes:
        return json.dumps(listed(named("io.attacker/weather", version="1.4.0"))).encode()

    registry = OfficialRegistry("https://registry.example", another)
    with pytest.raises(Refusal, match=r"a different server than io\.example/weather 1\.4\.0"):
        await registry.offer("io.example/weather", "1.4.0")


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "7", '{"servers": 7}', '{"extensions": {}}', "[" * 100_000, '"\ud800"']
)
async def test_what_is_no_registry_is_told_so(tmp_path: Path, content: str) -> None:
    path = tmp_path / "registry.json"
    path.write_bytes(content.encode(errors="surrogatepass"))
    with pytest.raises(Refusal, match=r"registry|JSON"):
        await registry_at(str(path), nothing).search([], 10)


async def test_a_file_may_hold_one_server_many_or_extensions_of_azd(tmp_path: Path) -> None:
    for content, name in (
        (WEATHER, "io.example/weather"),
        ({"servers": [WEATHER]}, "io.example/weather"),
        (AZD, "example.bakery"),
    ):
        registry = registry_at(document(tmp_path, content), nothing)
        assert [one.name for one in await registry.search([], 10)] == [name]
        assert await registry.offer("io.example/nothing") is None


async def test_a_file_that_is_missing_or_too_large_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="cannot be read: No such file"):
        await registry_at(str(tmp_path / "nothing.json"), nothing).search([], 10)
    largest = json.dumps(WEATHER).ljust(8 * 1024 * 1024)
    assert await registry_at(document(tmp_path, largest), nothing).search([], 10)
    with pytest.raises(Refusal, match="larger than 8388608 bytes"):
        await registry_at(document(tmp_path, f"{largest} "), nothing).search([], 10)


def test_an_api_and_a_document_are_told_apart_by_their_places() -> None:
    for place, kind, name in (
        ("mcp+https://registry.example/", OfficialRegistry, "https://registry.example"),
        ("https://registry.example/all.json", DocumentRegistry, "https://registry.example/all.json"),
        ("all.json", DocumentRegistry, "all.json"),
    ):
        found = registry_at(place, nothing)
        assert (type(found), found.name) == (kind, name)


@pytest.mark.parametrize(
    "place",
    [
        "",
        "http://registry.example/all.json",
        "ftp://registry.example",
        "mcp+http://registry.example",
        "file:///etc/passwd",
    ],
)
def test_a_place_of_another_kind_is_refused(place: str) -> None:
    with pytest.raises(Refusal, match="A source of extensions must be"):
        registry_at(place, nothing)


async def test_a_registry_that_is_away_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    sources = ServerSources([registry_at(NOWHERE, nothing), registry_at(document(tmp_path, WEATHER), nothing)])
    found = await sources.search(["weather"], 10)
    assert [one.name for one in found.offers] == ["io.example/weather"]
    assert found.failed == {NOWHERE: "It is away."}


async def test_a_name_is_of_the_first_source_that_has_it_and_never_of_a_later_one_while_an_earlier_is_away(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    here, there = document(first, {"servers": []}), document(second, WEATHER)
    assert (
        await ServerSources([registry_at(here, nothing), registry_at(there, nothing)]).offer("io.example/weather")
    ).source == there
    away = ServerSources([registry_at(NOWHERE, nothing), registry_at(there, nothing)])
    with pytest.raises(Refusal, match="It is away"):
        await away.offer("io.example/weather")
    assert (await away.offer("io.example/weather", source=there)).source == there
    with pytest.raises(Refusal, match="not found"):
        await away.offer("io.example/weather", source="elsewhere")
    with pytest.raises(Refusal, match=r"'io.example/other' is not in any source\. Use search_extensions"):
        await ServerSources([registry_at(there, nothing)]).offer("io.example/other")


async def test_sources_take_turns_so_that_a_large_one_hides_no_small_one(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    large = document(tmp_path / "large", {"servers": [named(f"io.large/{number}") for number in range(20)]})
    small = document(tmp_path, {"servers": [named("io.small/one")]})
    found = await ServerSources([registry_at(large, nothing), registry_at(small, nothing)]).search([], 3)
    assert [one.name for one in found.offers] == ["io.large/0", "io.small/one", "io.large/1"]


class Counted:
    """A registry without servers, which counts its searches."""

    name = "counted"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def search(self, words: Any, _most: int) -> list[ServerOffer]:
        self.asked.append(" ".join(words))
        return []

    async def offer(self, _name: str, _version: str = "latest") -> ServerOffer | None:
        return None


async def test_the_last_fifty_searches_are_kept_for_a_while() -> None:
    registry, now = Counted(), [0.0]
    sources = ServerSources([registry], lambda: now[0])
    words = [f"w{number}" for number in range(51)]
    for word in [*words, words[50], words[1].upper(), words[0]]:
        await sources.search([word], 5)
    assert registry.asked == [*words, words[0]]
    await sources.search([words[0]], 6)
    assert len(registry.asked) == 53
    now[0] = SECONDS_KEPT - 0.5
    await sources.search([words[0]], 5)
    assert len(registry.asked) == 53
    now[0] = SECONDS_KEPT
    await sources.search([words[0]], 5)
    assert len(registry.asked) == 54
