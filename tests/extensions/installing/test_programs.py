"""Which program of an installed package is started."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from extensions.installing.npm import Npm
from extensions.installing.package import PackagedServer, package_in
from extensions.installing.pypi import PyPi
from refusal import Refusal

WITHOUT_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed.")


def npm_started(folder: Path, name: str, bin_: Any, program: str = "") -> Path:
    home = folder / "node_modules" / name
    home.mkdir(parents=True, exist_ok=True)
    (home / "package.json").write_text(json.dumps({"name": name, "bin": bin_}), encoding="utf-8")
    for script in ("one.js", "two.js"):
        (home / script).touch()
    (folder / "outside.js").touch()
    server = PackagedServer(package=package_in(f"npm:{name}@1.0.0"), program=program, arguments=("--fast",))
    command = Npm().command(server, folder)
    assert command.words[2:] == ("--fast",)
    return Path(command.words[1]).relative_to(home)


@WITHOUT_NODE
@pytest.mark.parametrize(
    ("name", "bin_", "program", "script"),
    [
        ("docs", "one.js", "", "one.js"),
        ("@example/docs", "one.js", "", "one.js"),
        ("docs", {"other": "two.js"}, "", "two.js"),
        ("docs", {"docs": "one.js", "other": "two.js"}, "", "one.js"),
        ("@example/docs", {"docs": "one.js", "other": "two.js"}, "", "one.js"),
        ("@example/docs", {"docs": "one.js", "other": "two.js"}, "other", "two.js"),
    ],
)
def test_a_program_of_npm_is_named_or_the_only_one_or_named_like_its_package(
    tmp_path: Path, name: str, bin_: Any, program: str, script: str
) -> None:
    assert npm_started(tmp_path, name, bin_, program) == Path(script)


@WITHOUT_NODE
@pytest.mark.parametrize(
    ("bin_", "program", "listed"),
    [
        ({}, "", "none"),
        ({"a": "one.js", "b": "two.js"}, "", "a, b"),
        ({"docs": "one.js"}, "other", "docs"),
        ({"docs": "absent.js"}, "", "docs"),
        ({"docs": "../../../outside.js"}, "", "docs"),
    ],
)
def test_without_such_a_program_of_npm_all_are_listed(tmp_path: Path, bin_: Any, program: str, listed: str) -> None:
    with pytest.raises(Refusal, match=f"Its programs are: {listed}\\.$"):
        npm_started(tmp_path / "inner", "docs", bin_, program)


def pypi_started(folder: Path, entry_points: str, program: str = "") -> tuple[str, ...]:
    about = folder / "site" / "example_docs-1.0.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: example-docs\nVersion: 1.0.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    server = PackagedServer(package=package_in("pypi:example-docs==1.0.0"), program=program, arguments=("--fast",))
    return tuple(PyPi().command(server, folder).words[-3:])


@pytest.mark.parametrize(
    ("entry_points", "program", "words"),
    [
        ("[console_scripts]\nother = a.b:main", "", ("a.b", "main", "--fast")),
        ("[console_scripts]\nother = a:main\nexample-docs = b:c.d", "", ("b", "c.d", "--fast")),
        ("[console_scripts]\nother = a:main\nexample-docs = b:c", "other", ("a", "main", "--fast")),
        ("[console_scripts]\nother = a:main [extra]", "", ("a", "main", "--fast")),
    ],
)
def test_a_program_of_pypi_is_named_or_the_only_one_or_named_like_its_package(
    tmp_path: Path, entry_points: str, program: str, words: tuple[str, ...]
) -> None:
    assert pypi_started(tmp_path, entry_points, program) == words


@pytest.mark.parametrize("entry_points", ["no section", "[console_scripts]\na = a:b\na = a:b", "\udcff"])
def test_programs_of_pypi_that_cannot_be_read_are_none(tmp_path: Path, entry_points: str) -> None:
    about = tmp_path / "site" / "example_docs-1.0.0.dist-info"
    about.mkdir(parents=True)
    (about / "entry_points.txt").write_text(entry_points, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(Refusal, match=r"example-docs==1\.0\.0 declares no programs"):
        PyPi().command(PackagedServer(package=package_in("pypi:example-docs==1.0.0")), tmp_path)


@pytest.mark.parametrize(
    ("entry_points", "program", "listed"),
    [
        ("", "", "none"),
        ("[console_scripts]\na = a:b\nb = a:b", "", "a, b"),
        ("[console_scripts]\na = a:b", "b", "a"),
        ("[console_scripts]\na = a", "", "a"),
        ("[gui_scripts]\na = a:b", "", "none"),
    ],
)
def test_without_such_a_program_of_pypi_all_are_listed(
    tmp_path: Path, entry_points: str, program: str, listed: str
) -> None:
    with pytest.raises(Refusal, match=f"Its programs are: {listed}\\.$"):
        pypi_started(tmp_path, entry_points, program)
