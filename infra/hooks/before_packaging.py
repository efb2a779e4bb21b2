"""Compiles the app's own code before the deployment.

Azure compiles only installed packages, and the deployed app cannot store bytecode of its own code.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

from hook import Deployment, run

# The Python version that runs the app. Other Python versions cannot use the bytecode.
PYTHON = "3.13"
ROOT = Path(__file__).resolve().parents[2]
# Python compares the bytecode with a hash of the source file, so a source file that is edited after this hook is
# compiled again.
MODE = "checked-hash"


def compile_the_app(_deployment: Deployment) -> None:
    command = deployed_python()
    if not command:
        print(
            f"Python {PYTHON} was not found, so the app is sent uncompiled and takes longer to start."
            f" For a faster start, install Python {PYTHON} and run 'azd deploy' again."
        )
    elif not is_compiled(ROOT, command):
        print("Some files of the app cannot be compiled. See the errors above.")


def deployed_python() -> list[str]:
    """The command that runs the Python version of the deployed app, or an empty command if this version is not
    installed.
    """
    candidates = [[sys.executable], [f"python{PYTHON}"], ["py", f"-{PYTHON}"]]
    return next((command for command in candidates if shutil.which(command[0]) and _version_of(command) == PYTHON), [])


def is_compiled(app: Path, command: list[str]) -> bool:
    """Compile the deployed code of an app. Return whether the compilation succeeded."""
    options = ["-q", "-f", "-j", "0", "--invalidation-mode", MODE]
    return (
        subprocess.run([*command, "-m", "compileall", *options, *_code_of(app)], cwd=app, check=False).returncode == 0
    )


def _code_of(app: Path) -> list[str]:
    """The folders and modules that are deployed."""
    ignored = app / ".funcignore"
    lines = ignored.read_text(encoding="utf-8").splitlines() if ignored.exists() else []
    left_out = [line.rstrip("/") for line in lines if line and not line.startswith(("#", "!"))]
    names = sorted(path.name for path in app.iterdir() if path.is_dir() or path.suffix == ".py")
    return [name for name in names if not any(fnmatch(name, pattern) for pattern in [*left_out, ".*"])]


def _version_of(command: list[str]) -> str:
    command_line = [*command, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(command_line, capture_output=True, text=True, check=False).stdout.strip()


STEPS = (compile_the_app,)

if __name__ == "__main__":
    run(STEPS)
