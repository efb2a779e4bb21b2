"""What `/health` gives away, and what it warns of."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from settings import Settings
from tests.attacks.front import Front
from tests.attacks.place import Place, attacked
from tests.fakes.issuer import TENANT
from tests.identity.principals import principal, principal_headers
from tests.offline import app_of, offline
from tests.sweeps import Sweep
from tools import PROVIDERS

pytestmark = pytest.mark.anyio

FILE: Final = Path(__file__).parent.parent / "e2e" / "extensions.yaml"
MISSPELT: Final = {"MCP_TOOLSET": "firewall", "EXTENSIONS_FILE": str(FILE)}
OTHERS: Final = (
    *("GIT_SSL_CAINFO", "GIT_EDITOR", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_AUTHOR_NAME", "GIT_ASKPASS"),
    *(
        "MCP_TIMEOUT",
        "MCP_TOOL_TIMEOUT",
        "MCP_SERVER",
        "MCP_PORT",
        "MCP_DEBUG",
        "AUTH_TOKEN",
        "AUTH_SECRET",
        "AUTH_URL",
    ),
    *("AUTH_USER", "AUTH_PASSWORD", "RATE_LIMIT", "DOCUMENTS_DIR", "RESOURCES_DIR", "METRICS_PORT", "COSMOS_KEY"),
    *("TRANSLATOR_KEY", "EXTENSIONS_DIR", "EXTENSION_DIR", "TASKS_MAX", "UPDATES_CHANNEL", "AZURE_REGION", "ADO_TOKEN"),
)
SLIPS: Final = {
    "MCP_TOOLSET": "MCP_TOOLSETS",
    "MCP_READONLY": "MCP_READ_ONLY",
    "MCP_DENIES": "MCP_DENIED",
    "MCP_REQUEST_STATE_KEYS": "MCP_REQUEST_STATE_KEY",
    "AUTH_AUDIENCES": "AUTH_AUDIENCE",
    "AUTH_ALLOWED_CLIENT": "AUTH_ALLOWED_CLIENTS",
    "AUTH_ROLE_FILE": "AUTH_ROLES_FILE",
    "RATE_LIMIT_PER_ADRESS": "RATE_LIMIT_PER_ADDRESS",
    "GIT_HOST": "GIT_HOSTS",
    "ADO_ORGURL": "ADO_ORG_URL",
}


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    async with attacked(tmp_path_factory.mktemp("storage"), **MISSPELT) as built:
        yield built


async def health(place: Place, headers: dict[str, str]) -> tuple[dict[str, Any], bytes]:
    answer = await Front(place.app).send("GET", "/health", b"", headers)
    assert answer.status == 200, answer.body
    return json.loads(answer.body), answer.body


NOT_OPERATORS: Final[dict[str, dict[str, str]]] = {
    "a stranger": {},
    "a stranger with a principal": principal_headers(principal(("roles", "Admin"))),
    "a stranger with a key": {"x-functions-key": "x"},
    "another scheme": {"authorization": "Basic eDp5"},
}


@pytest.mark.parametrize("headers", NOT_OPERATORS.values(), ids=NOT_OPERATORS)
async def test_health_tells_strangers_no_names_of_settings_or_extensions(place: Place, headers: dict[str, str]) -> None:
    document, body = await health(place, headers)
    assert "extensions" not in document
    assert document["warnings"] == []
    assert document["status"] == "ok"
    assert not [name for name in place.app.extensions.all if f'"{name}"'.encode() in body]  # type: ignore[union-attr]
    assert b"MCP_TOOLSET" not in body


async def test_health_tells_people_without_the_role_no_more(place: Place) -> None:
    document, _ = await health(place, place.bearing(roles=["Nobody"]))
    assert "extensions" not in document


async def test_health_tells_those_who_look_after_extensions(place: Place) -> None:
    document, _ = await health(place, place.bearing(roles=["Admin"]))
    assert document["extensions"].keys() == place.app.extensions.all.keys()  # type: ignore[union-attr]
    assert document["warnings"][0].startswith("Unknown setting MCP_TOOLSET. Did you mean 'MCP_TOOLSETS'")


async def test_a_forged_token_is_told_so(place: Place) -> None:
    answer = await Front(place.app).send("GET", "/health", b"", {"authorization": "Bearer forged"})
    assert answer.status == 401


@pytest.mark.parametrize("mode", ["platform", "key"])
async def test_where_others_check_the_sign_in_no_header_proves_an_operator(tmp_path: Path, mode: str) -> None:
    """They let everybody come to this address, so nobody has checked its headers."""
    own = {"AUTH_MODE": mode, "WEBSITE_AUTH_ENABLED": "true", "AUTH_KEY_ROLE": "Admin", "AUTH_ALLOWED_TENANTS": TENANT}
    async with attacked(tmp_path, **MISSPELT, **own) as built:
        document, _ = await health(built, principal_headers(principal(("roles", "Admin"))))
    assert "extensions" not in document
    assert document["warnings"] == []


async def test_whoever_sits_at_a_laptop_is_told(tmp_path: Path) -> None:
    app = app_of(offline(tmp_path) | {"MCP_TOOLSET": "firewall"})
    answer = await Front(app).send("GET", "/health")
    await app.close()
    assert "MCP_TOOLSET" in json.loads(answer.body)["warnings"][0]


def unknown_in(environment: dict[str, str]) -> tuple[str, ...]:
    return Settings.from_environment(environment, [provider.settings for provider in PROVIDERS]).unknown


def test_variables_of_other_programs_are_no_slips() -> None:
    assert unknown_in(dict.fromkeys(OTHERS, "x")) == ()


@Sweep("name", SLIPS, every=3)
def test_a_slip_in_a_name_of_ours_is_noticed(name: str) -> None:
    assert unknown_in({name: "x"}) == (name,)
    assert unknown_in({"X" * 5000: "x", f"MCP_{'X' * 5000}": "x"}) == ()
