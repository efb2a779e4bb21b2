from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import json
import os
import signal
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.fakes.issuer import issuing
from tests.fakes.metrics.ingestion import KEY, Ingestion, ingesting
from tests.fakes.upstream_identity import IDENTITY_PATH, UpstreamIdentity
from tests.warm import WarmPython

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parent.parent.parent
WHAT_SENDS = ("azure.monitor.opentelemetry.exporter", "opentelemetry.sdk.metrics", "opentelemetry.sdk.trace")
WARM = WarmPython("aiohttp", *WHAT_SENDS)


async def tell(what: str, ingestion: Ingestion, **variables: str) -> tuple[str, str]:
    """Let another process tell; answer what it wrote and what it logged."""
    environment = {"TELEMETRY": ingestion.connection_string, "SERVICE": ingestion.url}
    command = [sys.executable, "-m", "tests.telemetry.telling", what]
    process = await asyncio.to_thread(WARM.run, command, env={**os.environ, **environment, **variables}, cwd=ROOT)
    assert process.returncode == 0, process.stderr
    return process.stdout, process.stderr


async def test_what_is_counted_arrives_when_the_process_ends_at_once() -> None:
    async with ingesting() as ingestion:
        _, log = await tell("count", ingestion)
    metrics = ingestion.metrics()
    common = {"toolset": "updates", "tool": "search_updates", "access": "read", "way": "direct"}
    labels = {**common, "client": "visual-studio-code"}
    assert {metric["labels"]["outcome"]: metric["value"] for metric in metrics["azure_team_mcp.tool.calls"]} == {
        "done": 2,
        "failed": 1,
    }
    assert metrics["azure_team_mcp.tool.calls"][0]["labels"] == {**labels, "outcome": "done"}
    assert [
        (metric["value"], metric["count"], metric["labels"]) for metric in metrics["azure_team_mcp.tool.duration"]
    ] == [
        (0.5, 2, {"tool": "search_updates", "outcome": "done"}),
        (0.25, 1, {"tool": "search_updates", "outcome": "failed"}),
    ]
    assert metrics["azure_team_mcp.index.age"][0]["value"] == 12.5
    assert metrics["azure_team_mcp.sync.runs"][0]["labels"] == {"kind": "delta", "outcome": "done"}
    changes = {metric["labels"]["change"]: metric["value"] for metric in metrics["azure_team_mcp.sync.changes"]}
    assert changes == {"added": 3, "withdrawn": 1}
    assert [metric["labels"]["by"] for metric in metrics["azure_team_mcp.throttled"]] == ["caller", "address"]
    assert all(name.startswith("azure_team_mcp.") for name in metrics)
    assert log == ""


async def test_a_call_and_what_it_calls_arrive_as_one_trace() -> None:
    async with ingesting() as ingestion:
        await tell("call", ingestion)
    child, parent, failed = ingestion.spans()
    assert {span["tags"]["ai.operation.id"] for span in (child, parent, failed)} == {"a" * 32}
    assert (parent["name"], parent["tags"]["ai.operation.parentId"]) == ("tools/call search_updates", "b" * 16)
    assert parent["properties"] == {
        "toolset": "updates",
        "tool": "search_updates",
        "access": "read",
        "way": "direct",
        "mcp.method.name": "tools/call",
        "outcome": "failed",
    }
    assert not parent["success"]
    assert (child["name"], child["tags"]["ai.operation.parentId"]) == ("GET /service/within", parent["id"])
    assert failed["properties"]["failure"] == "ZeroDivisionError"
    assert [headers["traceparent"].split("-")[1:3] for headers in ingestion.called if "traceparent" in headers][-1] == [
        "a" * 32,
        child["id"],
    ]


async def test_no_secret_is_sent() -> None:
    async with ingesting() as ingestion:
        output, log = await tell("call", ingestion)
    assert ingestion.items
    assert "marked" not in json.dumps(ingestion.items) + output + log


async def test_what_callers_send_along_reaches_no_service() -> None:
    async with ingesting() as ingestion:
        await tell("call", ingestion)
    assert len(ingestion.called) == 2
    assert not any("baggage" in headers for headers in ingestion.called)


