"""Which Python the checks run on, and where it is found; with programs that only say that they are Pythons."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.local_host.borrowed import add_venv
from tests.warm.scripts import WARM

ROOT = Path(__file__).parent.parent.parent
TEMPLATE = Path("infra", "modules", "app.bicep")
FIND = "import pythons; print(pythons.find((3, 99)))"


def program(path: Path, says: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with scripts, without requirements, that deploys a Python which no machine has."""
    (tmp_path / "scripts").mkdir()
    for name in ("commandline.py", "environment.py", "pythons.py", "test"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / TEMPLATE).parent.mkdir(parents=True)
    (tmp_path / TEMPLATE).write_text("runtime: {\n  name: 'python'\n  version: '3.99'\n}\n")
    (tmp_path / "requirements-dev.txt").touch()
    (tmp_path / "tests").mkdir()
    return tmp_path


def run(project: Path, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (project / "scripts" / "probe").write_text(code)
    return WARM.run([sys.executable, project / "scripts" / "probe"], env={**os.environ, **variables})


def test_the_checks_run_on_the_version_that_the_template_deploys(project: Path) -> None:
    shutil.copy(ROOT / TEMPLATE, project / TEMPLATE)
    deployed = run(project, "import pythons; print(*pythons.deployed(), *pythons.older((3, 11)))").stdout
    assert deployed == "3 13 (3, 11) (3, 12)\n"
    assert "version: '3.13'" in (ROOT / TEMPLATE).read_text()


def test_a_python_on_the_path_is_found(project: Path) -> None:
    program(project / "bin" / "python3.99", f"echo 3 99 {project}/python")
    assert run(project, FIND, PATH=str(project / "bin")).stdout == f"{project}/python\n"


@pytest.mark.parametrize("home", ["", "/nonexistent"])
def test_where_a_shim_does_not_start_the_newest_version_of_pyenv_is_taken(project: Path, home: str) -> None:
    program(project / "shims" / "python3.99", "echo 'pyenv: python3.99: command not found' >&2; exit 127")
    for version in ("3.99.2", "3.99.10", "3.98.1"):
        program(project / "versions" / version / "bin" / "python", f"echo 3 99 {version}")
    assert run(project, FIND, PATH=str(project / "shims"), HOME=home).stdout == "3.99.10\n"


def test_uv_is_asked_too(project: Path) -> None:
    program(project / "managed" / "python", f"echo 3 99 {project}/managed/python")
    program(project / "bin" / "uv", f'[ "$*" = "python find --system 3.99" ] && echo {project}/managed/python')
    assert run(project, FIND, PATH=str(project / "bin")).stdout == f"{project}/managed/python\n"


@pytest.mark.parametrize("says", ["echo 3 98 old", "exit 1", "echo nonsense", "echo"])
def test_a_python_of_another_version_or_without_environments_is_not_taken(project: Path, says: str) -> None:
    program(project / "bin" / "python3.99", says)
    assert run(project, FIND, PATH=str(project / "bin")).stdout == "None\n"


def test_without_the_deployed_version_the_checks_run_on_the_one_that_was_started_and_say_so(project: Path) -> None:
    add_venv(project)
    shutil.copy(ROOT / "ruff.toml", project)
    python = Path(sys.base_prefix, "bin", "python3")
    ended = subprocess.run(
        [python, project / "scripts" / "test", "format"], capture_output=True, text=True, check=False
    )
    assert ended.stderr.splitlines()[:2] == [
        "Python 3.99, which the template deploys, is not installed.",
        "The checks run on Python {}.{} instead.".format(*sys.version_info),
    ]
    assert ended.stderr.count("instead") == 1
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_another_version_than_that_of_the_project_has_an_environment_of_its_own(project: Path) -> None:
    """It has been made before: to make one takes seconds."""
    add_venv(project)
    add_venv(project, ".local/python{}.{}".format(*sys.version_info))
    configuration = project / ".venv" / "pyvenv.cfg"
    configuration.write_text(re.sub(r"(version\w* = )[\d.]+", r"\g<1>3.8.1", configuration.read_text()))
    enter = f"environment.enter('requirements-dev.txt', {sys.executable!r}, {tuple(sys.version_info[:2])})"
    ended = run(
        project, f"import environment, sys; {enter}; environment.enter('requirements-dev.txt'); print(sys.prefix)"
    )
    assert ended.stdout == "{}/.local/python{}.{}\n".format(project, *sys.version_info)
