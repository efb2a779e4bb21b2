"""Measures the cost of checking a call's arguments: with this server's own check, with pydantic, and with msgspec."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import msgspec

from mcp_server.declarations.field import Field
from mcp_server.declarations.signature import Signature
from scripts.benchmarks.measure import shown
from scripts.benchmarks.start import instructions

_ROUNDS: Final = 20_000
_ARGUMENTS: Final = {"project": "Bakery", "status": "active", "labels": ["blocked", "customer"], "top": 50}
_IMPORTS: Final = {"plain": "pass", "pydantic": "from pydantic import create_model", "msgspec": "import msgspec"}


def _listed(
    project: Annotated[str, Field(min_length=1, max_length=100)],
    repository: Annotated[str | None, Field(max_length=200)] = None,
    status: Literal["active", "completed", "abandoned"] | None = None,
    labels: Annotated[list[str] | None, Field(max_length=20)] = None,
    top: Annotated[int, Field(ge=1, le=200)] = 20,
) -> None:
    """A tool with five parameters, which is the median number of parameters of all tools."""


class _Listed(msgspec.Struct):
    """The parameters of `_listed`, declared for msgspec."""

    project: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    repository: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    status: Literal["active", "completed", "abandoned"] | None = None
    labels: Annotated[list[str], msgspec.Meta(max_length=20)] | None = None
    top: Annotated[int, msgspec.Meta(ge=1, le=200)] = 20


@dataclass(frozen=True, slots=True)
class CheckCost:
    # The number of CPU instructions for the import, in a process that has imported nothing else.
    importing: int
    # How long the first check after the import takes, and how long each later check takes, in seconds.
    building: float
    checking: float


def section() -> str:
    print("measuring checks of arguments ...", flush=True)
    rows = "".join(
        f"| {how} | {cost.importing / 1e6:,.0f} | {shown(cost.building)} | {1e6 * cost.checking:.1f} µs |\n"
        for how, cost in measured().items()
    )
    return f"""## Checking arguments

The next table shows the cost of checking valid arguments for a tool with five parameters. *Plain* is this server's own
check. If this check does not accept the arguments, the server uses *pydantic*. The server does not use *msgspec*.

| check | import, in million CPU instructions | first check | each later check |
|---|---|---|---|
{rows}"""


def measured() -> Mapping[str, CheckCost]:
    bare = instructions("pass")
    checks = {"plain": _plain, "pydantic": _pydantic, "msgspec": _msgspec}
    return {name: CheckCost(instructions(_IMPORTS[name]) - bare, *_seconds(build)) for name, build in checks.items()}


def _plain() -> Callable[[], Any]:
    plain = Signature(_listed).plain
    return lambda: plain.taken(_ARGUMENTS)


def _pydantic() -> Callable[[], Any]:
    signature = Signature(_listed)
    signature.taken(_ARGUMENTS)
    return lambda: signature.taken(_ARGUMENTS)


def _msgspec() -> Callable[[], Any]:
    msgspec.convert(_ARGUMENTS, _Listed)
    return lambda: msgspec.structs.asdict(msgspec.convert(_ARGUMENTS, _Listed))


def _seconds(build: Callable[[], Callable[[], Any]]) -> tuple[float, float]:
    """Return how long the first check takes, and how long each later check takes, in seconds."""
    start = time.perf_counter()
    check = build()
    check()
    building = time.perf_counter() - start
    if not check():
        sys.exit("The arguments were rejected.")
    return building, statistics.median(_timed(check) for _ in range(_ROUNDS))


def _timed(check: Callable[[], Any]) -> float:
    start = time.perf_counter()
    check()
    return time.perf_counter() - start
