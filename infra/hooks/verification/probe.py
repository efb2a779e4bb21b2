"""A probe is a short check of a deployment. Each failure comes with a command that fixes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cannot_go_on import CannotGoOnError
from verification.target import Target

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class FailedError(Exception):
    """A probe failed. The error contains an explanation of the problem, and the command that fixes the problem."""

    def __init__(self, sentence: str, command: str) -> None:
        super().__init__(sentence)
        self.command = command


class SkippedError(Exception):
    """The probe does not apply to this deployment, or cannot run. The message contains the reason."""


@dataclass(frozen=True)
class Probe:
    """A probe. `ask` runs the probe: it returns a note about the result, or raises FailedError or SkippedError."""

    number: int
    what: str
    ask: Callable[[Target], str]
    # Whether the probe checks undocumented behavior of Azure.
    is_undocumented: bool = False


@dataclass(frozen=True)
class ProbeOutcome:
    number: int
    what: str
    result: str
    found: str = ""
    command: str = ""
    is_undocumented: bool = False

    @property
    def document(self) -> Mapping[str, Any]:
        return {
            "number": self.number,
            "probe": self.what,
            "result": self.result,
            "found": self.found,
            "command": self.command,
        }


@dataclass
class Report:
    url: str
    outcomes: list[ProbeOutcome] = field(default_factory=list)
    # The measured times in milliseconds, by measurement name.
    timings: dict[str, list[int]] = field(default_factory=dict)

    @property
    def failed(self) -> Sequence[ProbeOutcome]:
        return [one for one in self.outcomes if one.result == FAILED]


def outcome_of(probe: Probe, target: Target) -> ProbeOutcome:
    """Run a probe and return its result. Errors are returned as results, so that the other probes still run."""
    result, found, command = PASSED, "", ""
    try:
        found = probe.ask(target)
    except FailedError as failure:
        result, found, command = FAILED, str(failure), failure.command
    except SkippedError as reason:
        result, found = SKIPPED, str(reason)
    except CannotGoOnError as reason:
        result, found, command = FAILED, str(reason), "azd auth login"
    return ProbeOutcome(probe.number, probe.what, result, found, command, probe.is_undocumented)
