from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identity.denial import Denial
from identity.metadata import ProtectedResources, challenge

ORIGIN = "https://team.example.com"
RESOURCES = ProtectedResources(
    ORIGIN,
    ("https://login.example.com/v2.0",),
    ("api://team-mcp/mcp.access", "offline_access"),
    "Azure Team MCP",
    "https://example.com/docs",
)
URL = f"{ORIGIN}/.well-known/oauth-protected-resource/mcp"
SCOPE = "api://team-mcp/mcp.access"
NO_TOKEN = Denial("Sign in first.", error="")


@pytest.mark.parametrize("path", ["", "/mcp", "/mcp/x/azure_updates", "/mcp/x/azure_updates,firewall"])
def test_what_describes_a_resource_is_beside_it(path: str) -> None:
    assert RESOURCES.url(path) == ORIGIN + path
    assert RESOURCES.metadata_url(path) == f"{ORIGIN}/.well-known/oauth-protected-resource{path}"


def test_the_root_is_a_resource_too() -> None:
    assert RESOURCES.url("/") == ORIGIN


def test_a_resource_says_who_signs_its_callers_in() -> None:
    assert RESOURCES.document("/mcp") == {
        "resource": f"{ORIGIN}/mcp",
        "authorization_servers": ["https://login.example.com/v2.0"],
        "scopes_supported": ["api://team-mcp/mcp.access"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Azure Team MCP",
        "resource_documentation": "https://example.com/docs",
    }


def test_documentation_is_left_out_where_there_is_none() -> None:
    assert "resource_documentation" not in ProtectedResources(ORIGIN, ("https://x",), (), "x").document("/mcp")


@pytest.mark.parametrize(
    ("denial", "value"),
    [
        (NO_TOKEN, f'Bearer resource_metadata="{URL}", scope="{SCOPE}"'),
        (
            Denial("The token has expired."),
            f'Bearer error="invalid_token", error_description="The token has expired.", resource_metadata="{URL}",'
            f' scope="{SCOPE}"',
        ),
        (
            Denial("Too little.", "insufficient_scope", scopes=("api://team-mcp/a", "api://team-mcp/b")),
            f'Bearer error="insufficient_scope", error_description="Too little.", resource_metadata="{URL}",'
            ' scope="api://team-mcp/a api://team-mcp/b"',
        ),
        (
            Denial("More is asked of you.", "insufficient_claims", claims='{"access_token":{"acrs":["c1~>"]}}'),
            f'Bearer error="insufficient_claims", error_description="More is asked of you.", resource_metadata="{URL}",'
            f' scope="{SCOPE}", claims="eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6WyJjMX4-Il19fQ=="',
        ),
    ],
)
def test_a_challenge_says_how_to_be_let_in(denial: Denial, value: str) -> None:
    assert challenge(denial, URL, SCOPE) == value


def test_claims_come_out_as_they_went_in() -> None:
    claims = '{"access_token":{"nbf":{"essential":true,"value":"1700000000"}}}'
    written = challenge(Denial("x", "insufficient_claims", claims=claims), URL, SCOPE)
    found = re.search('claims="(.*?)"', written)
    assert found is not None
    assert base64.urlsafe_b64decode(found[1]).decode() == claims


SAFE = re.compile(r'Bearer [a-z_]+="[ !#-\[\]-~]*"(, [a-z_]+="[ !#-\[\]-~]*")*')


@given(description=st.text(), path=st.text(st.characters(exclude_categories=["Cs"])), scopes=st.lists(st.text()))
def test_nothing_breaks_out_of_its_quotes(description: str, path: str, scopes: list[str]) -> None:
    url = RESOURCES.metadata_url(path)
    written = challenge(Denial(description, "insufficient_scope", scopes=tuple(scopes)), url, " ".join(scopes))
    assert SAFE.fullmatch(written)
    assert re.findall(r'(\w+)="', written).count("error") == 1


def test_a_hostile_description_stays_a_description() -> None:
    written = challenge(Denial('x", error="none\r\nSet-Cookie: a=b'), URL, SCOPE)
    assert "error_description=\"x', error='none??Set-Cookie: a=b\"" in written


@pytest.mark.parametrize("path", ['/mcp"', "/mcp\r\nx", "/mcp?x", "/mcp#x", "/mcp é"])
def test_a_hostile_path_stays_a_path(path: str) -> None:
    assert re.fullmatch(r"https://team\.example\.com/mcp[%\w]*", RESOURCES.url(path), re.ASCII)
