"""How azd finds and runs the hooks: with any Python since 3.9, in an environment of their own."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from pathspec import GitIgnoreSpec

from cannot_go_on import OLDEST_PYTHON
from tests.fakes.azd import Project, hooks_of
from tests.infra.deployed import INFRA
from tests.infra.hooks.bench import Bench

ROOT: Final = INFRA.parent
HOOKS: Final = INFRA / "hooks"
OLDEST: Final = "{}.{}".format(*OLDEST_PYTHON)
FILES: Final = sorted([*HOOKS.glob("*.py"), *HOOKS.glob("verification/*.py")])


def _entries() -> dict[str, Any]:
    return hooks_of(ROOT)


@cache
def _python(version: str) -> str | None:
    """An interpreter of this version, if this machine has one; a shim of pyenv is none."""
    found = shutil.which(f"python{version}")
    candidates = [
        *([found] if found else []),
        *map(str, (Path.home() / ".pyenv").glob(f"versions/{version}.*/bin/python")),
    ]
    works = (
        python
        for python in candidates
        if subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0
    )
    return next(works, None)


def _needed(version: str) -> str:
    python = _python(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    return python


def test_each_hook_is_one_file_with_a_list_of_steps() -> None:
    run = {Path(entry["run"]) for entry in _entries().values()}
    with_steps = {file.relative_to(ROOT) for file in FILES if "\nSTEPS = (" in file.read_text(encoding="utf-8")}
    assert run == with_steps
    assert len(run) == len(_entries())


def test_there_is_no_shell_in_the_folder_of_the_infrastructure() -> None:
    words = re.compile(r"powershell|pwsh|bash|/bin/sh|shell: |subprocess.*shell", re.IGNORECASE)
    files = [file for file in INFRA.rglob("*") if file.is_file() and ".venv" not in file.parts]
    assert not [file for file in files if file.suffix in {".sh", ".ps1", ".psm1", ".cmd", ".bat"}]
    assert not [file for file in files if words.search(file.read_text(encoding="utf-8", errors="replace"))]


def test_what_a_hook_tells_when_it_is_over_stays_on_the_screen() -> None:
    assert [name for name, entry in _entries().items() if not entry.get("interactive")] == []


def test_azd_is_one_that_runs_such_hooks_and_shows_what_they_say() -> None:
    required = yaml.safe_load((ROOT / "azure.yaml").read_text(encoding="utf-8"))["requiredVersions"]["azd"]
    assert required.startswith(">= ")
    assert _version(required.removeprefix(">= ")) >= (1, 25, 3)


def test_the_pipeline_has_an_azd_that_the_template_takes() -> None:
    required = yaml.safe_load((ROOT / "azure.yaml").read_text(encoding="utf-8"))["requiredVersions"]["azd"]
    workflow = (ROOT / ".github" / "workflows" / "azure-dev.yml").read_text(encoding="utf-8")
    installed = re.findall(r'Azure/setup-azd@.*\n +with:\n +version: "(.*)"', workflow)
    assert len(installed) == workflow.count("Azure/setup-azd@")
    assert min(map(_version, installed)) >= _version(required.removeprefix(">= "))


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_azd_installs_nothing_for_a_hook(project: Project) -> None:
    """Otherwise it would find the requirements.txt of the root, and install what the app needs."""
    for entry in _entries().values():
        assert project.project_file(project.folder / entry["run"]) == project.folder / "infra/hooks/requirements.txt"
    lines = (HOOKS / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == []


def test_the_environment_of_the_hooks_is_neither_kept_nor_sent() -> None:
    ignored = GitIgnoreSpec.from_lines((ROOT / ".gitignore").read_text(encoding="utf-8").splitlines())
    for entry in _entries().values():
        name = entry["config"]["virtualEnvName"]
        assert ignored.match_file(f"infra/hooks/{name}/bin/python")
    assert "infra/" in (ROOT / ".funcignore").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_hook_is_written_for_the_oldest_python_and_takes_nothing_but_it(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=OLDEST_PYTHON)
    nodes = list(ast.walk(tree))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    own = {other.relative_to(HOOKS).with_suffix("").parts[0] for other in FILES}
    assert {name.partition(".")[0] for name in named} <= own | sys.stdlib_module_names


def test_all_hooks_do_their_work_with_the_oldest_python(bench: Bench, tmp_path: Path) -> None:
    check_all_hooks(bench, Project.copied(_folder(tmp_path), _needed(OLDEST)).made_ready())


@pytest.mark.skipif("FUZZ_PACKAGES" not in os.environ, reason="FUZZ_PACKAGES is not set: pip takes seconds.")
def test_all_hooks_do_their_work_in_the_environment_that_azd_makes(bench: Bench, tmp_path: Path) -> None:
    check_all_hooks(bench, Project.copied(_folder(tmp_path), sys.executable))


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def check_all_hooks(bench: Bench, project: Project) -> None:
    bench.azure.provider = ["NotRegistered", "Registered"]
    own = replace(bench, project=project)
    told = [own.run(hook, SETTINGS_IN_VAULT="MCP_REQUEST_STATE_KEY,ADO_PAT", ADO_PAT="é") for hook in _entries()]
    assert [(done.returncode, done.stderr) for done in told] == [(0, "")] * len(_entries())
    assert bench.azure.secrets["ado-pat"] == "é"
    assert bench.azure.calls("POST", "/admin/functions")


@pytest.mark.parametrize("version", ["3.7", "3.8"])
@pytest.mark.parametrize("hook", _entries())
def test_an_older_python_is_told_in_words(version: str, hook: str) -> None:
    """azd takes these, so the first line that they run has to be one that they can read."""
    script = ROOT / _entries()[hook]["run"]
    done = subprocess.run([_needed(version), "-B", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f"The hooks of this template need Python {OLDEST} or newer, but azd found {version}:"
        " https://www.python.org/downloads\n"
    )
