"""Distinguishes random words, such as keys, from words that people write, such as names."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from typing import Final

# The number of characters to check. The rest of a longer word is ignored.
_SAMPLE: Final = 512
_GUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_SEPARATORS: Final = re.compile(r"[-_+/~=.]+")
# Splits a word into chunks as a reader does: words, abbreviations and numbers.
_CHUNKS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]|[0-9]+")
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
# A random part of a word counts as a key if the part is longer than this. Names that Azure generates are shorter: for
# example, the name of a storage account has up to 24 letters.
_LONGEST_GENERATED: Final = 24
_LENGTHS_OF_HASHES: Final = frozenset({40, 64, 128})
_SHORTEST_KEY: Final = 32
_SHORTEST_STRICTLY: Final = 20
# The share of letters that begin a new chunk: almost half in random text, less than a fifth in names.
_CHANGES: Final = 0.2
_CHANGES_OF_ABBREVIATIONS: Final = 0.4
_CHANGES_STRICTLY: Final = 0.15
# Random base64url text has a separator every 32 letters, and names have a separator every six letters.
_LETTERS_FOR_A_SEPARATOR: Final = 6
_LEAST_OF_A_CASE: Final = 0.08
_DER: Final = "MI"
_SHORTEST_DER: Final = 100
# The first characters of SSH public keys, and of certificates and other public keys whose PEM text was encoded in
# base64 a second time.
_PUBLIC_BEGINNINGS: Final = (
    "AAAAB3NzaC1",
    "AAAAC3NzaC1",
    "AAAAE2VjZHNh",
    "LS0tLS1CRUdJTiBDRVJU",
    "LS0tLS1CRUdJTiBQVUJM",
)


def is_random(word: str) -> bool:
    """Whether a word resembles a key of 24 bytes: it is at least as long as such a key, and switches between kinds of
    characters at least as often.
    """
    word = _sampled(word)
    if len(word) < _SHORTEST_KEY or not _has_both_cases(word):
        return False
    changes, pairs = _changes(word)
    if len(_SEPARATORS.findall(word)) * _LETTERS_FOR_A_SEPARATOR >= len(word):
        return changes >= _CHANGES_OF_ABBREVIATIONS * pairs
    return changes >= (_CHANGES if _has_digit(word) else _CHANGES_OF_ABBREVIATIONS) * pairs


def may_be_random(word: str) -> bool:
    """A broader check, for texts in which secrets are expected: shorter words and words without mixed case may be keys,
    too.
    """
    word = _sampled(word)
    if len(word) < _SHORTEST_STRICTLY or not _has_digit(word):
        return is_random(word)
    longest = max(_SEPARATORS.split(word), key=len)
    if _HEX.fullmatch(word) or not _has_both_cases(word):
        return len(longest) > _LONGEST_GENERATED and _is_mixed(longest) and len(word) not in _LENGTHS_OF_HASHES
    changes, pairs = _changes(word)
    has_separators = len(_SEPARATORS.findall(word)) * _LETTERS_FOR_A_SEPARATOR >= len(word)
    return changes >= (_CHANGES_OF_ABBREVIATIONS if has_separators else _CHANGES_STRICTLY) * pairs


def is_public(word: str) -> bool:
    """Whether a word is a certificate, a certificate request or a public key.

    A private key begins with a number. Certificates and public keys begin differently.
    """
    if word.startswith(_PUBLIC_BEGINNINGS):
        return True
    if not word.startswith(_DER) or len(word) < _SHORTEST_DER or "-" in word or "_" in word:
        return False
    content = b64decode(word[:16])
    length_of_length = content[1] & 0x7F if content[1] & 0x80 else 0
    return content[2 + length_of_length : 3 + length_of_length] == b"\x30"


def encoded_text(word: str) -> str | None:
    """Decode a word that contains text in base64. None if the word does not contain text."""
    altchars = b"-_" if "-" in word or "_" in word else b"+/"
    try:
        b64decode(word[:_SHORTEST_KEY], altchars=altchars).decode("ascii")
        text = b64decode(word + "=" * (-len(word) % 4), altchars=altchars).decode("ascii")
    except (Error, ValueError):
        return None
    return text if all(letter.isprintable() or letter.isspace() for letter in text[:_SAMPLE]) else None


def _sampled(word: str) -> str:
    return (_GUID.sub("", word) if "-" in word else word)[:_SAMPLE]


def _changes(word: str) -> tuple[int, int]:
    """Count how often one chunk directly follows another, and how often one could follow another."""
    parts = [part for part in _SEPARATORS.split(word) if part]
    return sum(len(_CHUNKS.findall(part)) - 1 for part in parts), max(1, sum(len(part) - 1 for part in parts))


def _has_both_cases(word: str) -> bool:
    least = max(1.0, _LEAST_OF_A_CASE * len(word))
    return sum(map(str.isupper, word)) >= least and sum(map(str.islower, word)) >= least


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _is_mixed(word: str) -> bool:
    changes, pairs = _changes(word)
    return changes >= _CHANGES_STRICTLY * pairs
