"""Prevents writing back a record in which secrets were withheld, because the placeholders would replace the secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clients.azure.secret_texts import WITHHELD
from refusal import Refusal


def refuse_withheld(record: Any) -> None:
    """Reject a record in which a value was withheld.

    Raises:
        Refusal: A value in the record looked like a secret and was withheld.
    """
    if _has_mark(record):
        raise Refusal(
            "This change must write back the whole record, including values that look like secrets. This server does"
            " not read such values, so nothing was done. Make the change with az or in the portal."
        )


def _has_mark(value: Any) -> bool:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str) and WITHHELD in one:
            return True
        left += one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ()
    return False
