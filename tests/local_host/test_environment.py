"""How the scripts come to what they need; offline, with packages and programs made here."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.local_host.borrowed import add_venv
from tests.sweeps import ALL
from tests.warm.scripts import WARM

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
ENTER = "import environment; environment.enter('requirements.txt'); import sys; print(sys.prefix)"

# Making a virtual environment takes seconds.
NIGHTLY = pytest.mark.skipif(not ALL, reason="FUZZ_SWEEPS is not set.")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the bootstrap, and without requirements or a virtual environment."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "environment.py", tmp_path / "scripts")
    (tmp_path / "requirements.txt").touch()
    return tmp_path


@pytest.fixture
def with_venv(project: Path) -> Path:
    add_venv(project)
    return project


def script(project: Path, code: str) -> list[str]:
    """The command that runs a script of the project, by a Python outside of its virtual environment."""
    (project / "scripts" / "probe").write_text(code)
    return [sys.executable, str(project / "scripts" / "probe")]


@pytest.fixture
def run(project: Path) -> Run:
    def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return WARM.run(script(project, code), env={**os.environ, **environment})

    return run


def wheel(project: Path, name: str) -> str:
    """A requirement of a package with one module, made on the spot."""
    file = project / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return f"{file}\n"


@pytest.mark.parametrize("name", ["environment.py", "commandline.py", "serve"])
def test_an_old_python_can_read_as_far_as_the_sentence_that_refuses_it(name: str) -> None:
    ast.parse((SCRIPTS / name).read_text(), feature_version=(3, 7))


def test_an_old_python_is_refused_in_a_sentence(run: Run) -> None:
    ended = run("import sys; sys.version_info = (3, 10, 4, 'final', 0); import environment")
    assert (ended.returncode, ended.stderr) == (1, "This script needs Python 3.11 or newer, but runs with 3.10.\n")


def test_a_script_goes_on_in_the_virtual_environment_with_its_arguments(with_venv: Path, run: Run) -> None:
    ended = run(ENTER + "; print(sys.argv)")
    assert ended.stdout == f"{with_venv}/.venv\n{[str(with_venv / 'scripts' / 'probe')]}\n"


def test_packages_are_installed_once_and_again_for_other_requirements_or_another_interpreter(
    with_venv: Path, run: Run
) -> None:
    more, configuration = with_venv / "more.txt", with_venv / ".venv" / "pyvenv.cfg"
    (with_venv / "requirements.txt").write_text("-r more.txt\n")
    more.write_text(wheel(with_venv, "one"))
    assert "Installing" in run(f"{ENTER}; import one").stderr
    assert run(f"{ENTER}; import one").stderr == ""
    more.write_text(wheel(with_venv, "two"))
    assert "Installing" in run(f"{ENTER}; import one, two").stderr
    configuration.write_text(configuration.read_text().replace("version = 3.", "version = 3.9"))
    ended = run(f"{ENTER}; import one, two")
    assert "Installing" in ended.stderr
    assert ended.returncode == 0


def test_a_failed_installation_is_told_and_tried_again(with_venv: Path, run: Run) -> None:
    (with_venv / "requirements.txt").write_text(f"{with_venv}/missing-1.0-py3-none-any.whl\n")
    ended = run(ENTER)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.endswith("pip failed: is the package index reachable?\n")
    wheel(with_venv, "missing")
    assert run(f"{ENTER}; import missing").returncode == 0


@pytest.mark.parametrize("during", ["Installing", pytest.param("Making", marks=NIGHTLY)])
def test_a_first_start_that_is_killed_is_made_good_once_by_two_at_once(project: Path, during: str) -> None:
    if during == "Installing":
        add_venv(project)
    command = script(project, ENTER)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as killed:
        assert killed.stderr
        assert during in killed.stderr.readline()
        os.killpg(killed.pid, signal.SIGKILL)
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ended = [process.communicate() for process in both]
    assert [stdout for stdout, _ in ended] == [f"{project}/.venv\n"] * 2
    assert sorted("Installing" in stderr for _, stderr in ended) == [False, True]


NODE = """
import environment, os, subprocess
os.environ.update(environment.node({}))
print(subprocess.getoutput("node -v"))
"""


def program(folder: Path, name: str, *lines: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\n".join(["#!/bin/sh", *lines]))
    (folder / name).chmod(0o755)


def npm(folder: Path, *before: str) -> None:
    """A program that installs a node of the version it is asked for, where it is asked to."""
    program(
        folder,
        "npm",
        *before,
        'for last; do :; done; bin="$3/node_modules/node/bin"; mkdir -p "$bin"',
        'printf \'#!/bin/sh\\necho v%s.0.0\\n\' "${last#node@}" > "$bin/node"; chmod +x "$bin/node"',
    )


@pytest.fixture
def programs(project: Path) -> Path:
    """The only folder on the PATH beside that of the shell's own programs."""
    folder = project / "programs"
    for name in ("sh", "mkdir", "chmod"):
        program(folder, name, f'exec {shutil.which(name)} "$@"')
    return folder


def test_a_node_that_is_new_enough_is_taken(programs: Path, run: Run) -> None:
    program(programs, "node", "echo v20.1.0")
    ended = run(NODE.format(20), PATH=str(programs))
    assert (ended.stdout, ended.stderr) == ("v20.1.0\n", "")


def test_a_newer_node_is_installed_once(programs: Path, run: Run) -> None:
    program(programs, "node", "echo v20.1.0")
    npm(programs)
    first, second = run(NODE.format(22), PATH=str(programs)), run(NODE.format(22), PATH=str(programs))
    assert (first.stdout, second.stdout) == ("v22.0.0\n", "v22.0.0\n")
    assert first.stderr.startswith("Installing node 22 into ")
    assert second.stderr == ""


def test_without_node_and_npm_a_sentence_says_what_to_get(programs: Path, run: Run) -> None:
    ended = run(NODE.format(20), PATH=str(programs))
    assert (ended.returncode, ended.stderr) == (
        1,
        "node 20 is required, but npm is missing. Install Node.js from https://nodejs.org.\n",
    )


def test_an_npm_that_fails_is_told_and_tried_again(programs: Path, run: Run) -> None:
    npm(programs, "echo no such host; exit 1")
    ended = run(NODE.format(20), PATH=str(programs))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.endswith("no such host\nnpm failed: is its registry reachable?\n")
    npm(programs)
    assert run(NODE.format(20), PATH=str(programs)).stdout == "v20.0.0\n"
