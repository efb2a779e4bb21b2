"""The last that is allowed passes, and the first that is not is refused."""

from __future__ import annotations

import asyncio
import json
import zlib
from base64 import b64encode
from collections.abc import Collection
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, ClassVar, cast

import pytest
from azure.core.credentials import AccessToken
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from starlette.datastructures import FormData, QueryParams, UploadFile

from clients.folder_storage import FolderStorage
from clients.storage import Row, StorageError
from identity.admission import Admission
from identity.bridge.client import checked_redirects, shown_name
from identity.bridge.offer import BridgeOffer, NotOfferedError, Site, given, resources
from identity.bridge.redirects import checked_redirect
from identity.bridge.registrations import Registrations
from identity.caller import Caller, CallerKind
from identity.challenges import claims_challenge
from identity.claims import caller_of
from identity.denial import Denial, Unavailable
from identity.personal_addresses import PersonalAddresses
from identity.platform_sign_in import PlatformSignIn
from identity.seals import Seals
from identity.token_cache import Purpose, TokenCache
from identity.toolset_names import problem_of_external
from identity.unverified_token import read
from refusal import Refusal
from tests.fakes.issuer import SCOPE, TENANT, encoded
from tests.identity.clock import Clock
from tests.identity.denials import denied
from tests.identity.principals import principal

pytestmark = pytest.mark.anyio

ADA: dict[str, Any] = {"oid": "ada", "tid": "home", "scp": "access"}
KEYS = ["a key of at least thirty-two characters"]
CALLER = Caller(CallerKind.USER, tenant="home", subject="ada", issuer="issuer")


def test_a_token_has_up_to_16_kilobytes() -> None:
    start = f"{encoded(b'{}')}.{encoded(b'{}')}."
    fitting = start + "A" * (16 * 1024 - len(start))
    assert read(fitting).claims == {}
    with pytest.raises(Denial, match="larger than 16384 bytes"):
        read(f"{fitting}A")


@pytest.mark.parametrize(
    ("claim", "of_the_caller", "longest"), [("uti", "token_id", 100), ("jti", "token_id", 100), ("name", "name", 200)]
)
def test_a_longer_name_or_id_is_ignored(claim: str, of_the_caller: str, longest: int) -> None:
    for length, kept in ((longest, "a" * longest), (longest + 1, "")):
        assert getattr(caller_of({**ADA, claim: "a" * length}, ""), of_the_caller) == kept


@pytest.mark.parametrize(("value", "is_kept"), [("", False), ("a", True), ("a" * 200, True), ("a" * 201, False)])
def test_values_of_claims_are_short_and_not_empty(value: str, is_kept: bool) -> None:
    assert ("dept" in caller_of({**ADA, "dept": value}, "").claims) == is_kept


@pytest.mark.parametrize("facets", ["1" * 6, " ".join(["1"] * 64)])
def test_facets_are_up_to_64_numbers_of_six_digits(facets: str) -> None:
    claims = {**ADA, "xms_act_fct": facets}
    assert caller_of(claims, "").agent is None
    for longer in (f"{facets}1" if " " not in facets else f"{facets} 1", facets.replace("1", "a")):
        with pytest.raises(Denial, match="not a list of numbers"):
            caller_of({**claims, "xms_act_fct": longer}, "")


async def test_a_principal_has_up_to_64_kilobytes() -> None:
    platform = PlatformSignIn(Admission.of([], SCOPE, [TENANT]), is_on=True)
    content = json.dumps(principal()).encode()
    fitting = b64encode(content.ljust(48 * 1024)).decode()
    assert len(fitting) == 64 * 1024
    assert (await platform.caller({"x-ms-client-principal": fitting})).tenant == TENANT
    larger = b64encode(content.ljust(48 * 1024 + 3)).decode()
    assert "invalid" in (await denied(platform.caller({"x-ms-client-principal": larger}))).description


def test_a_challenge_is_read_within_8_kilobytes_of_its_header() -> None:
    start, end = 'Bearer error="insufficient_claims", pad="', f'", claims={encoded(b"[]")}'.replace("W10", "eyJhIjoxfQ")
    pad = "x" * (8192 - len(start) - len(end))
    challenge = claims_challenge(f"{start}{pad}{end}")
    assert challenge is not None
    assert challenge.claims == '{"a":1}'
    assert claims_challenge(f"{start}{pad}x{end}") is None


def test_the_name_of_an_external_toolset_has_up_to_40_characters() -> None:
    assert problem_of_external("a" * 40, ()) == ""
    assert "at most 40" in problem_of_external("a" * 41, ())


