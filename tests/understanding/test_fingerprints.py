"""Fingerprints of meanings, compared one by one and all at once."""

from __future__ import annotations

import pytest

from understanding.features import words_of
from understanding.fingerprints import FingerprintGroup, Likeness, fingerprint

TEXTS = ("encrypt disks with keys of our own", "kubernetes upgrade", "price of storage", "zzxq qqzx")
KEPT = b"".join(fingerprint(words_of(text)) for text in TEXTS)


@pytest.mark.parametrize("asked", ["key vault", "cheaper disks", "cluster versions and their support"])
def test_a_group_is_compared_as_each_of_it_is(asked: str) -> None:
    likeness = Likeness(words_of(asked))
    assert likeness.to_group(FingerprintGroup(KEPT)) == likeness.to_each(KEPT)


def test_what_means_the_same_is_nearer() -> None:
    encrypted, upgraded, *_ = Likeness(words_of("customer managed encryption keys")).to_each(KEPT)
    assert encrypted > upgraded
