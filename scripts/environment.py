"""Installs the dependencies of scripts, on first use and when the required versions change."""

import errno
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

OLDEST_PYTHON = (3, 11)

# Python versions that are too old show this message if they can parse this file.
if sys.version_info[:2] < OLDEST_PYTHON:
    sys.exit("This script needs Python {}.{} or newer, but runs with {}.{}.".format(*OLDEST_PYTHON, *sys.version_info))

ROOT = Path(__file__).resolve().parent.parent
LOCAL = ROOT / ".local"
VENV = ROOT / ".venv"

Version = tuple[int, ...]


def enter(requirements: str, python: str = "", version: Version = ()) -> None:
    """Continue in the project's virtual environment, with the packages of a requirements file (relative to the root).

    If `version` is given and the project's virtual environment has another Python version, continue in a separate
    environment.
    """
    venv = _venv_for(version)
    entered = ready(venv, requirements, python)
    if Path(sys.prefix).resolve() != venv.resolve():
        _continue_with(entered)


def ready(venv: Path, requirements: str, python: str = "") -> Path:
    """Return the Python of a virtual environment. The environment is created with the interpreter `python` and the
    packages in a requirements file.
    """
    stamp = venv / ".installed" / requirements.replace("/", "-")
    _ensure(stamp, lambda: _fingerprint(venv, requirements), lambda: _install_packages(venv, requirements, python))
    return _python_of(venv)


def apart(version: Version) -> Path:
    """Return the folder of the virtual environment for a Python version other than the project's version."""
    return LOCAL / "python{}.{}".format(*version)


def node(oldest: int) -> dict[str, str]:
    """Return environment variables with Node.js on the `PATH`, in this major version or newer.

    Install Node.js if necessary.
    """
    if _node_version() >= oldest:
        return dict(os.environ)
    folder = npm_package("node", str(oldest), dict(os.environ)) / "bin"
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}


def has_node(oldest: int) -> bool:
    """Check whether npm and at least this major version of Node.js are installed on this machine."""
    return _node_version() >= oldest and shutil.which("npm") is not None


def npm_package(name: str, version: str, environment: dict[str, str]) -> Path:
    """Return the folder of an npm package. Install Node.js if necessary."""
    folder = LOCAL / name

    def install() -> None:
        npm = shutil.which("npm", path=environment.get("PATH"))
        if npm is None:
            sys.exit(f"{name} {version} is required, but npm is missing. Install Node.js from https://nodejs.org.")
        shutil.rmtree(folder, ignore_errors=True)
        _report(f"Installing {name} {version} into {folder}")
        options = ["--no-audit", "--no-fund", "--fetch-retries=1", "--loglevel=error"]
        _run(
            [npm, "install", "--prefix", str(folder), *options, f"{name}@{version}"],
            "npm failed: is its registry reachable?",
        )

    _ensure(folder / ".installed", lambda: version, install)
    return folder / "node_modules" / name


def packages(name: str, requirements: str) -> Path:
    """Install the packages in a requirements file (relative to the root) into a separate folder, and return this
    folder.
    """
    folder = LOCAL / name

    def install() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        _report(f"Installing {requirements} into {folder}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        _run(
            [*pip, "--target", str(folder), "-r", str(ROOT / requirements)],
            "pip failed: is the package index reachable?",
        )

    _ensure(folder / ".installed", lambda: _fingerprint(Path(sys.prefix), requirements), install)
    return folder


def show_installation() -> None:
    """Show pip's output, also in child processes."""
    os.environ["PIP_QUIET"] = "0"


def own_folder(name: str) -> Path:
    """Return the folder with this name for a script's data. Create the folder if it does not exist.

    Raises:
        PermissionError: The folder is not writable.
    """
    folder = LOCAL / name
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    return folder


def _ensure(stamp: Path, expected: Callable[[], str], install: Callable[[], None]) -> None:
    """Call `install` if the stamp file is missing or outdated. An interrupted installation writes no stamp."""
    if _text(stamp) == expected():
        return
    with alone():
        if _text(stamp) == expected():  # another process has just finished the installation
            return
        stamp.unlink(missing_ok=True)
        install()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        unfinished = stamp.with_name(f"{stamp.name}.new")
        unfinished.write_text(expected(), encoding="utf-8")
        unfinished.replace(stamp)


