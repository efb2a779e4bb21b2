"""The server from npm, started once for a whole process."""

from __future__ import annotations

import atexit
import subprocess
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Final

from tests.npm import installed

KEY: Final = b64encode(b"a key of an emulator, which is no secret").decode()
OLDEST_NODE: Final = 20
_FOLDER: Final = Path(__file__).parent


@cache
def cosmos_server() -> str:
    """The address of the server, which ends with this process."""
    packages = installed(_FOLDER, OLDEST_NODE)
    process = subprocess.Popen(
        ["node", str(_FOLDER / "strict.js")],
        env={**packages.variables, "NODE_PATH": str(packages.folder / "node_modules"), "COSMOS_KEY": KEY},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(_end, process)
    assert process.stdout
    return f"http://127.0.0.1:{int(process.stdout.readline())}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.communicate()
