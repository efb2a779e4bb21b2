"""Starting anew when the app changes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from local_host.watch import state
from tests.local_host.sample import WriteApp
from tests.warm.app import start


class Watched:
    """A host that watches its app, read line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        self._lines = map(bytes.decode, process.stdout)

    def says(self, beginning: str) -> str:
        """The rest of the next line that begins so."""
        return next(line.removeprefix(beginning).strip() for line in self._lines if line.startswith(beginning))


@pytest.fixture
def app(write_app: WriteApp) -> Path:
    return write_app("")


@pytest.fixture
def watched(app: Path) -> Iterator[Watched]:
    arguments = ["--port", "0", "--watch"]
    with start(app, arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        yield Watched(process)
        process.communicate(timeout=20)
        assert process.returncode == 0


def greeting(url: str) -> bytes:
    with urlopen(f"{url}/api/hello") as response:  # noqa: S310 - the address of the host that was just started
        content: bytes = response.read()
        return content


def replace(file: Path, old: str, new: str) -> None:
    file.write_text(file.read_text().replace(old, new))


def test_a_changed_app_is_served_at_the_same_address(app: Path, watched: Watched) -> None:
    url = watched.says("Listening on ")
    assert greeting(url) == b"hello"
    replace(app / "function_app.py", '"hello")\n', '"good evening")\n')
    assert watched.says("Listening on ") == url
    assert greeting(url) == b"good evening"


def test_an_app_that_breaks_is_served_again_once_it_is_mended(app: Path, watched: Watched) -> None:
    url = watched.says("Listening on ")
    replace(app / "function_app.py", "import azure", "import azure_nowhere, azure")
    watched.says("ModuleNotFoundError")
    replace(app / "function_app.py", "azure_nowhere, ", "")
    assert watched.says("Listening on ") == url
    assert greeting(url) == b"hello"


def test_code_and_settings_are_watched_and_nothing_else(app: Path) -> None:
    for seen in ("host.json", "local.settings.json", "a.py", "deep/er/b.py"):
        (app / seen).parent.mkdir(parents=True, exist_ok=True)
        (app / seen).touch()
    for unseen in (
        ".venv/c.py",
        ".local/d.py",
        "node_modules/e.py",
        "environment/pyvenv.cfg",
        "environment/f.py",
        "g.txt",
    ):
        (app / unseen).parent.mkdir(parents=True, exist_ok=True)
        (app / unseen).touch()
    assert {Path(file).relative_to(app).as_posix() for file in state(app)} == {
        "function_app.py",
        "host.json",
        "local.settings.json",
        "a.py",
        "deep/er/b.py",
    }
