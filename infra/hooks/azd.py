"""What azd is asked for: a token of its own sign-in, and to remember a value for what it does next."""

from __future__ import annotations

import json
import subprocess

from cannot_go_on import CannotGoOnError

SECONDS = 60.0


def token(scope: str, tenant: str = "", seconds: float = SECONDS) -> str:
    """For the tenant that azd takes for the subscription, or for another."""
    command = ["auth", "token", "--no-prompt", "--output", "json", "--scope", scope]
    told = _run([*command, *(["--tenant-id", tenant] if tenant else [])], seconds)
    try:
        return str(json.loads(told.stdout)["token"]) if told else _none(tenant)
    except (ValueError, LookupError, TypeError):
        return _none(tenant)


def remember(environment: str, name: str, value: str) -> None:
    """As a value of azd's environment: azd reads it again when the hook is over."""
    told = _run(["env", "set", name, value, "--environment", environment, "--no-prompt"], SECONDS)
    if told is None or told.returncode != 0:
        raise CannotGoOnError(
            f"azd did not remember {name}. Run 'azd env set {name} {value}', then the same command again."
        )


def values(environment: str) -> dict[str, str]:
    """What azd keeps for an environment, without what the shell adds."""
    named = ["--environment", environment] if environment else []
    told = _run(["env", "get-values", *named, "--output", "json", "--no-prompt"], SECONDS)
    try:
        found = json.loads(told.stdout) if told and told.returncode == 0 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise CannotGoOnError(
            f"azd does not show the values of the environment {environment}. Run 'azd env list' to see which there are."
        )
    return {str(name): str(value) for name, value in found.items()}


def config(name: str) -> str:
    """A setting of azd itself; empty where nobody set it."""
    told = _run(["config", "get", name], SECONDS)
    try:
        found = json.loads(told.stdout) if told and told.returncode == 0 else ""
    except ValueError:
        found = ""
    return found if isinstance(found, str) else ""


def _run(words: list[str], seconds: float) -> subprocess.CompletedProcess[bytes] | None:
    """What azd answered, if it did in time."""
    command = ["azd", *words]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
    except OSError:
        raise CannotGoOnError("There is no azd on the PATH: https://aka.ms/azd") from None
    except subprocess.TimeoutExpired:
        return None


def _none(tenant: str) -> str:
    """What azd printed is not told: it may be, or hold, a token."""
    if tenant:
        raise CannotGoOnError(
            f"The subscription belongs to the tenant {tenant}, and azd has no sign-in for it."
            f" Run 'azd auth login --tenant-id {tenant}', then the same command again."
        ) from None
    raise CannotGoOnError("azd gives no token for Azure. Run 'azd auth login', then the same command again.") from None