def test_a_redirect_has_up_to_500_characters_and_a_client_1_to_10_of_them() -> None:
    start = "https://client.example.net/"
    assert checked_redirect(start.ljust(500, "a")) == start.ljust(500, "a")
    with pytest.raises(Refusal, match="up to 500"):
        checked_redirect(start.ljust(501, "a"))
    assert len(checked_redirects([f"{start}{number}" for number in range(10)])) == 10
    for count in (0, 11):
        with pytest.raises(Refusal, match="1 to 10"):
            checked_redirects([f"{start}{number}" for number in range(count)])


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a" * 101, "a" * 100), (" a ", "a"), ("a\nb", "ab"), (" \n", "A client without a name")],
)
def test_a_client_is_shown_by_up_to_100_characters_of_its_name(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@pytest.mark.parametrize(("length", "is_registered"), [(2000, True), (2001, False)])
def test_the_id_of_a_client_has_up_to_2000_characters(
    monkeypatch: pytest.MonkeyPatch, length: int, *, is_registered: bool
) -> None:
    seals, no_documents = Seals(["secret"]), cast("Any", None)
    monkeypatch.setattr(seals, "seal", lambda _registered: "x" * length)
    registrations = Registrations(seals, no_documents)
    if is_registered:
        assert registrations.register("Client", ["https://client.example.net/"]) == "x" * length
    else:
        with pytest.raises(Refusal, match="too long in total"):
            registrations.register("Client", ["https://client.example.net/"])


SITE = "https://mcp.example.com"
OFFER = BridgeOffer(Site("Example", SITE, [f"{SITE}/mcp"]), "api://x/access api://x/approve")


@pytest.mark.parametrize(
    ("resource", "is_ours"),
    [
        (f"{SITE}/mcp", True),
        (f"{SITE}/mcp/", True),
        (f"{SITE}/mcp/readonly", True),
        (f"{SITE}/tools", False),
        (f"{SITE}/mcp2", False),
        (SITE, False),
        ("", False),
        *(
            (f"{SITE}/mcp/{name}", False)
            for name in ("ä", "a?b", "a#b", "a\\b", "%2e%2e", "../a", "./a", "a/.b", "a\x00", "a\n")
        ),
    ],
)
def test_tokens_are_for_resources_of_this_server(resource: str, is_ours: bool) -> None:
    assert OFFER.is_ours(resource) == is_ours
    if is_ours:
        OFFER.check(None, [f"{SITE}/mcp", resource])
    else:
        with pytest.raises(NotOfferedError) as refused:
            OFFER.check("", [f"{SITE}/mcp", resource])
        assert refused.value.error == "invalid_target"


def test_scopes_are_those_that_are_offered_and_the_first_is_always_one() -> None:
    OFFER.check("api://x/approve openid offline_access", [])
    with pytest.raises(NotOfferedError) as refused:
        OFFER.check(f"api://x/access {'u' * 101}", [])
    assert refused.value.error == "invalid_scope"
    assert f"Unknown scope {'u' * 100!r}." in str(refused.value.description)
    assert OFFER.further(["api://x/approve", "api://x/access", "openid"]) == "api://x/approve"
    assert OFFER.wanted("") == "api://x/access"
    assert OFFER.wanted("openid api://x/approve") == "api://x/access api://x/approve"


def test_a_parameter_is_given_once_as_text_and_resources_are_left_out() -> None:
    assert given(QueryParams("a=1&b=&resource=x&resource=y&b=2")) == {"a": "1", "b": "2"}
    with pytest.raises(Refusal, match="'a' must be given once"):
        given(QueryParams("a=1&a=2"))
    with pytest.raises(Refusal, match=f"'{'n' * 40}' must be given once"):
        given(FormData([("n" * 41, UploadFile(BytesIO()))]))
    assert resources(QueryParams("resource=x&resource=&resource=y")) == ["x", "y"]


@dataclass(frozen=True)
class Note:
    kind: ClassVar[str] = "note"
    seconds: ClassVar[int] = 60

    text: str


def sealed_before(expiry: float, purpose: str, nonce: int = 12) -> str:
    """What an earlier version sealed."""
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(KEYS[0].encode())
    start, content = b"\x01" * nonce, zlib.compress(json.dumps([expiry, "kept"]).encode())
    return encoded(start + AESGCM(key).encrypt(start, content, b"note"))


def test_what_an_earlier_version_sealed_is_opened_for_as_long_as_it_may_be() -> None:
    clock = Clock()
    seals, before = Seals(KEYS, clock, "notes 1"), sealed_before(clock.now + 60, "notes 1")
    clock.now += 59.9
    assert seals.open(Note, before) == Note("kept")
    assert seals.open(Note, sealed_before(clock.now + 60, "notes 2")) is None
    assert seals.open(Note, sealed_before(clock.now + 60, "notes 1", 13)) is None
    clock.now += 0.1
    assert seals.open(Note, before) is None
    with pytest.raises(ValueError, match="requires a secret"):
        Seals([])


def test_a_seal_lasts_for_its_seconds_and_has_up_to_16_kilobytes() -> None:
    clock = Clock(1_000_000.9)
    seals = Seals(["another key of thirty-two characters", *KEYS], clock)
    sealed = seals.seal(Note("kept"))
    clock.now += 59
    rotated = Seals(["a new key of thirty-two characters!!", "another key of thirty-two characters"], clock)
    assert rotated.open(Note, sealed) == Note("kept")
    assert Seals(KEYS, clock).open(Note, sealed) is None
    clock.now += 0.1
    assert seals.open(Note, sealed) is None
    sizes = {}
    for size in range(16_100, 16_260):
        text = seals.seal(note := Note(token_urlsafe(size)[:size]))
        sizes[len(text)] = seals.open(Note, text) == note
    assert {length for length, is_opened in sizes.items() if is_opened} == {
        length for length in sizes if length <= 16_384
    }


class TestTokens:
    """Of many tokens those stay that were used or renewed last."""

    @staticmethod
    async def asked(cache: TokenCache, clock: Clock, name: str) -> bool:
        asked = False

        async def ask() -> AccessToken:
            nonlocal asked
            asked = True
            return AccessToken(name, int(clock.now) + 3600)

        assert (await cache.token(Purpose("home", name), ask)).token == name
        await asyncio.sleep(0)
        return asked

    async def test_a_token_serves_until_five_minutes_before_it_expires(self) -> None:
        clock = Clock()
        cache = TokenCache(clock)
        assert await self.asked(cache, clock, "a")
        clock.now += 3299.5
        assert not await self.asked(cache, clock, "a")
        clock.now += 0.5
        assert await self.asked(cache, clock, "a")

    async def test_a_token_that_was_renewed_stays(self) -> None:
        clock = Clock()
        cache = TokenCache(clock, 2)
        await self.asked(cache, clock, "a")
        clock.now += 3000
        await self.asked(cache, clock, "b")
        clock.now += 400
        assert await self.asked(cache, clock, "a")
        await self.asked(cache, clock, "c")
        assert not await self.asked(cache, clock, "a")
        assert await self.asked(cache, clock, "b")

    async def test_a_request_that_was_cancelled_is_made_anew(self, caplog: pytest.LogCaptureFixture) -> None:
        cache = TokenCache(clock := Clock())

        async def ask() -> AccessToken:
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await cache.token(Purpose("home", "a"), ask)
        assert caplog.messages == []
        assert await self.asked(cache, clock, "a")

    async def test_a_thousand_tokens_are_kept(self) -> None:
        clock = Clock()
        cache = TokenCache(clock)
        for number in range(1000):
            await self.asked(cache, clock, str(number))
        assert not await self.asked(cache, clock, "0")
        await self.asked(cache, clock, "one more")
        assert not await self.asked(cache, clock, "0")
        assert await self.asked(cache, clock, "1")


class Away(FolderStorage):
    """A storage that does not answer."""

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        raise StorageError("away")

    async def put_row(self, partition: str, row: Row) -> None:
        raise StorageError("away")


class TestPersonalAddresses:
    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def addresses(self, clock: Clock, tmp_path: Path) -> PersonalAddresses:
        return PersonalAddresses(KEYS, lambda: FolderStorage(tmp_path), clock)

    async def test_they_work_for_a_year(self, addresses: PersonalAddresses, clock: Clock) -> None:
        token = addresses.token_for(CALLER)
        clock.now += 365 * 86_400 - 1
        assert await addresses.caller_of(token) == CALLER
        clock.now += 1
        assert "expired" in (await denied(addresses.caller_of(token))).description

    async def test_those_are_revoked_that_were_issued_so_far(self, addresses: PersonalAddresses, clock: Clock) -> None:
        before = addresses.token_for(CALLER)
        await addresses.end_all(before)
        clock.now += 0.001
        after = addresses.token_for(CALLER)
        assert "invalid or expired" in (await denied(addresses.caller_of(before))).description
        assert await addresses.caller_of(after) == CALLER
        await addresses.end_all(after)
        clock.now -= 0.0005
        await denied(addresses.caller_of(after))

    async def test_while_the_storage_is_away_none_works_and_none_is_revoked(
        self, addresses: PersonalAddresses, clock: Clock, tmp_path: Path
    ) -> None:
        token = addresses.token_for(CALLER)
        away = PersonalAddresses(KEYS, lambda: Away(tmp_path), clock)
        with pytest.raises(Unavailable, match="cannot check this URL now") as unchecked:
            await away.caller_of(token)
        with pytest.raises(Unavailable, match="could not be revoked") as unrevoked:
            await away.end_all(token)
        assert (unchecked.value.retry_after, unrevoked.value.retry_after) == (60, 60)
        assert await addresses.caller_of(token) == CALLER

    async def test_the_storage_is_opened_when_it_is_needed_and_closed_once(self, tmp_path: Path) -> None:
        done: list[str] = []

        class Counted(FolderStorage):
            async def close(self) -> None:
                done.append("closed")

        addresses = PersonalAddresses(KEYS, lambda: done.append("opened") or Counted(tmp_path))  # type: ignore[func-returns-value]
        token = addresses.token_for(CALLER)
        await addresses.close()
        assert done == []
        for _ in range(2):
            await addresses.caller_of(token)
        await addresses.close()
        assert done == ["opened", "closed"]

    async def test_without_keys_there_are_none(self, addresses: PersonalAddresses, tmp_path: Path) -> None:
        without = PersonalAddresses([], lambda: FolderStorage(tmp_path))
        assert (addresses.are_given, without.are_given) == (True, False)
        await denied(without.caller_of(addresses.token_for(CALLER)))
