"""Gets tokens from azd's sign-in, and reads and stores values in azd's environment."""

from __future__ import annotations

import json
import subprocess

from cannot_go_on import CannotGoOnError

SECONDS = 60.0


def token(scope: str, tenant: str = "", seconds: float = SECONDS) -> str:
    """Return a token for a tenant, by default for the tenant of the subscription."""
    command = ["auth", "token", "--no-prompt", "--output", "json", "--scope", scope]
    output = _run([*command, *(["--tenant-id", tenant] if tenant else [])], seconds)
    try:
        return str(json.loads(output.stdout)["token"]) if output else _none(tenant)
    except (ValueError, LookupError, TypeError):
        return _none(tenant)


def remember(environment: str, name: str, value: str) -> None:
    """Store a value in azd's environment, which azd reads again after the hook."""
    output = _run(["env", "set", name, value, "--environment", environment, "--no-prompt"], SECONDS)
    if output is None or output.returncode != 0:
        raise CannotGoOnError(
            f"azd could not save {name}. Run 'azd env set {name} {value}', then run the same command again."
        )


def values(environment: str) -> dict[str, str]:
    """The values that are stored in an azd environment, without shell variables."""
    named = ["--environment", environment] if environment else []
    output = _run(["env", "get-values", *named, "--output", "json", "--no-prompt"], SECONDS)
    try:
        found = json.loads(output.stdout) if output and output.returncode == 0 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise CannotGoOnError(
            f"azd cannot read the environment {environment}. Run 'azd env list' to list the environments."
        )
    return {str(name): str(value) for name, value in found.items()}


def config(name: str) -> str:
    """A setting of azd itself, or an empty string if it is not set."""
    output = _run(["config", "get", name], SECONDS)
    try:
        found = json.loads(output.stdout) if output and output.returncode == 0 else ""
    except ValueError:
        found = ""
    return found if isinstance(found, str) else ""


def _run(words: list[str], seconds: float) -> subprocess.CompletedProcess[bytes] | None:
    """Run azd, and return None if it does not finish in time."""
    command = ["azd", *words]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
    except OSError:
        raise CannotGoOnError("azd is not on the PATH. Install it: https://aka.ms/azd") from None
    except subprocess.TimeoutExpired:
        return None


def _none(tenant: str) -> str:
    """Report that azd returned no token. The output of azd is not shown, because it may contain a token."""
    if tenant:
        raise CannotGoOnError(
            f"The subscription belongs to the tenant {tenant}, but azd is not signed in to this tenant."
            f" Run 'azd auth login --tenant-id {tenant}', then run the same command again."
        ) from None
    raise CannotGoOnError(
        "azd returned no token for Azure. Run 'azd auth login', then run the same command again."
    ) from None
