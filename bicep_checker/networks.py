"""Implements Bicep's functions for network addresses."""

from __future__ import annotations

from ipaddress import ip_network


def subnet(network: str, bits: int, index: int) -> str:
    """Divide a network into subnets with the prefix length `bits`, and return the subnet at `index`."""
    whole = ip_network(network)
    if not whole.prefixlen <= bits <= whole.max_prefixlen:
        raise ValueError(f"{network} is too small for a /{bits}")
    if not 0 <= index < 2 ** (bits - whole.prefixlen):
        raise ValueError(
            f"{network} has only {2 ** (bits - whole.prefixlen)} subnets of size /{bits}, so the index {index} is"
            " invalid"
        )
    first = int(whole.network_address) + index * 2 ** (whole.max_prefixlen - bits)
    return f"{type(whole.network_address)(first)}/{bits}"
