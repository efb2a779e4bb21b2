"""Bicep's own compiler judges the check: what it says of planted mistakes, and what it emits."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pytest

from bicep_checker import carry_types, emitted
from bicep_checker.check import check
from bicep_checker.findings import Problem
from bicep_checker.known import said
from bicep_checker.reached import Place
from bicep_checker.resource_types import ResourceTypes
from bicep_checker.subject import Files
from tests.infra import kql
from tests.infra.deployed import INFRA

DATA: Final = Path(os.environ.get("AZURE_TEAM_MCP_TEST_DATA", INFRA.parents[1] / "shared" / "data"))
COMPILED: Final = DATA / "bicep-compiled"
TYPES: Final = DATA / "bicep-types"
EXAMPLES: Final = DATA.parent / "design" / "bicep-examples"
COMMIT: Final = "63f4def"  # of the templates that were compiled
# What the compiler said of these files is older than a rule of ours.
OWN: Final = "stays-on"
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "nothing": {},
    "everything": {
        "alertEmail": "team@example.com",
        "alwaysReadyInstances": 2,
        "appServiceAuthEnabled": True,
        "customDomain": "mcp.example.com",
        "entraAppEnabled": True,
        "ownSettingsInVault": "ADO_PAT,OTHER",
        "preAuthorizedClients": "one, two",
        "principalId": "somebody",
        "settings": {"ADO_ORG_URL": "https://dev.azure.com/team", "LOG_LEVEL": ""},
        "vnetDnsServers": "10.0.0.4,10.0.0.5",
        "vnetEnabled": True,
    },
    "sign-in by the app itself": {
        "entraAppEnabled": True,
        "principalId": "somebody",
        "principalType": "ServicePrincipal",
    },
}
pytestmark = pytest.mark.skipif(not COMPILED.is_dir(), reason=f"what the compiler said is not here: {COMPILED}")


@pytest.fixture(scope="module")
def infra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The templates of the commit."""
    folder = tmp_path_factory.mktemp("compiled")
    packed = subprocess.run(["git", "archive", COMMIT, "infra"], cwd=INFRA.parent, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip(f"the history of this clone does not reach back to {COMMIT}")
    subprocess.run(["tar", "x", "-C", folder], input=packed.stdout, check=True)
    return folder


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not EXAMPLES.is_dir():
        pytest.skip(f"the examples are not here: {EXAMPLES}")
    folder = tmp_path_factory.mktemp("examples") / "files"
    return Path(shutil.copytree(EXAMPLES, folder, copy_function=shutil.copyfile))


Check = Callable[[Path], Collection[Problem]]


def _told(mistake: Mapping[str, Any], folder: Path, main: Path, check: Check, before: Check) -> set[Problem]:
    """What is told of a mistake, and not of the files as they were."""
    unchanged = before(main)
    path = folder / mistake["file"]
    text = path.read_text(encoding="utf-8")
    assert mistake["from"] in text
    path.write_text(text.replace(mistake["from"], mistake["to"], 1), encoding="utf-8")
    try:
        return set(check(main)) - set(unchanged)
    finally:
        path.write_text(text, encoding="utf-8")


def _missing(mistake: Mapping[str, Any], told: set[Problem]) -> set[tuple[str, str, str]]:
    """What the compiler says and the check does not: file, code and level."""
    said_by_us = {(problem.file, problem.code, problem.level) for problem in told}
    return {(Path(one["file"]).name, one["code"], one["level"]) for one in mistake["bicep"]["found"]} - said_by_us


def _mistakes(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_mistakes_in_the_templates_are_told_as_the_compiler_tells_them(
    infra: Path, resource_types: ResourceTypes
) -> None:
    wrong: dict[str, object] = {}
    checked = partial(check, types=resource_types)
    before = cache(checked)
    for mistake in _mistakes(COMPILED / "mistakes.json"):
        if mistake["file"].endswith(".kql"):
            assert kql.problems({"changed": mistake["to"]})["changed"]
            continue
        told = _told(mistake, infra, infra / "infra" / "main.bicep", checked, before)
        if not told or _missing(mistake, told):
            wrong[mistake["mistake"]] = _missing(mistake, told) or "nothing is told"
    assert wrong == {}


def test_the_one_warning_of_the_compiler_is_told(infra: Path, resource_types: ResourceTypes) -> None:
    (problem,) = (one for one in check(infra / "infra" / "main.bicep", resource_types) if one.code != OWN)
    assert (problem.file, problem.line, problem.code) == ("network.bicep", 93, "use-resource-id-functions")


def test_nothing_is_told_of_what_compiles_without_a_remark(examples: Path, resource_types: ResourceTypes) -> None:
    files = sorted(examples.glob("*.bicep"))
    assert files
    assert {path.name: told for path in files if (told := check(path, resource_types))} == {}


def test_mistakes_in_the_examples_are_told_where_the_compiler_tells_them(
    examples: Path, resource_types: ResourceTypes
) -> None:
    wrong: dict[int, object] = {}
    checked = partial(check, types=resource_types)
    before = cache(checked)
    for mistake in _mistakes(EXAMPLES / "mistakes.json"):
        told = _told(mistake, examples, examples / mistake["compiled"], checked, before)
        if not told or _missing(mistake, told):
            wrong[mistake["n"]] = _missing(mistake, told) or "nothing is told"
    assert wrong == {}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_resources_come_out_as_the_compiler_emits_them(options: Mapping[str, Any], infra: Path) -> None:
    root, compiled = _both(options, infra)
    mine = emitted.of_bicep([thing for _, thing in root.everything() if not thing.existing and thing.condition])
    its = dict(compiled.resources())
    assert len(its) > 30
    assert {key: emitted.plain(value) for key, value in mine.items()} == {
        key: emitted.plain(value) for key, value in its.items()
    }


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_outputs_come_out_as_the_compiler_emits_them(options: Mapping[str, Any], infra: Path) -> None:
    root, compiled = _both(options, infra)
    values = {
        name: root.partly.of(found.value) for name, found in root.template.of_kind("output").items() if found.value
    }
    assert emitted.plain(values) == emitted.plain(compiled.outputs())


def test_modules_depend_on_each_other_as_the_compiler_says(infra: Path) -> None:
    root, compiled = _both({}, infra)
    modules = root.template.of_kind("module")
    mine = {name: root.template.depends_on(declared) & modules.keys() for name, declared in modules.items()}
    assert mine == compiled.dependencies()


@pytest.mark.skipif(not TYPES.is_dir(), reason=f"the type libraries are not here: {TYPES}")
def test_the_types_carried_are_those_of_the_libraries() -> None:
    for name, packed in carry_types.carry(TYPES).items():
        mine = gzip.decompress((carry_types.CARRIED / name).read_bytes())
        assert mine == gzip.decompress(packed), "run python -m bicep_checker.carry_types"


def _both(options: Mapping[str, Any], infra: Path) -> tuple[Place, emitted.Template]:
    """The templates with these options, as the check computes them and as the compiler emits them."""
    content = json.loads((COMPILED / "main-63f4def.json").read_text(encoding="utf-8"))
    defaults = {name: entry.get("defaultValue") for name, entry in content["parameters"].items()}
    parameters = {**defaults, "environmentName": "team", "location": "westeurope", **options}
    main = (infra / "infra" / "main.bicep").resolve()
    files = Files.of(main)
    root = Place(files.read[main], files, parameters, lambda *told: pytest.fail(str(told)))
    identities = {said(thing.id): thing.identity for _, thing in root.everything() if not thing.existing}
    return root, emitted.Template(content, parameters, identities)
