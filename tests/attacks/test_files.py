"""Attacks on the updates as files: their parameters, methods, hosts and tags."""

from __future__ import annotations

import pytest

from mcp_server.http.messages import HttpRequest
from tests.attacks.place import HOST, Place, gains_nothing, tells_nothing_of_the_inside
from updates.showing.exports import FORMS

pytestmark = pytest.mark.anyio

LARGEST_FILE = 2 * 1024 * 1024
ACTIVE = "<script>alert(1)</script>"

REFUSED = {
    "limit below any": "limit=-1",
    "limit of nothing": "limit=0",
    "limit with a sign": "limit=%2B1",
    "limit with a blank": "limit=%201",
    "limit in hexadecimal": "limit=0x10",
    "limit with an exponent": "limit=1e3",
    "limit with an underscore": "limit=1_0",
    "limit above the most": "limit=10001",
    "limit of five thousand digits": "limit=" + "9" * 5000,
    "limit by a fraction of a number": "limit=%C2%BD",
    "limit by a raised number": "limit=%C2%B2",
    "limit above the most behind zeros": "limit=0000019999999",
    "limit of five thousand zeros": "limit=" + "0" * 5000 + "1",
    "limit empty": "limit=",
    "limit twice, the good one first": "limit=1&limit=0",
    "limit with a nul": "limit=1%00",
    "limit with a line": "limit=1%0D%0AX-Evil:%201",
    "parameter of another name": "offset=1",
    "parameter of another case": "LIMIT=1",
    "parameter with brackets": "limit[]=1",
    "parameter of the language": "__class__=x",
    "parameter with a dot": "filters.status=x",
    "parameter that is active": f"{ACTIVE}=1",
    "parameter of a thousand letters": "x" * 1000 + "=1",
    "parameter that is a line": "a%0D%0AX-Evil:%201=1",
    "parameter that is no text": "%FF%FE=1",
    "parameter with a nul": "limit%00=1",
    "date that is none": "dateFrom=2026-13-45",
    "date beyond all": "dateFrom=999999-01-01",
    "date below all": "dateTo=-0001-01-01",
    "date that is a query": "dateFrom=2026-01-01%20OR%201%3D1",
    "date in other digits": "dateFrom=%D9%A2%D9%A0%D9%A2%D9%A6-%D9%A0%D9%A1-%D9%A0%D9%A1",
    "date of ten thousand digits": "dateFrom=" + "2" * 10_000,
    "field of a date that is none": "dateField=__dict__",
    "order that is none": "sortBy=constructor:asc",
    "order with two directions": "sortBy=modified:asc:desc",
    "order that is a query": "sortBy=modified;drop%20table",
    "order of ten thousand letters": "sortBy=" + "a" * 10_000,
    "status that is none": "status=" + "%25" * 100,
    "ring that is none": "availabilityRing=..%2F..%2Fetc",
}

FOUND = {
    "a query of quotes": "query=%22%22%22%22",
    "a query of brackets": "query=" + "(" * 2000,
    "a query of signs": "query=" + "%2B-%21%5E~*%3F%3A%5C" * 100,
    "a query of an open phrase": "query=%22virtual",
    "a query of a slash pattern": "query=/(a%2B)%2B$/",
    "a query of a range": "query=title:[a%20TO%20*]",
    "a query of half a character": "query=%ED%A0%80",
    "a query that turns around": "query=%E2%80%AEsetadpu",
    "a query of a field inside": "query=body:x%20OR%20_id:*",
    "a query of nothing but blanks": "query=" + "%20" * 2000,
    "a query of zero-width letters": "query=" + "%E2%80%8B" * 500,
    "a query that is active": f"query={ACTIVE}",
    "a query of ten thousand words": "query=" + "+".join(f"w{number}" for number in range(2000)),
}


@pytest.mark.parametrize("query", REFUSED.values(), ids=REFUSED)
async def test_a_parameter_that_makes_no_sense_is_refused_in_few_words(place: Place, query: str) -> None:
    answer = await place.get(f"/updates.csv?{query}", **place.bearing())
    gains_nothing(answer, 400, largest=4096)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("query", FOUND.values(), ids=FOUND)
async def test_a_query_of_tricks_is_a_query_and_no_more(place: Place, query: str, form: str) -> None:
    answer = await place.get(f"/updates.{form}?limit=5&{query}", **place.bearing())
    assert answer.status in {200, 400}
    tells_nothing_of_the_inside(answer)
    assert len(answer.body) <= LARGEST_FILE
    assert ACTIVE.encode() not in answer.body


@pytest.mark.parametrize("name", ["tags", "products", "productCategories"])
async def test_a_list_of_a_hundred_thousand_names_costs_little(place: Place, name: str) -> None:
    answer = await place.get(f"/updates.csv?{name}={'a,' * 100_000}", **place.bearing())
    assert answer.status in {200, 400}
    assert len(answer.body) <= 4096


