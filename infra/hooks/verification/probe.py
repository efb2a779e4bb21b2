"""A probe: one short check of a deployment, and what to run if it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cannot_go_on import CannotGoOnError
from verification.target import Target

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class FailedError(Exception):
    """One sentence that says what is wrong, and the command that fixes it."""

    def __init__(self, sentence: str, command: str) -> None:
        super().__init__(sentence)
        self.command = command


class SkippedError(Exception):
    """Why the probe does not apply here or cannot run."""


@dataclass(frozen=True)
class Probe:
    """`ask` returns a note about what it found, or raises one of the errors above."""

    number: int
    what: str
    ask: Callable[[Target], str]
    # Whether it shows something about Azure that is not documented.
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
    # Milliseconds by measurement.
    timings: dict[str, list[int]] = field(default_factory=dict)

    @property
    def failed(self) -> Sequence[ProbeOutcome]:
        return [one for one in self.outcomes if one.result == FAILED]


def outcome_of(probe: Probe, target: Target) -> ProbeOutcome:
    """The result of a probe. A failing one never stops the others."""
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
