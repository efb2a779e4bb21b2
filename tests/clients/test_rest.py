from __future__ import annotations

import gzip
import json
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    DecodeError,
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
    ServiceRequestError,
)
from azure.core.pipeline.policies import AzureKeyCredentialPolicy
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.rest import RestClient
from refusal import Refusal
from tests.clients.rest_service import DAMAGED, NOTHING, Service, client_of
from tests.fakes.transport import HastyTransport
from tests.sweeps import examples

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "http://localhost@example.com",
        "https://user:secret@example.com",
        "https://example.com/?key=secret",
        "https://example.com/#part",
        "https://example.com:port",
        "https://",
        "http://[::1",
        "ftp://localhost",
        "//example.com",
        "",
    ],
)
def test_an_address_that_is_not_private_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(Refusal) as refused:
        RestClient(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["https://example.com", "https://example.com/a/b/", "http://localhost:1/a", "http://127.0.0.1", "http://[::1]:9"],
)
async def test_a_private_address_is_accepted(url: str) -> None:
    async with RestClient(url):
        pass


async def test_a_request_is_sent_as_it_is_written() -> None:
    service = Service()
    async with client_of(service) as client:
        body = [{"op": "add"}]
        await client.send(
            "PATCH /{project}/_apis/items/{id}",
            {"project": "my project", "id": 7},
            {"$top": 5, "flag": True, "none": None, "text": "a&b=c+d é"},
            body=body,
            headers={"Content-Type": "application/json-patch+json"},
        )
    (asked,) = service.asked
    assert asked.method == "PATCH"
    assert asked.rel_url.raw_path == "/base/my%20project/_apis/items/7"
    assert dict(asked.query) == {"$top": "5", "flag": "true", "text": "a&b=c+d é"}
    assert json.loads(service.bodies[0]) == body
    assert asked.headers["Content-Type"] == "application/json-patch+json"
    assert asked.headers["User-Agent"].startswith("azure-team-mcp")


async def test_the_decoded_answer_is_returned() -> None:
    service = Service([web.json_response({"value": ["é", 1, None]})])
    async with client_of(service) as client:
        assert await client.get("/list", {"$top": 1}) == {"value": ["é", 1, None]}


async def test_an_answer_may_be_compressed_and_begin_with_a_byte_order_mark() -> None:
    answer = web.Response(body='\ufeff{"fine": "é"}'.encode(), content_type="application/json", charset="utf-8")
    answer.enable_compression()
    service = Service([answer])
    async with client_of(service) as client:
        assert await client.get("/x") == {"fine": "é"}
    assert service.asked[0].headers["Accept-Encoding"] == "gzip"


async def test_an_answer_that_is_no_json_at_all_is_an_error() -> None:
    service = Service([web.Response(text="<html>Sign in</html>", content_type="text/html")])
    async with client_of(service) as client:
        with pytest.raises(DecodeError):
            await client.get("/x")


@settings(max_examples=examples(60), deadline=None)
@given(value=st.text(min_size=1).filter(lambda text: text not in {".", ".."}))
async def test_a_value_fills_exactly_one_segment(value: str) -> None:
    service = Service()
    async with client_of(service) as client:
        await client.get("/before/{value}/after", value=value)
    segments = service.asked[0].rel_url.raw_parts
    assert segments[:3] == ("/", "base", "before")
    assert len(segments) == 5
    assert service.asked[0].rel_url.parts[3] == value


@pytest.mark.parametrize("value", ["", ".", "..", "\ud800"])
async def test_a_value_that_is_no_segment_is_refused_and_nothing_is_sent(value: str) -> None:
    service = Service()
    async with client_of(service) as client:
        with pytest.raises(Refusal, match="project"):
            await client.get("/{project}/secrets", project=value)
    assert service.asked == []


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
async def test_a_passing_failure_is_tried_again(status: int) -> None:
    service = Service([web.Response(status=status), web.json_response({"fine": True})])
    async with client_of(service) as client:
        assert await client.get("/x") == {"fine": True}
    assert service.transport.waits == [0.5]


@pytest.mark.parametrize(
    "broken",
    [
        web.json_response(text='{"cut": '),
        web.json_response(text=""),
        web.Response(body=b"no gzip at all", headers=DAMAGED),
        web.Response(body=gzip.compress(b'{"value": []}')[:-12], headers=DAMAGED),
        NOTHING,
    ],
)
async def test_a_broken_answer_is_tried_again(broken: web.Response | None) -> None:
    service = Service([broken, web.json_response({"fine": True})])
    async with client_of(service) as client:
        assert await client.get("/x") == {"fine": True}


async def test_pauses_grow_until_the_patience_ends() -> None:
    service = Service([web.Response(status=503) for _ in range(20)])
    async with client_of(service, patience=10) as client:
        with pytest.raises(HttpResponseError) as failed:
            await client.get("/x")
    assert failed.value.status_code == 503
    assert service.transport.waits == [0.5, 1, 2, 4, 8]


async def test_an_answer_that_stays_broken_is_an_error_that_carries_it() -> None:
    service = Service([web.json_response(text="[" * 100_000) for _ in range(9)])
    async with client_of(service) as client:
        with pytest.raises(DecodeError) as failed:
            await client.get("/x")
    assert failed.value.response


async def test_an_unreachable_service_is_an_error() -> None:
    async with Service().serving() as url:
        pass
    async with RestClient(url, transport=HastyTransport()) as client:
        with pytest.raises(ServiceRequestError):
            await client.get("/x")


