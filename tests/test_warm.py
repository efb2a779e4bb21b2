"""Programs that are forked off a warm interpreter are what they are when an interpreter is started for them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.warm import WarmPython

WARM = WarmPython("json")
TELL = """
import json, os, sys
open_files = sorted(map(int, os.listdir("/proc/self/fd")))[:-1]
told = {"argv": sys.argv, "name": __name__, "path": sys.path[0], "cwd": os.getcwd(), "files": open_files}
print(json.dumps({**told, "env": dict(os.environ), "leads": os.getsid(0) == os.getpid(), "stdin": sys.stdin.read()}))
"""


@pytest.fixture
def cold(tmp_path: Path) -> WarmPython:
    """One that always starts an interpreter, because its programs are to read other variables than it."""
    return WarmPython(variables={"LANG": "of nobody"})


def script(folder: Path, code: str) -> list[str]:
    (folder / "program.py").write_text(code, encoding="utf-8")
    return [sys.executable, str(folder / "program.py"), "one", "two words"]


@pytest.mark.parametrize("kind", ["script", "module"])
def test_it_has_its_own_arguments_folder_variables_and_streams(cold: WarmPython, tmp_path: Path, kind: str) -> None:
    command = script(tmp_path, TELL)
    if kind == "module":
        command[1:2] = ["-m", "program"]
    variables = {**os.environ, "ONLY": "här"}

    def told(python: WarmPython) -> Any:
        with python.popen(
            command, cwd=tmp_path, env=variables, stdin=-1, stdout=-1, text=True, start_new_session=True
        ) as process:
            return json.loads(process.communicate("typed")[0])

    assert told(WARM) == told(cold)


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.exit(3)",
        "import sys; sys.exit('a reason')",
        "import atexit; atexit.register(print, 'goodbye'); print('hello', end=' ')",
        "import threading, time; threading.Thread(target=lambda: (time.sleep(0.01), print('later'))).start()",
        "import os; os.kill(os.getpid(), 15)",
    ],
)
def test_it_ends_as_any_other(cold: WarmPython, tmp_path: Path, code: str) -> None:
    command = script(tmp_path, code)
    warm, started = WARM.run(command), cold.run(command)
    assert (warm.returncode, warm.stdout, warm.stderr) == (started.returncode, started.stdout, started.stderr)


def test_its_failure_is_shown(tmp_path: Path) -> None:
    failed = WARM.run(script(tmp_path, "raise ValueError('not today')"))
    assert failed.returncode == 1
    assert failed.stderr.endswith("ValueError: not today\n")


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    code = "import signal\nprint('ready', flush=True)\nsignal.pause()"
    with WARM.popen(script(tmp_path, code), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_it_can_be_waited_for_and_ended(waiting: subprocess.Popen[str]) -> None:
    assert waiting.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0)
    waiting.terminate()
    assert waiting.wait() == -signal.SIGTERM


def test_ctrl_c_interrupts_it(waiting: subprocess.Popen[str]) -> None:
    waiting.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in waiting.communicate()[1]
    assert waiting.returncode == -signal.SIGINT


def test_nothing_of_the_project_is_imported_before(tmp_path: Path) -> None:
    code = "import sys\nprint([m.__file__ for m in sys.modules.values() if getattr(m, '__file__', None)])"
    imported = WARM.run(script(tmp_path, code)).stdout
    assert str(Path(__file__).parents[1]) + os.sep not in imported.replace(sys.prefix, "")
