"""The script that serves, while it runs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen


class Served:
    """The script while it runs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said = ""

    @property
    def url(self) -> str:
        found = re.search(r"^Listening on (\S+)$", self.said, re.MULTILINE)
        assert found, self.said
        return found[1]

    def read_introduction(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Listening on "):
                return

    def environment(self) -> dict[str, str]:
        with urlopen(f"{self.url}/environment") as response:  # noqa: S310 - the address of what was just started
            content: dict[str, str] = json.load(response)
            return content


@contextmanager
def serve(project: Path, *options: str, **environment: str) -> Iterator[Served]:
    """Run the script in the virtual environment of a project, and end it as Ctrl-C in a terminal does."""
    own = project / ".venv" / "bin" / "python"
    given: Mapping[str, Any] = {name: value for name, value in os.environ.items() if "STORAGE" not in name.upper()}
    with (
        (project / "stderr").open("w") as log,
        subprocess.Popen(
            [own if own.exists() else sys.executable, project / "scripts" / "serve", "--port", "0", *options],
            env={**given, **environment},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        served = Served(process)
        try:
            served.read_introduction()
            yield served
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            served.said += process.communicate(timeout=30)[0]
