"""Builds the app as Azure does, from the deployed files and the packages that they need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "infra" / "hooks"))

import before_packaging
from local_host.process import LISTENING
from local_host.stopping import STOP_WITH_STDIN

PACKAGES: Final = Path(".python_packages", "lib", "site-packages")
# azd always excludes these files, regardless of .funcignore.
_SECONDS_TO_STOP: Final = 30
_NEVER_SENT: Final = [".azure/", "local.settings.json", ".funcignore"]

DEPLOYED_PYTHON: Final = "3.13"
# Modules of the app that the local host imports.
USED_BY_THE_HOST: Final = ("answer_stream.py", "refusal.py")


def deployed_python() -> str:
    """Return an interpreter with the deployed Python version if it is installed, and otherwise
    the running interpreter.
    """
    name = f"python{DEPLOYED_PYTHON}"
    found = shutil.which(name)
    # A pyenv shim works only if its version is selected.
    kept = Path(found or "").parent.parent.glob(f"versions/{DEPLOYED_PYTHON}.*/bin/{name}")
    candidates = [*([found] if found else []), *map(str, kept), sys.executable]
    return next(python for python in candidates if _runs(python))


def _runs(python: str) -> bool:
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def sent_files(app: Path) -> Iterator[Path]:
    """Yield the files that are sent to Azure, relative to the app."""
    lines = (app / ".funcignore").read_text(encoding="utf-8").splitlines()
    ignored = GitIgnoreSpec.from_lines([*lines, *_NEVER_SENT])
    for folder, folders, files in os.walk(app):
        within = Path(folder).relative_to(app)
        folders[:] = [name for name in folders if not ignored.match_file(f"{(within / name).as_posix()}/")]
        yield from (within / name for name in files if not ignored.match_file((within / name).as_posix()))


def build(app: Path, target: Path, python: str) -> None:
    """Build the app's package with the given interpreter, for its Python version."""
    build_app(app, target, python)
    build_packages(app, target, python)


def build_app(app: Path, target: Path, python: str) -> None:
    for file in sent_files(app):
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(app / file, target / file)
    # The packaging hook runs the same compilation before azd creates the package.
    if not before_packaging.is_compiled(target, [python]):
        raise RuntimeError("The app cannot be compiled.")


def build_packages(app: Path, target: Path, python: str) -> None:
    """Install the packages that the app needs."""
    install(python, target / PACKAGES, "-r", str(app / "requirements.txt"))
    # If Python compared timestamps, it would consider the bytecode outdated after the package was unpacked.
    mode = ["--invalidation-mode", "unchecked-hash"]
    compiling = [python, "-m", "compileall", "-q", "-j0", *mode, str(target / PACKAGES)]
    subprocess.run(compiling, check=True, stdout=subprocess.DEVNULL)


def install(python: str, folder: Path, *packages: str) -> None:
    quiet = ["--quiet", "--disable-pip-version-check", "--no-warn-script-location", "--no-compile"]
    subprocess.run([python, "-m", "pip", "install", *quiet, "--target", str(folder), *packages], check=True)


def unpacked(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)


def install_host(app: Path, package: Path, folder: Path, python: str) -> None:
    """Install the local host into a folder, with the worker library if the package does not include it."""
    if not (package / PACKAGES / "azure_functions_runtime").exists():
        lines = (app / "requirements.txt").read_text(encoding="utf-8").splitlines()
        runtime = next(line for line in lines if line.startswith("azure-functions-runtime"))
        install(python, folder, "--no-deps", "--ignore-requires-python", runtime.partition(";")[0])
    shutil.copytree(app / "local_host", folder / "local_host")
    for module in USED_BY_THE_HOST:
        shutil.copy(app / module, folder)


@contextmanager
def served(package: Path, host: Path, python: str, settings: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """Run a package in isolation. Yields the URL of the app, and the number of seconds until the app listened."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    own = {"PYTHONPATH": os.pathsep.join([str(package / PACKAGES), str(host)]), "PYTHONDONTWRITEBYTECODE": "1"}
    # This option excludes the packages that are installed for the interpreter.
    command = [python, "-S", "-m", "local_host", str(package), "--port", "0", STOP_WITH_STDIN]
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=host,
        env={**variables, **own, **settings},
        encoding="utf-8",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            yield _address(process), time.perf_counter() - started
        finally:
            process.communicate(timeout=_SECONDS_TO_STOP)


def _address(process: subprocess.Popen[str]) -> str:
    log = []
    for line in process.stdout or ():
        if line.startswith(LISTENING):
            return line.removeprefix(LISTENING).strip()
        log.append(line)
    raise RuntimeError(f"The package does not start:\n{''.join(log)}")


def zipped(folder: Path, archive: Path) -> int:
    """Zip a package, and return the size of the zip file."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            file.write(path, path.relative_to(folder))
    return archive.stat().st_size
