"""Runs a hook, which is a list of short steps. Each step checks the deployment or changes one thing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from typing import NoReturn
from urllib.parse import quote

import azd
from cannot_go_on import CannotGoOnError
from graph import Graph
from resource_manager import ResourceManager
from waiting import Clock
from web import Web

INTERRUPTED = 130
SUBSCRIPTIONS_VERSION = "2022-12-01"


class Deployment:
    """The values and clients that the steps of a hook use: azd's environment, and clients for Azure and the web."""

    def __init__(self, values: Mapping[str, str], web: Web, clock: Clock) -> None:
        self._values = dict(values)
        self.web = web
        self.clock = clock
        self.azure = ResourceManager(web, clock)
        self._graph: Graph | None = None

    def value(self, name: str) -> str:
        return self._values.get(name, "")

    def is_on(self, name: str) -> bool:
        return self.value(name).strip().lower() == "true"

    def needed(self, name: str, otherwise: str) -> str:
        if not self.value(name):
            raise CannotGoOnError(f"{name} is not set. {otherwise}")
        return self.value(name)

    def remember(self, name: str, value: str, default: str = "") -> None:
        """Store a value in azd's environment, so that azd passes it to the template."""
        if (self.value(name) or default) != value:
            azd.remember(self.value("AZURE_ENV_NAME"), name, value)
            self._values[name] = value

    @property
    def subscription(self) -> str:
        otherwise = "Run 'azd up', which asks for a subscription, or 'azd env set AZURE_SUBSCRIPTION_ID <id>' first."
        return f"/subscriptions/{quote(self.needed('AZURE_SUBSCRIPTION_ID', otherwise), safe='')}"

    @property
    def graph(self) -> Graph:
        """Microsoft Graph for the tenant of the subscription."""
        if self._graph is None:
            answer = self.azure.get(self.subscription, SUBSCRIPTIONS_VERSION)
            self._graph = Graph(self.web, self.clock, str(answer.content.get("tenantId") or ""))
        return self._graph


Step = Callable[[Deployment], None]


def run(steps: Sequence[Step]) -> None:
    """Run the steps in order. Each step can be repeated, so an interrupted hook can simply be run again."""
    _write_what_the_terminal_cannot_in_other_letters()
    try:
        deployment = Deployment(os.environ, Web(), Clock())
        for step in steps:
            step(deployment)
    except CannotGoOnError as reason:
        _end(str(reason), 1)
    except KeyboardInterrupt:
        _end("Interrupted. Completed steps are not repeated: run the same command again.", INTERRUPTED)


def _write_what_the_terminal_cannot_in_other_letters() -> None:
    """Replace characters that the terminal cannot display, so that a message from Azure does not stop the hook."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _end(words: str, status: int) -> NoReturn:
    sys.stdout.flush()
    print(words, file=sys.stderr, flush=True)
    sys.exit(status)
