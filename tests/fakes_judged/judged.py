"""The invented Azure over https, and Microsoft's clients in a process of their own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scripts import environment
from tests.fakes.azure.people import OWNER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.https import Certified

ROOT = Path(__file__).parents[2]
NAMES = Path(__file__).with_name("names")
# Each module of Microsoft's clients takes a second to import.
more_clients = pytest.mark.skipif("FUZZ_CLIENTS" not in os.environ, reason="FUZZ_CLIENTS is not set.")


@dataclass(frozen=True)
class Clients:
    """The process of Microsoft's clients, which one test after the other asks."""

    port: int

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Clients]:
        path = os.pathsep.join(map(str, (_installed(), ROOT, NAMES)))
        command = [sys.executable, "-m", "tests.fakes_judged.clients"]
        variables = {"PYTHONPATH": path, "PATH": os.environ["PATH"]}
        with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield cls(int(process.stdout.readline()))
            finally:
                process.kill()

    async def ask(self, what: str, variables: dict[str, str]) -> Any:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(json.dumps([what, variables]).encode() + b"\n")
        answer = json.loads(await reader.read())
        writer.close()
        await writer.wait_closed()
        assert "failed" not in answer, answer["failed"][-4000:]
        return answer["said"]


def _installed() -> Path:
    """Where the clients are, installed if they were not."""
    try:
        return environment.packages("azure-clients", "tests/fakes_judged/requirements.txt")
    except SystemExit as told:
        pytest.skip(f"Microsoft's clients are not here: {told}")


@dataclass
class Judged:
    azure: FakeAzure
    url: str
    certified: Certified
    clients: Clients

    async def by(self, what: str, who: Principal = OWNER, **variables: str) -> Any:
        """What a function of these clients says."""
        known = {"REQUESTS_CA_BUNDLE": str(self.certified.file), "INVENTED_AZURE": self.url}
        return await self.clients.ask(what, known | {"INVENTED_TOKEN": who.token, **variables})

    def vault(self, name: str) -> str:
        return str(
            next(one for one in self.azure.vaults.resources() if one.document["name"] == name).properties["vaultUri"]
        )
