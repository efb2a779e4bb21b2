"""Extensions of azd as servers: which of them, which version, for which machine, and how they are started."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from extensions.registries.azd import offers_of
from extensions.registries.machines import machine
from extensions.registries.offer import InstallInput, OfferedPackage, Origin, ServerOffer
from tests.extensions.registries.library import AZD, Json


def test_an_extension_of_azd_is_offered_for_this_kind_of_machine_only() -> None:
    (bakery,) = offers_of(AZD, "azd", "linux/amd64")
    assert bakery == ServerOffer(
        name="example.bakery",
        version="0.2.0",
        source="azd",
        title="Bakery",
        description="Bread as a service",
        packages=(
            OfferedPackage(
                origin=Origin.AZD,
                identifier="https://bakery.example/bakery-linux-amd64.tar.gz",
                version="0.2.0",
                digest="sha256:" + "ab" * 32,
                arguments=("serve",),
                variables=(InstallInput(name="OVEN", default="hot"),),
                program="example.bakery",
            ),
        ),
        needs=("azd >= 1.20.0", "example.oven ~1.0"),
    )
    (elsewhere,) = offers_of(AZD, "azd", "darwin/arm64")
    assert (elsewhere.packages, elsewhere.other_ways) == ((), ("for linux/amd64 only",))


def test_the_names_of_other_machines_are_cut() -> None:
    artifacts = {name: {"url": "https://a.example/a"} for name in ("a" * 60, "b" * 61)}
    version = {"version": "1", "capabilities": ["mcp-server"], "artifacts": artifacts}
    (offer,) = offers_of({"extensions": [{"id": "one", "versions": [version]}]}, "azd", "linux/amd64")
    assert offer.other_ways == (f"for {'a' * 60} only", f"for {'b' * 60} only")


def test_an_extension_of_azd_that_says_nothing_of_it_is_started_by_the_usual_words() -> None:
    version = {
        "version": "1",
        "capabilities": ["mcp-server"],
        "artifacts": {"linux/amd64": {"url": "https://a.example/a"}},
    }
    (offer,) = offers_of({"extensions": [{"id": "one", "versions": [version]}]}, "azd", "linux/amd64")
    assert offer.packages[0].arguments == ("mcp", "start")
    assert offer.packages[0].digest == ""


@pytest.mark.parametrize(
    "more",
    [
        lambda count: {"capabilities": ["mcp-server"] * count},
        lambda count: {"artifacts": {f"linux/{number}": {} for number in range(count)}},
        lambda count: {"dependencies": [{"id": "a"}] * count},
        lambda count: {"mcp": {"args": ["a"] * count}},
        lambda count: {"mcp": {"server": {"env": ["A=b"] * count}}},
    ],
)
def test_lists_of_an_extension_of_azd_have_up_to_100_entries(more: Callable[[int], Json]) -> None:
    version = {"version": "1", "capabilities": ["mcp-server"]}
    for size, offered in ((100, 1), (101, 0)):
        document = {"extensions": [{"id": "one", "versions": [{**version, **more(size)}]}]}
        assert len([*offers_of(document, "azd", "linux/amd64")]) == offered


@pytest.mark.parametrize(
    ("about", "offered"),
    [
        ({"versions": [{"version": "1", "capabilities": ["mcp-server"]}] * 1000}, 1),
        ({"versions": [{"version": "1", "capabilities": ["mcp-server"]}] * 1001}, 0),
        ({"id": "a" * 100}, 1),
        ({"id": "a" * 101}, 0),
    ],
)
def test_an_extension_of_azd_has_up_to_1000_versions_and_a_short_id(about: Json, offered: int) -> None:
    extension = {"id": "one", "versions": [{"version": "1", "capabilities": ["mcp-server"]}], **about}
    assert len([*offers_of({"extensions": [extension]}, "azd", "linux/amd64")]) == offered


@pytest.mark.parametrize(
    ("listed", "version", "found"),
    [
        (["1", "2", "3"], "", "3"),
        (["1", "2", "3"], "2", "2"),
        (["1", "2", 7], "", "2"),
        (["1", "2"], "3", None),
    ],
)
def test_the_newest_or_the_given_version_of_an_extension_of_azd_is_offered(
    listed: list[Any], version: str, found: str | None
) -> None:
    versions = [{"version": one, "capabilities": ["mcp-server"]} if one != 7 else one for one in listed]
    offers = offers_of({"extensions": [{"id": "one", "versions": versions}]}, "azd", "linux/amd64", version)
    assert next((one.version for one in offers), None) == found


@pytest.mark.parametrize(
    ("of_version", "of_artifact", "program"),
    [({"entryPoint": "all"}, {"entryPoint": "here"}, "here"), ({"entryPoint": "all"}, {}, "all"), ({}, {}, "one")],
)
def test_the_program_of_an_archive_is_the_one_of_this_machine_or_of_all_or_has_the_name(
    of_version: Json, of_artifact: Json, program: str
) -> None:
    artifact = {"url": "https://a.example/a.zip", **of_artifact}
    version = {"version": "1", "capabilities": ["mcp-server"], "artifacts": {"linux/amd64": artifact}, **of_version}
    (offer,) = offers_of({"extensions": [{"id": "one", "versions": [version]}]}, "azd", "linux/amd64")
    assert offer.packages[0].program == program


def test_a_machine_is_named_as_azd_names_it() -> None:
    assert machine().partition("/")[0] in {"linux", "darwin", "windows"}
