"""A server on premises: by plain http, or with a certificate of an internal authority, where an operator wants that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.reach import EVERYTHING
from identity.caller import ANONYMOUS
from refusal import Refusal
from settings import Settings
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.fakes.https import certify
from tests.tools.azure_devops.reaching import TOKEN
from tools.azure_devops.access import OrganizationRequest
from tools.azure_devops.provider import access, provider
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.provider import Supplies

pytestmark = pytest.mark.anyio

SERVER = {"ADO_ORG_URL": "https://tfs.example.com/tfs/A", "ADO_PAT": TOKEN}
SUPPLIES = Supplies(lambda: cast("Any", None), cast("Any", None), cast("Any", None))


def checked(**given: str) -> AzureDevOpsSettings:
    settings = Settings.from_environment(given, [AzureDevOpsSettings]).of(AzureDevOpsSettings)
    provider.check(settings)
    return settings


@asynccontextmanager
async def serving_over_https(file: Path) -> AsyncIterator[str]:
    service = FakeAzureDevOps()
    runner = web.ServerRunner(web.Server(service.handle), shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "localhost", 0, ssl_context=certify(file, "localhost").context).start()
        yield f"https://localhost:{runner.addresses[0][1]}/acme"
    finally:
        await runner.cleanup()


def certificate(file: Path) -> str:
    return file.read_text().partition("-----END PRIVATE KEY-----\n")[2]


@pytest.mark.parametrize("form", ["file", "text", "one line"])
async def test_a_server_is_trusted_whose_authority_is(tmp_path: Path, form: str) -> None:
    async with serving_over_https(tmp_path / "own.pem") as url:
        trusted = certificate(tmp_path / "own.pem")
        (tmp_path / "ca.pem").write_text(trusted)
        forms = {"file": str(tmp_path / "ca.pem"), "text": trusted, "one line": trusted.replace("\n", "\\n")}
        settings = checked(ADO_ORG_URL=url, ADO_PAT=TOKEN, ADO_CA_FILE=forms[form])
        async with access(settings, SUPPLIES) as opened:
            devops = opened.client(OrganizationRequest(ANONYMOUS, None, EVERYTHING))
            found = await devops.json(DevOpsRequest("GET /_apis/projects", query={"stateFilter": "all"}))
            assert [entry["name"] for entry in found["value"]] == ["Web", "Shop floor"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({**SERVER, "ADO_CA_FILE": "/nowhere/ca.pem"}, "ADO_CA_FILE is not valid: it must contain"),
        ({**SERVER, "ADO_CA_FILE": __file__}, "ADO_CA_FILE is not valid: it has no valid certificates"),
        (
            {**SERVER, "ADO_CA_FILE": "-----BEGIN CERTIFICATE-----\nx"},
            "ADO_CA_FILE is not valid: it has no valid certif",
        ),
        ({"ADO_ORG_URL": "https://dev.azure.com/a", "ADO_CA_FILE": __file__}, "but ADO_ORG_URL contains none"),
        ({**SERVER, "ADO_ORG_URL": "http://tfs.example.com/tfs/A"}, "set ADO_ALLOW_HTTP to true"),
        ({**SERVER, "ADO_ORG_URL": "http://dev.azure.com/a", "ADO_ALLOW_HTTP": "true"}, "requires https://"),
        ({**SERVER, "ADO_ORG_URL": "http://dev.azure.com./a", "ADO_ALLOW_HTTP": "true"}, "requires https://"),
        ({**SERVER, "ADO_ORG_URL": "http://a.visualstudio.com", "ADO_ALLOW_HTTP": "true"}, "requires https://"),
        ({**SERVER, "ADO_ORG_URL": "ftp://tfs.example.com/A", "ADO_ALLOW_HTTP": "true"}, "ADO_ORG_URL is not valid"),
        ({**SERVER, "ADO_ALLOW_HTTP": "perhaps"}, "ADO_ALLOW_HTTP is not valid: it must be true or false"),
    ],
)
def test_what_cannot_be_right_is_told_at_the_start(given: dict[str, str], told: str) -> None:
    with pytest.raises(Refusal, match=told):
        checked(**given)


async def test_plain_http_is_for_who_wants_it() -> None:
    settings = checked(**{**SERVER, "ADO_ORG_URL": "http://tfs.example.com:8080/tfs/A", "ADO_ALLOW_HTTP": "true"})
    async with access(settings, SUPPLIES) as opened:
        devops = opened.client(OrganizationRequest(ANONYMOUS, None, EVERYTHING))
        assert devops.organization.url() == "http://tfs.example.com:8080/tfs/A"
