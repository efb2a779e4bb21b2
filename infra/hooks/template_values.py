"""Checks the values that azd passes to the template.

azd pastes the values into JSON without escaping them, and also uses shell variables.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import azd
from cannot_go_on import CannotGoOnError
from hook import Deployment

PARAMETERS = Path(__file__).parents[1] / "main.parameters.json"
# Values that azd sets itself.
OF_AZD = {
    "AZURE_ENV_NAME",
    "AZURE_LOCATION",
    "AZURE_PRINCIPAL_ID",
    "AZURE_PRINCIPAL_TYPE",
    "AZURE_SUBSCRIPTION_ID",
}
# Variables that are set only in pipelines. In a pipeline, shell variables are accepted without confirmation, because
# they are set intentionally.
OF_PIPELINES = ("CI", "GITHUB_ACTIONS", "TF_BUILD")
MOST_SHOWN = 60


def check_values(deployment: Deployment) -> None:
    """Reject values that contain quotes, backslashes, newlines or tabs, because these would break or change
    the JSON.
    """
    broken = {name: deployment.value(name) for name in sorted(names()) if not _fits_into_json(deployment.value(name))}
    if not broken:
        return
    commands = "".join(f"\n  azd env set {name} {shlex.quote(_escape(value))}" for name, value in broken.items())
    raise CannotGoOnError(
        f"azd pastes values into JSON without escaping them, and {_listed(broken)} would break the JSON: quotes,"
        f" backslashes, newlines and tabs must be escaped. To escape them, run the commands below. Then run azd"
        f" again.{commands}"
    )


def confirm_values_of_the_shell(deployment: Deployment) -> None:
    """Ask for confirmation if shell variables have the names of options, because azd would use these variables."""
    leaked = _leaked(deployment)
    if not leaked:
        return
    shown = "".join(f"\n  {name}={_shortened(value)}" for name, value in leaked.items())
    print(f"These values come from your shell, not from the azd environment:{shown}", flush=True)
    if not any(deployment.value(name) for name in OF_PIPELINES) and not _is_confirmed():
        name = next(iter(leaked))
        raise CannotGoOnError(
            f"Nothing was deployed. Keep a value with 'azd env set {name} <value>', or remove it from the shell with"
            f" 'unset {name}', then run the same command again."
        )


def _leaked(deployment: Deployment) -> dict[str, str]:
    stored = azd.values(deployment.value("AZURE_ENV_NAME"))
    values = {name: deployment.value(name) for name in sorted(names() - OF_AZD)}
    return {name: value for name, value in values.items() if value and stored.get(name) != value}


def names() -> set[str]:
    """The names of all variables that azd inserts into the parameters of the template."""
    return set(re.findall(r"\$\{(\w+)", PARAMETERS.read_text(encoding="utf-8")))


def _fits_into_json(value: str) -> bool:
    try:
        return isinstance(json.loads(f'"{value}"'), str)
    except ValueError:
        return False


def _escape(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _listed(names: dict[str, str]) -> str:
    *first, last = sorted(names)
    return f"{', '.join(first)} and {last}" if first else last


def _shortened(value: str) -> str:
    return value if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]}…"


def _is_confirmed() -> bool:
    if not sys.stdin.isatty():
        return False
    return input("Deploy with these values? [y/N] ").strip().lower() in ("y", "yes")


CHECKS = (check_values, confirm_values_of_the_shell)
