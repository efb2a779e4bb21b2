"""Asks the invented Azure with Microsoft's clients, and says what they made of the answer.

One process does this for all tests, because importing these clients takes longer than most of what is asked.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from socketserver import StreamRequestHandler, TCPServer
from traceback import format_exc
from typing import Any, Final

PACKAGE: Final = "tests.fakes_judged.clients"
VARIABLES: Final = dict(os.environ)


def answer(what: str, variables: dict[str, str]) -> dict[str, Any]:
    """What a function says, in a module that knows nothing of what was asked before."""
    os.environ.clear()
    os.environ.update(VARIABLES | variables)
    module, name = what.split(".")
    try:
        return {"said": getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)()}
    except Exception:  # noqa: BLE001 - the test that asked fails with it
        return {"failed": format_exc()}
    finally:
        for known in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
            del sys.modules[known]


def close_connections() -> None:
    """Those of clients that nobody can use any more; the invented Azure of the next test is another one."""
    gc.collect()


class Asked(StreamRequestHandler):
    def handle(self) -> None:
        said = answer(*json.loads(self.rfile.readline()))
        close_connections()
        self.wfile.write(json.dumps(said).encode())


with TCPServer(("127.0.0.1", 0), Asked) as server:
    print(server.server_address[1], flush=True)  # noqa: T201 - the tests read it
    server.serve_forever()