def moment_from_now(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


async def test_the_service_says_how_long_to_wait() -> None:
    service = Service([web.Response(status=429, headers={"Retry-After": "9"})])
    async with client_of(service) as client:
        await client.get("/x")
    assert service.transport.waits == [9]


async def test_of_the_waits_of_several_limits_the_longest_counts() -> None:
    limits = {"x-limit-a-retry-after": "4", "x-limit-b-Retry-After": "11", "x-limit-c-retry-after": "soon"}
    service = Service([web.Response(status=429, headers=limits)])
    async with client_of(service) as client:
        await client.get("/x")
    assert service.transport.waits == [11]


async def test_the_service_says_until_when_to_wait() -> None:
    service = Service([web.Response(status=503, headers={"Retry-After": moment_from_now(15)})])
    async with client_of(service) as client:
        await client.get("/x")
    assert 13 < service.transport.waits[0] <= 15


@pytest.mark.parametrize(
    "text", ["0", "-5", "nan", "inf", "1e9", "soon", "99 Xyz 9999", pytest.param(moment_from_now(-100), id="past")]
)
async def test_a_senseless_wait_becomes_the_usual_pause(text: str) -> None:
    service = Service([web.Response(status=429, headers={"Retry-After": text})])
    async with client_of(service) as client:
        await client.get("/x")
    assert service.transport.waits == [0.5]


@pytest.mark.parametrize("text", ["21", "99999999999999999999999", pytest.param(moment_from_now(3600), id="far")])
async def test_a_wait_beyond_the_patience_is_not_begun(text: str) -> None:
    service = Service([web.Response(status=429, headers={"Retry-After": text})])
    async with client_of(service) as client:
        with pytest.raises(HttpResponseError) as failed:
            await client.get("/x")
    assert failed.value.status_code == 429
    assert service.transport.waits == []


async def test_what_may_have_happened_is_not_sent_twice() -> None:
    service = Service([web.Response(status=503), NOTHING])
    async with client_of(service) as client:
        with pytest.raises(HttpResponseError):
            await client.send("POST /orders", {}, body={})
        with pytest.raises(ServiceRequestError):
            await client.send("PATCH /orders/1", {}, body={})
    assert len(service.asked) == 2


async def test_what_was_turned_away_is_sent_again() -> None:
    service = Service([web.Response(status=429)])
    async with client_of(service) as client:
        await client.send("POST /orders", {}, body={"n": 1})
    assert service.bodies == ['{"n": 1}'] * 2


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, HttpResponseError),
        (401, ClientAuthenticationError),
        (404, ResourceNotFoundError),
        (409, ResourceExistsError),
    ],
)
async def test_a_refusal_of_the_service_is_not_tried_again(status: int, error: type[AzureError]) -> None:
    service = Service([web.json_response({"message": "no"}, status=status)])
    async with client_of(service) as client:
        with pytest.raises(error):
            await client.get("/x")
    assert len(service.asked) == 1


async def test_a_redirect_is_not_followed() -> None:
    service = Service([web.Response(status=302, headers={"Location": "/elsewhere"})])
    async with client_of(service) as client:
        with pytest.raises(HttpResponseError) as failed:
            await client.send("GET /x", {})
    assert failed.value.status_code == 302
    assert len(service.asked) == 1


async def test_secrets_stay_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    service = Service([web.Response(status=503)])
    signing = AzureKeyCredentialPolicy(AzureKeyCredential("top-secret"), "Authorization")
    caplog.set_level(logging.DEBUG)
    async with (
        service.serving() as url,
        RestClient(url, authentication=signing, transport=service.transport) as client,
    ):
        await client.get("/x", {"token": "top-secret"})
    assert [request.headers["Authorization"] for request in service.asked] == ["top-secret"] * 2
    ours = [record.getMessage() for record in caplog.records if record.name.startswith(("azure", "clients"))]
    assert ours
    assert "top-secret" not in "".join(ours)


async def test_bytes_are_sent_as_they_are_and_a_caller_says_what_it_accepts() -> None:
    service = Service()
    async with client_of(service) as client:
        headers = {"Accept": "text/plain", "Content-Type": "application/octet-stream"}
        await client.send("POST /files", {}, body=b"\x01\x02", headers=headers)
    assert service.bodies == ["\x01\x02"]
    assert service.asked[0].headers["Content-Type"] == "application/octet-stream"
    assert service.asked[0].headers["Accept"] == "text/plain"


@pytest.mark.parametrize(("method", "repeatable", "sent"), [("POST", True, 2), ("PUT", False, 1)])
async def test_a_caller_may_know_better_than_the_method_what_is_safe_to_repeat(
    method: str, repeatable: bool, sent: int
) -> None:
    service = Service([web.Response(status=503)])
    async with client_of(service) as client:
        try:
            await client.send(f"{method} /x", {}, repeatable=repeatable)
        except HttpResponseError:
            assert not repeatable
    assert len(service.asked) == sent


async def test_an_answer_may_be_cut_where_a_caller_wants_no_more() -> None:
    service = Service([web.Response(status=503, text="x" * 1000), web.Response(text="0123456789")])
    async with client_of(service) as client:
        reply = await client.send("GET /x", {}, cut_at=4)
    assert (reply.content, reply.is_cut) == (b"0123", True)
    assert len(service.asked) == 2
