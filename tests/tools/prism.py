"""A judge that is not ours: Prism holds requests against the official specification."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from tests.npm import installed
from tests.tools.golden import Sent

_PINNED: Final = Path(__file__).parents[1] / "prism"
_UNPUBLISHED: Final = frozenset({"NO_PATH_MATCHED_ERROR", "NO_METHOD_MATCHED_ERROR"})
_WRONG_ADDRESS: Final = "Request path parameter"
_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a request, in Prism's words; and whether the specification has it at all."""

    objection: str = ""
    is_published: bool = True


@dataclass(frozen=True, slots=True)
class Judge:
    port: int

    def verdict(self, sent: Sent) -> Verdict:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        headers = {name: value for name, value in sent.headers.items() if name not in {"host", "content-length"}}
        # Of what it would answer only the decision matters, and that must not depend on which kinds it can make up.
        headers["accept"] = "application/json, */*;q=0.5"
        connection.request(sent.method, f"{sent.path}?{urlencode(sent.query)}", sent.content or None, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if "problem+json" not in (answer.getheader("content-type") or ""):
            return Verdict()
        kind = str(json.loads(text)["type"]).rpartition("#")[2]
        # An address of which a part is of the wrong type is none that the specification has.
        is_other = kind in _UNPUBLISHED or _WRONG_ADDRESS in text
        return Verdict(f"{answer.status}: {text}", not is_other)


@contextmanager
def judging(specification: Path) -> Iterator[Judge]:
    """Start the judge, and give it once it listens."""
    packages, port = installed(_PINNED), _free_port()
    command = ["node", "node_modules/.bin/prism", "mock", "--port", str(port), str(specification)]
    with subprocess.Popen(
        command, cwd=packages.folder, env=dict(packages.variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            assert process.stdout
            assert any(b"is listening on" in line for line in process.stdout), "Prism did not start"
            yield Judge(port)
        finally:
            process.kill()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
