"""Parses and validates IP addresses and CIDR blocks."""

import re
import socket
from functools import lru_cache
from ipaddress import IPV4LENGTH, IPv6Network, ip_interface
from typing import NamedTuple

from refusal import Refusal

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_IPV6 = rf"(?:[0-9A-Fa-f]{{0,4}}:){{2,8}}(?:[0-9A-Fa-f]{{1,4}}|{_IPV4})?"

# This pattern has no look-around or shorthand classes, so it means the same in ECMAScript, Rust and Python.
ADDRESS_PATTERN = rf"^(?:{_IPV4}(?:/(?:3[0-2]|[12]?[0-9]))?|{_IPV6}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$"

# Matches every address, and few other texts. Unlike the exact pattern, this pattern is short enough to be sent to a
# model.
SHORT_ADDRESS_PATTERN = r"^[0-9a-fA-F]*[.:][0-9a-fA-F.:]*(/[0-9]+)?$"

_ADDRESS = re.compile(ADDRESS_PATTERN)
_ALL_OF_IPV4 = 2**IPV4LENGTH - 1
_EXPECTED = (
    "Pass one IPv4 or IPv6 address, or one CIDR block, such as 10.0.0.4, 10.0.0.0/24, 2001:db8::1 or 2001:db8::/32. "
    "A prefix length is a number from 0 to 32 for IPv4, or from 0 to 128 for IPv6."
)
# The maximum length of a value. Longer values are rejected without parsing. This limits the work for error messages.
_LONGEST = 100
_MISTAKES = (
    (r"^$", "is empty"),
    (
        r"(?i)^(?:\*|any|all)$",
        "is not an address; use 0.0.0.0/0 for all IPv4 addresses, or ::/0 for all IPv6 addresses",
    ),
    (r"\s", "contains white space"),
    (r"%", "has a zone id, which is valid on only one machine"),
    (r"/.*[.:]", "has a mask instead of a prefix length"),
    (r"(?:^|[.:])0[0-9]+\.|[./]0[0-9]", "has a number with a leading zero, which some programs read as octal"),
    (r"[-,;*]", "is not a single address; add one rule for each address or block"),
)


class Network(NamedTuple):
    """An address block: the IP version, the first address as a number, and the prefix length.

    Comparing and hashing these blocks is ten times as fast as with the types of `ipaddress`.
    """

    version: int
    first: int
    prefix: int


def network_of(address: object) -> Network | None:
    """Parse an address or CIDR block. Return None if the text is invalid."""
    return _network_of(address) if isinstance(address, str) else None


# Cached, because parsing addresses takes most of the time for a rule, and many rules have the same destinations.
@lru_cache(maxsize=1024)
def _network_of(address: str) -> Network | None:
    # Check the pattern first, because `ipaddress` also accepts numbers, masks, zone IDs and prefix lengths such as 024.
    if not _ADDRESS.fullmatch(address):
        return None
    try:
        return _ipv6_network(address) if ":" in address else _ipv4_network(address)
    except ValueError:
        return None


def _ipv6_network(address: str) -> Network:
    network = IPv6Network(address)
    return Network(6, int(network.network_address), network.prefixlen)


def _ipv4_network(address: str) -> Network | None:
    # The pattern has already checked the format. Checking the format again would take most of the time for a large
    # file.
    octets, _, length = address.partition("/")
    first, prefix = int.from_bytes(socket.inet_aton(octets)), int(length or IPV4LENGTH)
    has_host_bits = first & (_ALL_OF_IPV4 >> prefix)
    return None if has_host_bits else Network(4, first, prefix)


def check_address(name: str, address: object) -> None:
    """Reject an invalid address. The message describes what to write instead."""
    if network_of(address) is not None:
        return
    if not isinstance(address, str):
        raise Refusal(f"{name} must be text, not {type(address).__name__}. {_EXPECTED}")
    if len(address) > _LONGEST:
        raise Refusal(f"{name} has {len(address)} characters, so it is not an IP address or CIDR block. {_EXPECTED}")
    if not _ADDRESS.fullmatch(address):
        raise Refusal(f"{name} {address!r:.80} {_mistake_in(address)}. {_EXPECTED}")
    _refuse_host_bits(name, address)


def _mistake_in(address: str) -> str:
    mistakes = (mistake for pattern, mistake in _MISTAKES if re.search(pattern, address))
    return next(mistakes, "is not an IP address or CIDR block")


def _refuse_host_bits(name: str, address: str) -> None:
    try:
        interface = ip_interface(address)
    except ValueError:
        raise Refusal(f"{name} {address!r} is not an IP address or CIDR block. {_EXPECTED}") from None
    raise Refusal(
        f"{name} {address} has host bits set; use {interface.network}, or {interface.ip} for this address alone."
    )
