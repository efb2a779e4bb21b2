"""What may stand in a rule, and what a caller is told otherwise."""

import re
from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from firewall.address import ADDRESS_PATTERN
from firewall.rule import TEAM_PATTERN, FirewallRule
from refusal import Refusal

ADDRESSES = [
    "10.0.0.4",
    "0.0.0.0/0",
    "10.0.0.0/24",
    "255.255.255.255/32",
    "::",
    "::1",
    "1::",
    "::/0",
    "2001:db8::1",
    "2001:DB8:0:0::/64",
    "2001:0db8:0000:0000:0000:0000:0000:0001/128",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "::2:3:4:5:6:7:8",
    "::ffff:10.0.0.1",
    "64:ff9b::192.0.2.33",
]

NO_ADDRESSES = [
    ("", "is empty"),
    (" ", "white space"),
    ("10.0.0.1 ", "white space"),
    ("10.0.0.1\n", "white space"),
    ("10. 0.0.1", "white space"),
    ("fe80::1%eth0", "zone id"),
    ("10.0.0.0/255.255.255.0", "mask"),
    ("10.0.0.0/0.0.0.255", "mask"),
    ("010.0.0.1", "leading zero"),
    ("10.0.00.1", "leading zero"),
    ("::ffff:010.0.0.1", "leading zero"),
    ("10.0.0.0/08", "leading zero"),
    ("10.0.0.1-10.0.0.9", "not a single address"),
    ("10.0.0.1,10.0.0.2", "not a single address"),
    ("*", "0.0.0.0/0"),
    ("Any", "0.0.0.0/0"),
    ("10.0.0.0/33", "not an IP address or CIDR block"),
    ("2001:db8::/129", "not an IP address or CIDR block"),
    ("10.0.0.256", "not an IP address or CIDR block"),
    ("10.0.0", "not an IP address or CIDR block"),
    ("10.0.0.1/", "not an IP address or CIDR block"),
    ("1::2::3", "not an IP address or CIDR block"),
    ("1:2:3:4:5:6:7:8:9", "not an IP address or CIDR block"),
    ("12345::", "not an IP address or CIDR block"),
    ("example.com", "not an IP address or CIDR block"),
    ("\u0661.1.1.1", "not an IP address or CIDR block"),
    ("x" * 100, "'xxx"),
    ("x" * 101, "has 101 characters, so it is not an IP address or CIDR block"),
    ("x" * 100_000, "not an IP address or CIDR block"),
    (167772161, "must be text, not int"),
    (None, "must be text, not NoneType"),
    (b"10.0.0.1", "must be text, not bytes"),
]

HOST_BITS = [
    ("10.0.0.5/24", "use 10.0.0.0/24, or 10.0.0.5 for this address alone"),
    ("10.0.0.1/0", "use 0.0.0.0/0, or 10.0.0.1 for this address alone"),
    ("0.0.0.1/0", "use 0.0.0.0/0, or 0.0.0.1 for this address alone"),
    ("10.0.0.1/31", "use 10.0.0.0/31, or 10.0.0.1 for this address alone"),
    ("2001:DB8::5/64", "use 2001:db8::/64, or 2001:db8::5 for this address alone"),
]

TEAMS = ["payments", "a", "x" * 64, "Müller & Söhne", "支付", "it's", '"quoted"', "# 1", "😀", "two  spaces", "a\\b"]

NO_TEAMS = [
    ("", "empty"),
    ("   ", "empty"),
    (" payments", "starts or ends with a space"),
    ("payments ", "starts or ends with a space"),
    ("x" * 65, "at most 64"),
    ("pay\nments", "U+000A"),
    ("payments\n", "U+000A"),
    ("a\tb", "U+0009"),
    ("a\x00", "U+0000"),
    ("a\u202eb", "U+202E"),
    ("a\u200bb", "U+200B"),
    ("a\u00a0b", "U+00A0"),
    ("a\u2028b", "U+2028"),
    ("a\ufeffb", "U+FEFF"),
    ("a\ud800b", "U+D800"),
    ("'\"" * 32, "quotation marks"),
    (7, "must be text"),
    (None, "must be text"),
]


def rule(**changes: Any) -> FirewallRule:
    return FirewallRule(**{"team": "payments", "source": "10.0.0.0/24", "destination": "52.1.2.3", **changes})


@pytest.mark.parametrize("field", ["source", "destination"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_stays_as_it_is_spelled(field: str, address: str) -> None:
    assert getattr(rule(**{field: address}), field) == address


@pytest.mark.parametrize("field", ["source", "destination"])
@pytest.mark.parametrize(("address", "reason"), NO_ADDRESSES)
def test_what_is_no_address_is_refused_with_the_reason_and_an_example(field: str, address: object, reason: str) -> None:
    with pytest.raises(Refusal, match=re.escape(reason)) as refused:
        rule(**{field: address})
    assert str(refused.value).startswith(field)
    assert "10.0.0.0/24" in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(("address", "advice"), HOST_BITS)
def test_a_block_with_host_bits_is_refused_with_the_block_it_should_be(address: str, advice: str) -> None:
    with pytest.raises(Refusal, match=re.escape(f"source {address} has host bits set; {advice}.")):
        rule(source=address)


@pytest.mark.parametrize("team", TEAMS)
def test_a_team_is_printable_text(team: str) -> None:
    assert rule(team=team).team == team


@pytest.mark.parametrize(("team", "reason"), NO_TEAMS)
def test_what_is_no_team_is_refused_with_the_reason(team: object, reason: str) -> None:
    with pytest.raises(Refusal, match=re.escape(reason)):
        rule(team=team)


@pytest.mark.parametrize("port", [1, 443, 65535])
def test_a_port_is_a_whole_number_in_range(port: int) -> None:
    assert rule(port=port).port == port


@pytest.mark.parametrize("port", [0, -1, 65536, 443.0, "443", True, None])
def test_what_is_no_port_is_refused(port: object) -> None:
    with pytest.raises(Refusal, match="port must be a whole number from 1 to 65535"):
        rule(port=port)


def test_the_port_is_443_unless_given() -> None:
    assert rule().port == 443


def accepts(pattern: str, text: object) -> bool:
    """Whether pydantic's regular expressions, which are Rust's, find the pattern in a text."""
    try:
        TypeAdapter(Annotated[str, Field(pattern=pattern, strict=True)]).validate_python(text)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("address", [*ADDRESSES, *(address for address, _ in HOST_BITS)])
def test_the_address_pattern_lets_every_address_through(address: str) -> None:
    assert accepts(ADDRESS_PATTERN, address)
    assert re.search(ADDRESS_PATTERN, address)


@pytest.mark.parametrize(
    "address", [address for address, _ in NO_ADDRESSES if address not in {"1::2::3", "1:2:3:4:5:6:7:8:9"}]
)
def test_the_address_pattern_stops_what_is_plainly_no_address(address: object) -> None:
    assert not accepts(ADDRESS_PATTERN, address)


@pytest.mark.parametrize("team", TEAMS)
def test_the_team_pattern_lets_every_team_through(team: str) -> None:
    assert accepts(TEAM_PATTERN, team)
    assert re.search(TEAM_PATTERN, team)


@pytest.mark.parametrize("team", [team for team, reason in NO_TEAMS if reason not in {"at most 64", "quotation marks"}])
def test_the_team_pattern_stops_hidden_characters_and_outer_spaces(team: object) -> None:
    assert not accepts(TEAM_PATTERN, team)
