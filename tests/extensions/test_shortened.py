"""Names and texts of others are shortened in messages and schemas, so that they cannot fill a model's context."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from extensions.checking import problems_with
from extensions.install_options import filled
from extensions.installing.archives import check_archive
from extensions.installing.npm import Npm
from extensions.installing.package import PackagedServer, constrained, package_in
from extensions.installing.pypi import PyPi
from extensions.installing.unpacking import NotUnpackedError, parts_of
from extensions.registries.offer import InstallInput, OfferedPackage, Origin
from extensions.registries.server_json import offer_of
from extensions.registries.sources import ServerSources
from extensions.sanitizing import schema_of
from extensions.upstream.failures import AnsweredError
from refusal import Refusal
from tests.extensions.registries.library import WEATHER

LONG: Final = "x" * 5000


def archive(program: str = "run", variable: str = "A") -> None:
    offered = OfferedPackage(
        origin=Origin.AZD,
        identifier="https://example.com/a.zip",
        version="1",
        digest="sha256:a",
        program=program,
        variables=(InstallInput(name=variable),),
    )
    check_archive(offered)


def pypi_program(folder: Path) -> None:
    PyPi().command(PackagedServer(package=package_in("pypi:docs==1"), program=LONG), folder)


def npm_program(folder: Path) -> None:
    home = folder / "node_modules" / "docs"
    home.mkdir(parents=True)
    (home / "package.json").write_text(json.dumps({"bin": {"docs": "run.js"}}), encoding="utf-8")
    Npm().command(PackagedServer(package=package_in("npm:docs@1.0.0"), program=LONG), folder)


def npm_place(_folder: Path) -> None:
    lock = {"packages": {LONG: {"version": "1.0.0"}}}
    Npm().lock(package_in("npm:docs@1.0.0"), json.dumps(lock).encode())


@pytest.mark.parametrize(
    ("refused", "longest"),
    [
        (lambda _: filled(["{a}"], [f"{LONG}=!"]), 100),
        (lambda _: filled([f"{{{LONG}}}"], []), 100),
        (lambda _: filled([], [f"{LONG}=a"]), 100),
        (lambda _: package_in(LONG), 200),
        (lambda _: constrained(package_in("pypi:docs==1"), [LONG]), 100),
        (lambda _: archive(program=f"/{LONG}"), 99),
        (lambda _: archive(variable=f"-{LONG}"), 99),
        (pypi_program, 100),
        (npm_program, 100),
        (npm_place, 200),
        (lambda _: parts_of(f"/{LONG}"), 99),
    ],
)
def test_a_refusal_repeats_the_beginning_of_a_long_name(
    tmp_path: Path, refused: Callable[[Path], object], longest: int
) -> None:
    with pytest.raises((Refusal, NotUnpackedError)) as caught:
        refused(tmp_path)
    assert longest_run(str(caught.value)) == longest


async def test_a_source_repeats_the_beginning_of_a_long_name(tmp_path: Path) -> None:
    (tmp_path / "servers.json").write_text('{"servers": []}', encoding="utf-8")
    sources = ServerSources.at(["servers.json"], tmp_path)
    with pytest.raises(Refusal) as unconfigured:
        await ServerSources([]).offer(LONG)
    with pytest.raises(Refusal) as unknown:
        await sources.offer("docs", source=LONG)
    with pytest.raises(Refusal) as absent:
        await sources.offer(LONG)
    with pytest.raises(Refusal) as outdated:
        await sources.offer("docs", LONG)
    lengths = [longest_run(str(caught.value)) for caught in (unconfigured, unknown, absent, outdated)]
    assert lengths == [200, 100, 200, 100]


def longest_run(text: str) -> int:
    return max(map(len, re.findall("x+", text)), default=0)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"enum": [LONG]}, f"a: must be one of {'x' * 60}."),
        ({"const": LONG}, f"a: must be {'x' * 60}."),
        ({"const": int("2" * 90)}, f"a: must be {'2' * 60}."),
        ({"type": ["null"] * 20}, f"a: must be {' or '.join(['null'] * 8)}."),
        ({"enum": ["b"] * 30}, f"a: must be one of {', '.join(['b'] * 20)}."),
        ({"const": [LONG]}, "a: must be a list."),
        ({"const": {"b": LONG}}, "a: must be an object."),
    ],
    ids=str,
)
def test_a_problem_repeats_the_beginning_of_what_a_schema_says(schema: Any, said: str) -> None:
    assert problems_with({"a": 1}, {"properties": {"a": schema}}) == [said]


def test_a_problem_repeats_the_beginning_of_a_long_parameter_name() -> None:
    assert problems_with({LONG: 1}, {"properties": {LONG: False}}) == [f"{'x' * 200}: is not allowed."]
    assert problems_with({}, {"required": [LONG]}) == [f"{'x' * 200}: is required."]


def test_names_in_a_schema_have_up_to_200_characters_and_texts_1000() -> None:
    said = {"type": "object", "properties": {"a": {"y" * 200: 1, "x" * 201: "x" * 1001}}}
    assert schema_of({"inputSchema": said})["properties"]["a"] == {"y" * 200: 1, f"{'x' * 200} …": f"{'x' * 1000} …"}


def test_an_error_repeats_the_beginning_of_its_code_and_message() -> None:
    error = AnsweredError("It", {"code": LONG, "message": "y" * 5000})
    assert str(error) == f"It answered with an error ({'x' * 20}): '{'y' * 2000} …'"
    fitting = AnsweredError("It", {"code": 7, "message": "y" * 2000})
    assert str(fitting) == f"It answered with an error (7): '{'y' * 2000}'"


def test_the_name_of_a_variable_in_an_offer_has_up_to_100_characters() -> None:
    remote = {**WEATHER["remotes"][0], "variables": {LONG: {}}}
    (made,) = offer_of({**WEATHER, "remotes": [remote]}, "docs").remotes
    assert [one.name for one in made.wants] == ["x" * 100]
