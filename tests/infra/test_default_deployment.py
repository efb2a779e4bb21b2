"""What is deployed where nobody chose anything stays as it is: every resource with its values."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bicep_checker import emitted
from bicep_checker.known import said
from tests.infra.made import made

SNAPSHOT: Final = Path(__file__).parent / "default_deployment.json"
UNIQUE: Final = "toLower(uniqueString(subscription().id, 'team', 'westeurope'))"
# Queries and dashboards have tests of their own.
LONGEST: Final = 200
MEND: Final = "run UPDATE_SNAPSHOTS=1 scripts/test infra -k default, and review what it wrote"


def test_the_default_deployment_is_the_one_that_was_agreed() -> None:
    found = json.dumps(_resources({}), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(found, encoding="utf-8")
    assert found == SNAPSHOT.read_text(encoding="utf-8"), MEND


def _resources(options: Mapping[str, str]) -> dict[str, Any]:
    """By kind and name. What a resource answers later is told by its own name, wherever it stands in the files."""
    things = made(options)
    names = {thing.identity: f"<{said(thing.name)}>" for thing in sorted(things, key=lambda one: -len(one.identity))}
    own = emitted.of_bicep([thing for thing in things if not thing.existing])
    return {_text(key, names): _renamed(emitted.plain(body), names) for key, body in own.items()}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {_text(key, names): _renamed(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, names) for inner in value]
    return _text(value, names)


def _text(text: str, names: Mapping[str, str]) -> str:
    for identity, name in names.items():
        text = text.replace(f"{identity}.", f"{name}.")
    text = text.replace(UNIQUE, "unique")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
