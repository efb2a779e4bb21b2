"""How the scripts read their arguments, and how they end when they cannot go on."""

from __future__ import annotations

import ast
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sweeps import Sweep
from tests.warm.scripts import WARM

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix)
WORK = "import commandline, environment\n{}\ncommandline.run(main)\n"
# As in a terminal; what a shell has started in the background is deaf to Ctrl-C.
WAIT = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
def main():
    print("at work", flush=True)
    signal.pause()
"""
INSTALL = "def main():\n    environment.enter('requirements.txt')"


def ended(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return WARM.run([sys.executable, script, *arguments], cwd=script.parent)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with what scripts share, and without requirements or a virtual environment."""
    (tmp_path / "scripts").mkdir()
    for name in ("commandline.py", "environment.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / "requirements.txt").touch()
    return tmp_path


def script(project: Path, main: str) -> Path:
    path = project / "scripts" / "probe"
    path.write_text(WORK.format(main))
    return path


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_that_is_asked_for_help_says_what_it_does(path: Path) -> None:
    helped = ended(path, "--help")
    about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert about
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith(f"usage: scripts/{path.name} [-h]")
    assert " ".join(about.split()) in " ".join(helped.stdout.split())


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_refuses_an_argument_that_it_does_not_know(path: Path) -> None:
    refused = ended(path, "--nonsense")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.endswith(f"scripts/{path.name}: error: unrecognized arguments: --nonsense\n")


def collected(*arguments: str) -> set[str]:
    """The files in which `scripts/test` finds tests."""
    listed = ended(ROOT / "scripts" / "test", *arguments, "--collect-only", "-q", "-p", "no:hypothesispytest")
    assert listed.returncode == 0, listed.stdout + listed.stderr
    return {line.partition("::")[0] for line in listed.stdout.splitlines() if "::" in line}


@Sweep(
    "narrowed",
    [
        ["-x", "tests/text", "--ignore", "tests/text/test_editing.py", "--ignore", "tests/text/test_sections.py"],
        ["tests/text/test_markdown.py"],
        ["tests/text/test_markdown.py", "--ignore", "tests/firewall"],
    ],
    every=3,
)
def test_a_file_or_folder_narrows_a_part(narrowed: list[str]) -> None:
    assert collected("unit", *narrowed) == {"tests/text/test_markdown.py"}


def test_the_value_of_an_option_does_not_narrow_a_part() -> None:
    assert len(collected("package", "--ignore", "tests/text", "-k", "tests")) == 1


def test_ctrl_c_ends_a_script_in_a_line(project: Path) -> None:
    with subprocess.Popen(
        [sys.executable, script(project, WAIT)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1] == "Stopped.\n"
    assert process.returncode == 130


def test_a_checkout_that_cannot_be_written_is_told_in_a_line(project: Path) -> None:
    (project / ".local").symlink_to("/sys")  # where not even root may make a file
    refused = ended(script(project, INSTALL))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"{project}/.local/installing.lock is not writable (Permission denied). Scripts store their files in"
        f" {project}, so this folder must be writable.\n"
    )


def test_any_other_failure_of_a_script_is_shown_whole(project: Path) -> None:
    failed = ended(script(project, "def main():\n    open('no such file')"))
    assert failed.returncode == 1
    assert "Traceback" in failed.stderr
