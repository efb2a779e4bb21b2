"""A record can be written back only if nothing in it was withheld: otherwise the placeholder would replace the
value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clients.azure.secret_texts import WITHHELD
from refusal import Refusal


def refuse_withheld(record: Any) -> None:
    """Refuse to write back an incomplete record.

    Raises:
        Refusal: Something in it looked like a secret and was withheld.
    """
    if _has_mark(record):
        raise Refusal(
            "To change this, all of it must be written back, but part of it looks like a secret, which this server"
            " does not read. Nothing was done. Change it with az or in the portal."
        )


def _has_mark(value: Any) -> bool:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str) and WITHHELD in one:
            return True
        left += one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ()
    return False