@contextmanager
def alone() -> Iterator[None]:
    """Lock installations with SQLite, whose lock works everywhere and is released when the process ends."""
    LOCAL.mkdir(exist_ok=True)
    file = LOCAL / "installing.lock"
    file.touch()  # fails without write permission; SQLite would not report that error
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            _report("Another script is installing packages; waiting for it")
            lock.execute("PRAGMA busy_timeout = 3600000")
            lock.execute("BEGIN EXCLUSIVE")
        yield


def _fingerprint(venv: Path, requirements: str) -> str:
    """Return a fingerprint of the requirements and the Python version."""
    return hashlib.sha256(f"{_version_of(venv)}\n{_requirements_text(ROOT / requirements)}".encode()).hexdigest()


def _requirements_text(file: Path) -> str:
    """Return the text of a requirements file and of the files that it includes."""
    text = file.read_text(encoding="utf-8")
    included = re.findall(r"^-[rc]\s+(\S+)", text, re.MULTILINE)
    return "\n".join([text, *(_requirements_text(file.parent / name) for name in included)])


def _venv_for(version: Version) -> Path:
    """Return the folder of an environment with this Python version: the current environment if it has this version,
    otherwise a separate environment.
    """
    running = Path(sys.prefix).resolve()
    own = running if running.parent == LOCAL.resolve() else VENV
    return own if not version or _version_of(own) in {(), version} else apart(version)


def _python_of(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _version_of(venv: Path) -> Version:
    """Return the Python version of a virtual environment. The version is empty if the environment has no working
    Python.
    """
    found = re.search(r"^version(?:_info)?\s*=\s*(\d+)\.(\d+)", _text(venv / "pyvenv.cfg"), re.MULTILINE)
    return tuple(map(int, found.groups())) if found and _python_of(venv).exists() else ()


def _install_packages(venv: Path, requirements: str, python: str) -> None:
    if _version_of(venv) < OLDEST_PYTHON:
        _make(venv, python or sys.executable)
    pip = [str(_python_of(venv)), "-m", "pip"]
    # Starting pip takes ten times as long as importing it.
    if subprocess.run([pip[0], "-c", "import pip"], capture_output=True, check=False).returncode:
        _run([str(_python_of(venv)), "-m", "ensurepip"], f"{venv} has no pip: delete that folder and start again.")
    _report(f"Installing {requirements} into {venv}; the first time takes a minute")
    os.environ.setdefault("PIP_QUIET", "1")
    # Python compiles each module that it imports. pip would compile all modules of all packages.
    options = ["--disable-pip-version-check", "--no-compile"]
    install, problem = [*pip, "install", *options], "pip failed: is the package index reachable?"
    _run([*install, "-r", str(ROOT / requirements)], problem)
    # Microsoft's worker library declares Python 3.13, but also works with these versions.
    runtime = re.search(r"^azure-functions-runtime==[\w.]+", _requirements_text(ROOT / requirements), re.MULTILINE)
    if runtime and _version_of(venv) < (3, 13):
        _run([*install, "--no-deps", "--ignore-requires-python", runtime[0]], problem)


def _make(venv: Path, python: str) -> None:
    _report(f"Making {venv}")
    options = ["--clear", "--copies" if os.name == "nt" else "--symlinks"]
    _run(
        [python, "-m", "venv", *options, str(venv)],
        "This Python cannot create virtual environments with pip. On Debian and Ubuntu, install python3-venv.",
    )


def _continue_with(python: Path) -> None:
    command = [str(python), *sys.argv]
    sys.stdout.flush()
    if os.name == "nt":  # on Windows, exec would return to the terminal immediately
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)  # noqa: S606 - continues in the same process, including signals


def _node_version() -> int:
    program = shutil.which("node")
    answer = (
        subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout if program else ""
    )
    found = re.match(r"v(\d+)", answer)
    return int(found[1]) if found else 0


def _run(command: list[str], problem: str) -> None:
    """Run a program with its output on standard error, because standard output is for the script's own result."""
    if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
        sys.exit(problem)


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""
