"""What is sealed opens for the same purpose and as long as it is good, also after an update of the server."""

from __future__ import annotations

from random import Random
from string import ascii_letters

import pytest

from identity.bridge.registrations import Registered
from identity.seals import Seals, fingerprint

KEYS = ["a key of at least thirty-two characters"]
CLIENT = Registered("Example Client", ["https://client.example.net/oauth/callback"])
# CLIENT, sealed by an earlier version at 0 seconds.
SEALED_EARLIER = (
    "AAECAwQFBgcICQoLuJJZlLY0pp43TdBXVxeJT8RvqT8N7T2dZq9HSSuwaTCbxCXfiyblZ2JCl48Bn4wuE0tKeAWLSoJib-edzO6IDA1nhyA0KLFvMJYD"
    "NVy-yay8xCUD9-bcooKV"
)


@pytest.mark.parametrize(("now", "opened"), [(0.0, CLIENT), (63_071_999.9, CLIENT), (63_072_000.0, None)])
def test_what_an_earlier_version_sealed_opens_until_it_expires(now: float, opened: Registered | None) -> None:
    assert Seals(KEYS, lambda: now).open(Registered, SEALED_EARLIER) == opened


def test_the_fingerprint_in_what_an_earlier_version_sealed_is_the_same() -> None:
    assert fingerprint("client") == "A32LeW4ztUYI_TtTCnRR6Q"


def test_fingerprints_differ_where_the_same_letters_are_in_other_texts() -> None:
    assert len({fingerprint("ab"), fingerprint("a", "b"), fingerprint("b", "a"), fingerprint("ab", "")}) == 4


def test_what_is_sealed_for_one_purpose_opens_for_no_other() -> None:
    bridge, other = Seals(KEYS), Seals(KEYS, purpose="another purpose")
    assert bridge.open(Registered, other.seal(CLIENT)) is None
    assert other.open(Registered, bridge.seal(CLIENT)) is None
    assert Seals(KEYS, purpose="another purpose").open(Registered, other.seal(CLIENT)) == CLIENT


def test_the_same_text_is_sealed_differently_each_time() -> None:
    assert len({Seals(KEYS).seal(CLIENT) for _ in range(20)}) == 20


@pytest.mark.parametrize(("length", "is_opened"), [(16_384, True), (16_386, False)])
def test_a_sealed_text_has_up_to_16384_characters(length: int, is_opened: bool) -> None:
    seals, name = Seals(KEYS), "".join(Random(1).choices(ascii_letters, k=18_000))  # noqa: S311 - no secret
    texts = (seals.seal(Registered(name[:size], [])) for size in range(16_000, 18_000))
    text = next(text for text in texts if len(text) == length)
    assert (seals.open(Registered, text) is not None) == is_opened


def test_letters_of_all_languages_take_little_room() -> None:
    name = "".join(map(chr, Random(1).choices(range(0x4E00, 0x9FFF), k=200)))  # noqa: S311 - no secret
    assert len(Seals(KEYS).seal(Registered(name, []))) < 750


@pytest.mark.parametrize("text", ["\u00fc", f"{SEALED_EARLIER}\u00fc", f"\u00fc{SEALED_EARLIER}", "\ud800", "\u0130"])
def test_what_is_not_ascii_opens_as_nothing(text: str) -> None:
    assert Seals(KEYS, lambda: 0.0).open(Registered, text) is None


@pytest.mark.parametrize(
    "changed",
    [
        f"{SEALED_EARLIER}=",
        f"{SEALED_EARLIER}==",
        f"{SEALED_EARLIER} ",
        f"{SEALED_EARLIER}\n",
        f"!{SEALED_EARLIER}",
        f"{SEALED_EARLIER[:-1]}W",
        SEALED_EARLIER.replace("-", "+"),
        SEALED_EARLIER[:-1],
        SEALED_EARLIER[:37],
        SEALED_EARLIER[:16],
        "A",
        "",
    ],
)
def test_one_text_alone_opens_as_what_was_sealed(changed: str) -> None:
    assert Seals(KEYS, lambda: 0.0).open(Registered, changed) is None
