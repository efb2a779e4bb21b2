"""Where a hook runs: a project, azd and Azure, of which only the project is real."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Timer
from typing import Any, Final

from hook import Deployment
from tests.fakes.azd import FakeAzd, Project
from tests.fakes.azure_for_hooks import APP, FUNCTION, MASTER_KEY, SUBSCRIPTION, VAULT, AzureForHooks
from waiting import Clock
from web import SECONDS_TO_ANSWER, Web

SECONDS_TO_RUN: Final = 60
URL: Final = f"https://{APP}"
# What azd's environment has after provisioning.
VALUES: Final = {
    "AZURE_ENV_NAME": "team",
    "AZURE_SUBSCRIPTION_ID": SUBSCRIPTION,
    "AZURE_LOCATION": "westeurope",
    "AZURE_FUNCTION_ID": FUNCTION,
    "AZURE_KEY_VAULT_ID": VAULT,
    "SERVICE_API_URI": URL,
    "MCP_URL": f"{URL}/mcp",
    "SETTINGS_IN_VAULT": "MCP_REQUEST_STATE_KEY",
}


class FastClock(Clock):
    """Its time passes while somebody sleeps, and never else."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@dataclass
class Bench:
    project: Project
    azd: FakeAzd
    azure: AzureForHooks
    internet: Mapping[str, str]
    clock: FastClock = field(default_factory=FastClock)

    # What the shell has and azd's environment has not.
    shell: dict[str, str] = field(default_factory=dict)

    def variables(self, **values: str) -> dict[str, str]:
        given = {**VALUES, **self.azd.remembered, **values}
        stored = {name: value for name, value in given.items() if value}
        self.azd.store(stored)
        return {**self.azd.variables, **self.internet, **self.shell, **stored}

    def run(self, hook: str, **values: str) -> subprocess.CompletedProcess[str]:
        """Run a hook as azd does. An empty value is one that azd's environment has not."""
        done = self.project.run(hook, self.variables(**values))
        assert "Traceback" not in done.stderr, done.stderr
        assert not [secret for secret in ("token-", MASTER_KEY) if secret in done.stdout + done.stderr]
        return done

    @contextmanager
    def started(self, hook: str, terminal: int = subprocess.DEVNULL, **values: str) -> Iterator[subprocess.Popen[str]]:
        """A hook while it runs, at a terminal if there is one; it does not outlive the test."""
        command, folder = self.project.command(hook)
        pipes: dict[str, Any] = {"stdin": terminal, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        variables = self.variables(**values)
        with subprocess.Popen(
            command, cwd=folder, env=variables, text=True, start_new_session=True, **pipes
        ) as process:
            limit = Timer(SECONDS_TO_RUN, process.kill)
            limit.start()
            try:
                yield process
            finally:
                limit.cancel()
                process.kill()

    def deployment(self, seconds_to_answer: float = SECONDS_TO_ANSWER, **values: str) -> Deployment:
        """What single steps work on, where nobody has to wait."""
        return Deployment({**VALUES, **values}, Web(seconds_to_answer), self.clock)
