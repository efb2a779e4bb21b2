"""Attacks by addresses that stand for a person: forged, replayed, of others, and of other kinds of sealed texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from time import time
from typing import Any, ClassVar
from urllib.parse import quote

import pytest

from identity.bridge.browsers import Browser
from identity.bridge.registrations import Registered
from identity.bridge.tokens import Renewal
from identity.seals import Seals
from tests.attacks.place import KEY, OLD_KEY, Place, attacked, gains_nothing
from tests.fakes.issuer import CLIENT, TENANT, USER
from tests.mcp_server.caller import Caller, message
from updates.showing.exports import FORMS

pytestmark = pytest.mark.anyio

OTHER = "0b1ec7ed-0000-4000-8000-0000000000ff"
PURPOSE = "personal addresses 1"
CLOSED = "signed-in:\n  firewall: read\nroles:\n  Reader:\n    all: read\n"


@dataclass(frozen=True)
class Forged:
    """What an attacker who knows the form would seal, and for whom."""

    kind: ClassVar[str] = "personal address"
    seconds: ClassVar[int] = 3600

    given: float
    caller: tuple[str, ...]
    roles: tuple[str, ...] = ("Reader",)
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True)
class OfAnotherKind(Forged):
    kind: ClassVar[str] = "code"


ADA = ("user", TENANT, USER, CLIENT, "issuer")
FORGED: dict[str, Callable[[], str]] = {
    "sealed with another key": lambda: Seals(["attacker" * 8], purpose=PURPOSE).seal(Forged(time(), ADA)),
    "sealed with an earlier key": lambda: Seals([OLD_KEY], purpose=PURPOSE).seal(Forged(time(), ADA)),
    "sealed for the bridge": lambda: Seals([KEY]).seal(Forged(time(), ADA)),
    "sealed for another purpose": lambda: Seals([KEY], purpose="personal addresses 2").seal(Forged(time(), ADA)),
    "sealed as another kind": lambda: Seals([KEY], purpose=PURPOSE).seal(OfAnotherKind(time(), ADA)),
    "sealed a year ago": lambda: Seals([KEY], lambda: time() - 4000, PURPOSE).seal(Forged(time(), ADA)),
    "a registration of the bridge": lambda: Seals([KEY]).seal(Registered("name", ["https://client.example.net/"])),
    "a refresh token of the bridge": lambda: Seals([KEY]).seal(Renewal("client", "token", "", "session", 1)),
    "a cookie of the bridge": lambda: Seals([KEY]).seal(Browser("id")),
    "what is in it, not sealed": lambda: repr(astuple(Forged(time(), ADA))),
    "nothing but a nonce": lambda: "A" * 16,
    "a nonce and a tag of zeros": lambda: "A" * 38,
    "one letter": lambda: "A",
    "letters of the other base64": lambda: "+/+/" * 20,
    "letters that are none": lambda: "\u0410" * 40,
    "a nul": lambda: "\0" * 40,
    "seventeen kilobytes": lambda: "A" * 17_000,
    "a megabyte": lambda: "A" * 1_000_000,
    "a token of nobody": lambda: "eyJhbGciOiJub25lIn0.eyJvaWQiOiJ4In0.",
    "a path": lambda: "../../etc/passwd",
    "a line": lambda: "x\r\nX-Evil: 1",
}


@pytest.mark.parametrize("make", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_an_address_that_was_given_to_nobody_opens_and_ends_nothing(
    place: Place, make: Callable[[], str], method: str
) -> None:
    own = await place.token()
    forged = make()
    answer = await place.get(f"/updates.csv?feed={quote(forged, safe='')}", method)
    gains_nothing(answer, 401, largest=512)
    assert len(forged) < 20 or forged.encode() not in answer.body
    assert (await place.get(f"/updates.csv?limit=1&feed={own}")).status == 200


MADE: dict[str, Callable[[str], str]] = {
    "in upper case": str.upper,
    "in lower case": str.lower,
    "backwards": lambda token: token[::-1],
    "twice": lambda token: token * 2,
    "padded": lambda token: token + "=" * (-len(token) % 4 or 4),
    "with a blank before": lambda token: f"%20{token}",
    "with a line behind": lambda token: f"{token}%0A",
    "with a nul behind": lambda token: f"{token}%00",
    "cut at its nonce": lambda token: token[16:],
    "cut at its tag": lambda token: token[:-22],
    "with another tag": lambda token: token[:-22] + "A" * 22,
    "in quotes": lambda token: f"%22{token}%22",
    "encoded twice": lambda token: "".join(f"%25{ord(letter):02x}" for letter in token),
}


@pytest.mark.parametrize("change", MADE.values(), ids=MADE)
async def test_an_address_that_was_changed_is_none(place: Place, change: Callable[[str], str]) -> None:
    gains_nothing(await place.get(f"/updates.csv?feed={change(await place.token())}"), 401, largest=512)


NAMED = {
    "a good one before a bad one": "feed={good}&feed=bad",
    "in other letters": "FEED={good}",
    "as a list": "feed[]={good}",
    "in an object": "feed.token={good}",
    "behind a semicolon": "limit=1;feed={good}",
    "in a fragment": "limit=1%23feed={good}",
    "as an access token": "access_token={good}",
    "as a function key": "code={good}",
    "with an encoded equals sign": "feed%3D{good}",
    "empty": "feed=",
    "without a value": "feed",
    "empty after a good one": "feed={good}&feed=",
}


@pytest.mark.parametrize("query", NAMED.values(), ids=NAMED)
async def test_an_address_counts_only_under_its_name_and_the_last_of_several(place: Place, query: str) -> None:
    good = await place.token()
    answer = await place.get(f"/updates.csv?{query.format(good=good)}")
    gains_nothing(answer, 401, largest=512)
    assert good.encode() not in answer.body + repr(answer.headers).encode()


ELSEWHERE: dict[str, Callable[[str], dict[str, str]]] = {
    "as a bearer token": lambda token: {"authorization": f"Bearer {token}"},
    "as a password": lambda token: {"authorization": f"Basic {token}"},
    "as a cookie": lambda token: {"cookie": f"feed={token}; __Host-sign-in={token}"},
    "as a function key": lambda token: {"x-functions-key": token},
    "as a principal": lambda token: {"x-ms-client-principal": token},
    "as a header of its own": lambda token: {"feed": token, "x-feed": token},
}


@pytest.mark.parametrize("headers", ELSEWHERE.values(), ids=ELSEWHERE)
async def test_an_address_signs_nobody_in(place: Place, headers: Callable[[str], dict[str, str]]) -> None:
    sent = headers(await place.token(roles=["Admin"]))
    gains_nothing(await Caller(place.app.endpoint, "all", sent).send("tools/list"), 400, 401)
    gains_nothing(await place.get("/updates.csv", **sent), 400, 401)


async def test_an_address_opens_no_tool_behind_the_files(place: Place) -> None:
    request = replace(message("tools/list"), query=f"feed={await place.token()}")
    gains_nothing(await place.app.endpoint.handle(request, "all"), 401)


async def test_an_address_of_somebody_is_not_lifted_by_the_token_of_another(place: Place, tmp_path: Path) -> None:
    """The roles are those of the address, whoever sends a token along."""
    roles = tmp_path / "roles.yaml"
    roles.write_text(CLOSED, encoding="utf-8")
    weak = await place.token(oid=OTHER)
    async with attacked(tmp_path, AUTH_ROLES_FILE=str(roles)) as closed:
        gains_nothing(await closed.get(f"/updates.csv?feed={weak}", **closed.bearing(roles=["Reader"])), 401, 403)


@pytest.mark.parametrize("headers", [{}, {"if_none_match": "*"}, {"cookie": "x=y"}])
async def test_an_address_that_was_ended_stays_so(tmp_path: Path, headers: dict[str, str]) -> None:
    async with attacked(tmp_path) as place:
        token = await place.token()
        assert (await place.get(f"/updates.csv?feed={token}", "DELETE")).status == 200
        for form in FORMS:
            gains_nothing(await place.get(f"/updates.{form}?feed={token}", **headers), 401)
        # To end it again is no new end for what was given in between.
        fresh = await place.token()
        assert (await place.get(f"/updates.csv?limit=1&feed={fresh}")).status == 200
    async with attacked(tmp_path) as restarted:
        gains_nothing(await restarted.get(f"/updates.csv?feed={token}"), 401)


@pytest.mark.parametrize(
    ("claims", "is_same_person"),
    [
        ({"azp": "another-client"}, True),
        ({"roles": ["Admin"]}, True),
        ({"oid": OTHER}, False),
        ({"oid": USER.upper()}, False),
        ({"oid": f"{USER} "}, False),
        ({"sub": OTHER}, True),
        ({"preferred_username": "ada@example.com", "oid": OTHER}, False),
    ],
    ids=str,
)
async def test_to_end_ones_own_addresses_ends_nobody_elses(
    tmp_path: Path, claims: dict[str, Any], is_same_person: bool
) -> None:
    async with attacked(tmp_path) as place:
        theirs, own = await place.token(), await place.token(**claims)
        assert (await place.get(f"/updates.csv?feed={own}", "DELETE")).status == 200
        assert (await place.get(f"/updates.csv?limit=1&feed={theirs}")).status == (401 if is_same_person else 200)


async def test_an_ending_without_an_address_ends_nothing(place: Place) -> None:
    own = await place.token()
    for query in ("", "feed=", "feed=x", "limit=1"):
        gains_nothing(await place.get(f"/updates.csv?{query}", "DELETE", **place.bearing()), 401)
    assert (await place.get(f"/updates.csv?limit=1&feed={own}")).status == 200


async def test_what_is_forged_here_has_the_form_of_what_is_given(place: Place) -> None:
    """Else it would be refused for the want of it."""
    right = Seals([KEY], purpose=PURPOSE).seal(Forged(time(), ADA))
    assert (await place.get(f"/updates.csv?limit=1&feed={right}")).status == 200