async def test_a_hundred_thousand_parameters_are_answered_by_one_sentence(place: Place) -> None:
    answer = await place.get("/updates.csv?" + "&".join(f"p{number}=1" for number in range(100_000)), **place.bearing())
    gains_nothing(answer, 400, largest=1024)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "", "GET /"])
async def test_a_file_is_only_got(place: Place, method: str) -> None:
    gains_nothing(await place.get("/updates.csv", method, **place.bearing()), 405)


HOSTS = {
    "nothing": "",
    "a name of somebody": "evil.example.com",
    "ours below theirs": "localhost.evil.example.com",
    "theirs with our port": "evil.example.com:7071",
    "ours as a user": "localhost:7071@evil.example.com",
    "theirs in a path": "localhost/../evil.example.com",
    "two names": "localhost:7071, evil.example.com",
    "a line": "localhost:7071\r\nX-Evil: 1",
    "a nul": "localhost\0.evil.example.com",
    "a port of other digits": "localhost:\u0667\u0660\u0667\u0661",
    "a port of too many digits": "localhost:" + "7" * 100_000,
    "an address that is not this machine": "[::2]",
    "an address around another": "[::ffff:127.0.0.1]",
    "a number for this machine": "2130706433",
    "another number of this machine": "127.1",
    "a dot at the end": "localhost.",
    "letters that look the same": "l\u043ecalhost",
    "wide letters": "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54",
    "a star": "*",
    "a star for the port": "localhost:*",
}


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
@pytest.mark.parametrize("path", ["/updates.csv?limit=1", "/health", "/nowhere"])
async def test_who_comes_for_another_host_is_told_nothing(place: Place, path: str, host: str) -> None:
    answer = await place.get(path, **place.bearing(), host=host)
    gains_nothing(answer, 421, largest=256)


@pytest.mark.parametrize("origin", ["https://evil.example.com", "null", "http://localhost.evil.example.com", "*"])
@pytest.mark.parametrize("path", ["/updates.csv?limit=1", "/health"])
async def test_no_page_of_others_may_read_an_answer(place: Place, path: str, origin: str) -> None:
    answer = await place.get(path, **place.bearing(), origin=origin)
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "tags",
    ['"' * 50_000, "W/" * 50_000, ", ".join(['"x"'] * 20_000), '"\r\nX-Evil: 1"', "\ud800", '"' + "0" * 32 + '"'],
)
async def test_a_tag_that_is_not_ours_brings_the_file(place: Place, tags: str) -> None:
    answer = await place.get("/updates.csv?limit=1", **place.bearing(), if_none_match=tags)
    assert answer.status == 200
    tells_nothing_of_the_inside(answer)


async def test_a_tag_opens_nothing_to_who_has_not_signed_in(place: Place) -> None:
    known = (await place.get("/updates.csv?limit=1", **place.bearing())).headers.get("etag", '"x"')
    for tag in (known, "*"):
        gains_nothing(await place.get("/updates.csv?limit=1", if_none_match=tag), 401)


async def test_a_file_is_kept_for_nobody_else(place: Place) -> None:
    answer = await place.get("/updates.csv?limit=1", **place.bearing())
    assert answer.headers["cache-control"].startswith("private")
    assert answer.headers["x-content-type-options"] == "nosniff"


WRONG_ADDRESSES = {
    "a file of the app": "/host.json",
    "a path that climbs": "/../../etc/passwd",
    "a path that climbs, encoded": "/%2e%2e/%2e%2e/etc/passwd",
    "the code of the platform": "/admin/host/keys",
    "the code of a repository": "/.git/config",
    "an export of another form": "/updates.exe",
    "a template": "/{{7*7}}",
    "a script": "/<script>alert(1)</script>",
    "a line": "/x\r\nSet-Cookie: a=b",
    "a hundred thousand letters": "/" + "a" * 100_000,
}


@pytest.mark.parametrize("path", WRONG_ADDRESSES.values(), ids=WRONG_ADDRESSES)
async def test_a_wrong_address_is_not_repeated(place: Place, path: str) -> None:
    answer = await place.pages.directions(HttpRequest("GET", path, {"host": HOST}, b""))
    gains_nothing(answer, 404, largest=2048)
    assert path.encode() not in answer.body
    assert answer.headers["content-type"].startswith("text/plain")


async def test_a_body_of_five_megabytes_goes_nowhere(place: Place) -> None:
    large = HttpRequest("POST", "/nowhere", {"host": HOST}, b"x" * (5 * 1024 * 1024))
    gains_nothing(await place.pages.directions(large), 413)