async def test_nobody_else_is_told_anything() -> None:
    async with ingesting() as ingestion, refusing_proxy() as (proxy, asked):
        variables = {"HTTPS_PROXY": proxy, "HTTP_PROXY": proxy, "NO_PROXY": "127.0.0.1"}
        await tell("count", ingestion, **variables)
        assert ingestion.items
    assert asked == []


@pytest.mark.parametrize("status", [400, 401, 500, 503])
async def test_a_server_that_takes_nothing_is_told_once_to_the_log(status: int) -> None:
    async with ingesting() as ingestion:
        ingestion.status = status
        output, log = await tell("count", ingestion)
    assert output == "done"
    assert log.count("rejected some telemetry") == 1
    assert "Traceback" not in log


async def test_a_server_that_is_not_there_disturbs_nobody() -> None:
    async with ingesting() as ingestion:
        pass
    output, log = await tell("count", ingestion)
    assert output == "done"
    assert log.count("rejected some telemetry") == 1
    assert "Traceback" not in log


async def test_a_process_may_end_before_what_sends_is_loaded() -> None:
    async with ingesting() as ingestion:
        output, log = await tell("end", ingestion)
    assert (output, log) == ("done", "")


@pytest.mark.parametrize(("variables", "code"), [({}, -signal.SIGTERM), ({"HANDLED": "1"}, 7)])
async def test_a_process_that_is_told_to_end_sends_what_it_counted_and_ends_as_it_would(
    variables: dict[str, str], code: int
) -> None:
    """Before what sends is loaded, too: an instance may live for one request."""
    async with ingesting() as ingestion:
        environment = {"TELEMETRY": ingestion.connection_string, **variables}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.telemetry.telling", "wait"),
            env={**os.environ, **environment},
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout
        assert await process.stdout.readline() == b"ready\n"
        process.terminate()
        assert await process.wait() == code
    assert [metric["value"] for metric in ingestion.metrics()["azure_team_mcp.throttled"]] == [1]


@pytest.mark.parametrize("connection_string", ["nonsense", "InstrumentationKey=x", ""])
async def test_a_wrong_connection_string_is_told_and_disturbs_nobody(connection_string: str) -> None:
    async with ingesting() as ingestion:
        output, log = await tell("count", ingestion, TELEMETRY=connection_string)
    assert output == "done"
    assert log.count("No telemetry is sent") == 1


async def test_the_managed_identity_signs_in(tmp_path: Path) -> None:
    entra = UpstreamIdentity()
    authority = {"REQUESTS_CA_BUNDLE": str(tmp_path / "certificate.pem")}
    async with issuing(entra) as issuer, ingesting(certificate(tmp_path)) as ingestion:
        endpoint = {"IDENTITY_ENDPOINT": f"{issuer.origin}{IDENTITY_PATH}", "IDENTITY_HEADER": entra.header}
        way = {"APPLICATIONINSIGHTS_AUTHENTICATION_STRING": f"ClientId={KEY};Authorization=AAD"}
        await tell("count", ingestion, **authority, **endpoint, **way)
        asked = [(seen.query["client_id"], seen.query["resource"]) for seen in issuer.requests]
    assert ingestion.spans()
    assert ingestion.metrics()
    assert {headers["Authorization"] for headers in ingestion.headers} == {f"Bearer {token}" for token in entra.given}
    assert set(asked) == {(KEY, "https://monitor.azure.com/")}


async def test_what_sends_is_not_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, telemetry.export, telemetry.metrics, telemetry.tracing;"
        " print([name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'azure', 'requests'))])"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert output == b"[]\n"


@asynccontextmanager
async def refusing_proxy() -> AsyncIterator[tuple[str, list[bytes]]]:
    """Notes who is to be called, and calls nobody."""
    asked: list[bytes] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.close()

    server = await asyncio.start_server(note, "127.0.0.1")
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


def certificate(folder: Path) -> ssl.SSLContext:
    """Make one for this machine, whose public part is put into the folder as well."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now, day = dt.datetime.now(dt.UTC), dt.timedelta(days=1)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
    signed = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "certificate.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    return context
