"""The app is sent compiled for the Python that runs it, where the operator has that."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import before_packaging
from scripts import packaging
from tests.infra.deployed import INFRA

ROOT: Final = INFRA.parent
TAG: Final = f"cpython-{before_packaging.PYTHON.replace('.', '')}"


@pytest.fixture
def deployed() -> list[str]:
    command = before_packaging.deployed_python() or [packaging.deployed_python()]
    version = subprocess.run([*command, "-V"], capture_output=True, text=True, check=True).stdout
    if f" {before_packaging.PYTHON}." not in version:
        pytest.skip(f"there is no Python {before_packaging.PYTHON} on this machine")
    return command


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """An app with code that is sent and code that is not."""
    shutil.copy(ROOT / ".funcignore", tmp_path)
    for name in ("function_app.py", "tools/deep/one.py", "tests/two.py", "infra/hooks/three.py", ".venv/four.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("WORDS = 'as it was'\n", encoding="utf-8")
    return tmp_path


def sent(app: Path) -> set[str]:
    return {file.as_posix() for file in packaging.sent_files(app)}


def said(app: Path, command: list[str]) -> str:
    """What a module of the app says when it is imported."""
    told = [*command, "-B", "-c", "from tools.deep import one; print(one.WORDS)"]
    return subprocess.run(told, cwd=app, capture_output=True, text=True, check=True).stdout.strip()


def test_the_version_is_that_of_the_template() -> None:
    template = (INFRA / "modules" / "app.bicep").read_text(encoding="utf-8")
    assert re.findall(r"name: 'python'\s+version: '([\d.]+)'", template) == [before_packaging.PYTHON]
    assert before_packaging.PYTHON == packaging.DEPLOYED_PYTHON
    assert f"!*.{TAG}.pyc" in (ROOT / ".funcignore").read_text(encoding="utf-8").splitlines()


def test_what_is_sent_is_compiled_and_nothing_else(app: Path, deployed: list[str]) -> None:
    assert before_packaging.is_compiled(app, deployed)
    compiled = {f"__pycache__/function_app.{TAG}.pyc", f"tools/deep/__pycache__/one.{TAG}.pyc"}
    assert {path.relative_to(app).as_posix() for path in app.rglob("*.pyc")} == compiled
    assert sent(app) == {"function_app.py", "tools/deep/one.py", *compiled}


def test_bytecode_of_other_versions_is_not_sent(app: Path) -> None:
    for name in ("one.cpython-311.pyc", f"one.{TAG}.opt-1.pyc", "one.pyo", "one.pyc"):
        (app / "tools/deep" / name).write_bytes(b"")
    assert sent(app) == {"function_app.py", "tools/deep/one.py"}


def test_it_is_used_wherever_and_whenever_it_is_unpacked(app: Path, deployed: list[str], tmp_path: Path) -> None:
    """Files have other times there, by which Python would otherwise tell that bytecode is old."""
    assert before_packaging.is_compiled(app, deployed)
    bytecode = app / "tools/deep/__pycache__" / f"one.{TAG}.pyc"
    changed = bytecode.read_bytes().replace(b"as it was", b"bytecode!")
    assert changed != bytecode.read_bytes()
    bytecode.write_bytes(changed)
    elsewhere = tmp_path / "elsewhere"
    for file in list(packaging.sent_files(app)):
        (elsewhere / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(app / file, elsewhere / file)
    assert said(elsewhere, deployed) == "bytecode!"


def test_a_file_that_is_edited_afterwards_is_run_as_it_is(app: Path, deployed: list[str]) -> None:
    assert before_packaging.is_compiled(app, deployed)
    (app / "tools/deep/one.py").write_text("WORDS = 'edited'\n", encoding="utf-8")
    assert said(app, deployed) == "edited"


def test_what_was_compiled_before_is_compiled_again(app: Path, deployed: list[str]) -> None:
    """What Python itself compiled is told to be old by times, which change on the way."""
    subprocess.run([*deployed, "-m", "compileall", "-q", "tools"], cwd=app, check=True)
    bytecode = app / "tools/deep/__pycache__" / f"one.{TAG}.pyc"
    before = bytecode.read_bytes()
    assert before_packaging.is_compiled(app, deployed)
    # Whether it is checked by a hash, and is before it is used.
    assert (before[4], bytecode.read_bytes()[4]) == (0, 3)


def test_code_that_cannot_be_compiled_is_told_of(app: Path, deployed: list[str]) -> None:
    (app / "function_app.py").write_text("def", encoding="utf-8")
    assert not before_packaging.is_compiled(app, deployed)


def test_without_that_version_the_app_is_sent_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(before_packaging, "PYTHON", "2.1")
    assert before_packaging.deployed_python() == []
    before_packaging.compile_the_app(None)  # type: ignore[arg-type]
    assert capsys.readouterr().out == (
        "Python 2.1 was not found, so the app is sent uncompiled and takes longer to start. For a faster start, install"
        " Python 2.1 and run 'azd deploy' again.\n"
    )


def test_this_python_is_taken_if_it_is_that_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(before_packaging, "PYTHON", "{}.{}".format(*sys.version_info))
    assert before_packaging.deployed_python() == [sys.executable]
