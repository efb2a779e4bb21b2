"""The invented Azure over https, and Microsoft's clients in a process of their own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scripts import environment
from tests.fakes.azure.people import OWNER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.https import Certified

ROOT = Path(__file__).parents[2]
NAMES = Path(__file__).with_name("names")


@cache
def clients() -> Path:
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

    async def by(self, what: str, who: Principal = OWNER, **variables: str) -> Any:
        """What a function of these clients says."""
        path = os.pathsep.join(map(str, (clients(), ROOT, NAMES)))
        known = {"PYTHONPATH": path, "REQUESTS_CA_BUNDLE": str(self.certified.file), "PATH": os.environ["PATH"]}
        known |= {"INVENTED_AZURE": self.url, "INVENTED_TOKEN": who.token, **variables}
        command = [sys.executable, "-m", "tests.fakes_judged.clients", what]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=known, stdout=pipe, stderr=pipe)
        said, failed = await process.communicate()
        assert process.returncode == 0, failed.decode()[-4000:]
        return json.loads(said)

    def vault(self, name: str) -> str:
        return str(
            next(one for one in self.azure.vaults.resources() if one.document["name"] == name).properties["vaultUri"]
        )
