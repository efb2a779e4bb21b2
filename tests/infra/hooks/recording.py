"""What an operator reads, command by command: the hooks, taken step by step where nobody has to wait."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from io import StringIO
from typing import Any, Final

from cannot_go_on import CannotGoOnError
from tests.fakes.azure_for_hooks import FUNCTION, GROUP
from tests.infra.hooks.bench import VALUES
from tests.infra.hooks.cloud import Cloud

MODULES: Final = {
    "preprovision": "before_provisioning",
    "postprovision": "after_provisioning",
    "postdeploy": "after_deploying",
    "predown": "before_tearing_down",
    "postdown": "after_tearing_down",
}
HEAD: Final = """<!-- Generated: UPDATE_SNAPSHOTS=1 scripts/test unit tests/infra/hooks/test_recording.py -->

# What the hooks print

This is a recording against a fake Azure, in which new roles take effect late. The recording omits the output of azd
itself. We have not run the hooks on Azure.
"""


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Recorded(Cloud):
    """Everything that hooks print goes into `written`."""

    written: list[str] = field(default_factory=list)

    def say(self, *lines: str) -> None:
        self.written += lines

    def command(self, words: str) -> None:
        self.say(f"$ {words}")

    @contextmanager
    def at_a_terminal(self) -> Iterator[None]:
        """Somebody sits there who agrees to everything."""
        before, sys.stdin = sys.stdin, _Terminal("y\n" * 9)
        try:
            yield
        finally:
            sys.stdin = before

    def _hook(self, hook: str) -> str:
        absent = {name: "" for name in VALUES if name not in {**self.options, **self.outputs}}
        values: dict[str, Any] = {**absent, **self.outputs, **self.bench.azd.remembered, **self.options}
        self.bench.azd.store({name: value for name, value in values.items() if value})
        told = StringIO()
        steps: Sequence[Any] = import_module(MODULES[hook]).STEPS
        with redirect_stdout(told), self.at_a_terminal():
            deployment = self.bench.deployment(**values)
            try:
                for step in steps:
                    step(deployment)
            except CannotGoOnError as reason:
                told.write(f"ERROR: {reason}\n")
        text = told.getvalue().replace("[y/N] ", "[y/N] y\n").strip("\n")
        self.say(*(f"# {hook}", *text.splitlines()) if text else ())
        self.said.append(text)
        return text


def record(cloud: Recorded) -> str:
    """The five commands that the document of deployments promises."""
    azure = cloud.bench.azure
    parts = [HEAD]

    def part(heading: str) -> None:
        parts.append(f"\n## {heading}\n\n```text\n" + "\n".join(cloud.written) + "\n```\n")
        cloud.written = []

    cloud.set(RESOURCE_GROUP_NAME="rg", ENTRA_APP_ENABLED="true")
    azure.references, azure.refreshes_needed = {"MCP_REQUEST_STATE_KEY": "AccessToKeyVaultDenied"}, 4
    cloud.command("azd up")
    cloud.up()
    part("The first azd up, with a role that takes effect late")
    cloud.command("azd up")
    cloud.up()
    part("The second azd up")
    translator = f"{GROUP}/providers/Microsoft.CognitiveServices/accounts/trsl-unique7abcdef"
    azure.billed.add(translator)
    cloud.set(TRANSLATOR_ENABLED="false")
    cloud.command("azd env set TRANSLATOR_ENABLED false")
    cloud.command("azd provision")
    cloud.provision()
    part("An option turned off")
    cloud.command("azd down")
    cloud.down()
    part("azd down")
    cloud.command("azd up")
    cloud.up()
    part("azd up again")
    assert FUNCTION in azure.sites
    return "".join(parts)
