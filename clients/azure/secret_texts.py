"""Secrets within texts, by how they look: each is replaced where it stands, and the rest of the text stays."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from typing import Final, NamedTuple

from clients.azure.secret_names import is_secret_name

WITHHELD: Final = "[withheld]"
# What is shorter tells of no secret by itself.
_SHORTEST: Final = 12
# A name and what stands behind it: in a connection string, in the arguments of a command, in JSON that was cut.
_NAMED: Final = re.compile(
    r"(?<![\w.-])([\w.-]++)(\s?(?:=\s?[\"']?|\\*[\"']\s?:\s?\\*[\"']))([^;&\r\n\"'<>\\]+)", re.ASCII
)
_LONGEST_NAME: Final = 100
_NAMING: Final = re.compile(r"key|pass|pwd|secret|token|sig|connectionstring", re.IGNORECASE)
# By a word that is in the text before it is searched.
_FORMS: Final = (
    (
        "-----BEGIN",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
        ),
        WITHHELD,
    ),
    ("eyJ", re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"), WITHHELD),
    ("%3", re.compile(r"([Ss][Ii][Gg]%3[Dd])[^&\s\"'<>;,]+"), rf"\1{WITHHELD}"),
    ("code=", re.compile(r"(?<!\w)(code=)[\w%/+=-]{20,}"), rf"\1{WITHHELD}"),
    ("://", re.compile(r"(://[^/\s:@]{1,100}:)[^/\s@]{1,500}@"), rf"\1{WITHHELD}@"),
    ("earer ", re.compile(r"([Bb]earer )[\w+/=.~-]{16,}"), rf"\1{WITHHELD}"),
    ("asic ", re.compile(r"([Bb]asic )(?=[A-Za-z+/]*\d)[\w+/]{12,}={0,2}"), rf"\1{WITHHELD}"),
    ("Q~", re.compile(r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"), WITHHELD),
    ("gh", re.compile(r"(?<!\w)(?:gh[pousr]_\w{36,}|github_pat_\w{22,})"), WITHHELD),
    ("sk_live_", re.compile(r"(?<!\w)sk_live_\w{16,}"), WITHHELD),
    ("xox", re.compile(r"(?<!\w)xox[abeprs]-[\w-]{10,}"), WITHHELD),
)
_CUT_VALUE: Final = re.compile(r"(\"(?:secure_?)?value\\*\"\s?:\s?\\*\")[^\"\\]+", re.IGNORECASE)
_HARMLESS: Final = re.compile(
    r"|true|false|null|none|enabled|disabled|redacted|\*+|\[withheld\]"
    r"|\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|\[(?:parameters|variables)\('[\w.-]+'\)\]"
    r"|/subscriptions/[^?&=\s]*|https?://[^?&=@\s]*",
    re.IGNORECASE,
)
# Long enough for a key of 24 bytes, in either alphabet of base64.
_TOKEN: Final = re.compile(r"(?<![\w+/-])[\w+/-]{32,}={0,2}", re.ASCII)
_SAMPLE: Final = 512
_MOST_PARTS: Final = 64
_KINDS: Final = str.maketrans(
    {
        **dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "l"),
        **dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "u"),
        **dict.fromkeys("0123456789", "d"),
        **dict.fromkeys("+/_-=", "s"),
    }
)
_RUNS: Final = re.compile(r"l+|u+|d+|s+")
# Of random letters nearly two in three stand beside one of another kind; of names hardly one in three.


class _Fewest(NamedTuple):
    """How many changes, and how many of its letters small and how many large, make a text a key."""

    changes: float
    of_a_kind: float


_OF_OTHERS: Final = _Fewest(0.45, 0.15)
_OF_PADDED: Final = _Fewest(0.3, 0.05)
# Of public keys of SSH, and of certificates and public keys in PEM that are encoded once more.
_PUBLIC_BEGINNINGS: Final = (
    "AAAAB3NzaC1",
    "AAAAC3NzaC1",
    "AAAAE2VjZHNh",
    "LS0tLS1CRUdJTiBDRVJU",
    "LS0tLS1CRUdJTiBQVUJM",
)
_GUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_SHORTEST_KEY: Final = 32
_DER: Final = "MI"
_SHORTEST_DER: Final = 100


def without_secrets(text: str) -> str:
    """The text, with what looks like a secret withheld."""
    if len(text) < _SHORTEST:
        return text
    text = _without_forms(text)
    return _TOKEN.sub(_judged, text) if _TOKEN.search(text) and not text.startswith("data:image/") else text


def without_values(text: str) -> str:
    """The same of JSON that was cut, where what is called a value may be a setting."""
    return _CUT_VALUE.sub(rf"\1{WITHHELD}", without_secrets(text))


def _without_forms(text: str) -> str:
    for word, form, instead in _FORMS:
        if word in text:
            text = form.sub(instead, text)
    if ("=" in text or ":" in text) and _NAMING.search(text):
        text = _NAMED.sub(_without_named, text)
    return text


def _without_named(found: re.Match[str]) -> str:
    name, between, value = found.groups()
    is_secret = is_secret_name(name[-_LONGEST_NAME:]) or name.lower() == "sig"
    return found[0] if not is_secret or is_harmless(value) else f"{name}{between}{WITHHELD}"


def is_harmless(text: str) -> bool:
    """Whether this is no secret, even where one may stand: a word, a time, an id, an address or a reference."""
    return bool(_HARMLESS.fullmatch(text))


def _judged(found: re.Match[str]) -> str:
    token = found[0]
    if token.startswith(_PUBLIC_BEGINNINGS) or _is_public_der(token):
        return token
    if "/" not in token:
        return WITHHELD if _is_key(token) and not _is_plain(token) else token
    # In a path, any segment may be a key; and a key may look like a path.
    parts = token.split("/", _MOST_PARTS)
    if not _is_key(token) and not any(map(_is_key, parts)):
        return token
    left = [part for part in parts if not (_is_key(part) and _is_plain(part))]
    is_key = not _is_plain(token) and (_is_key("/".join(left)) or any(map(_is_key, left)))
    return WITHHELD if is_key else token


def _is_key(token: str) -> bool:
    """Whether it looks drawn by chance: letters of all kinds, which change all the time."""
    if len(token) < _SHORTEST_KEY:
        return False
    if "-" in token:
        token = _GUID.sub("", token)
    kinds = token[:_SAMPLE].translate(_KINDS)
    if len(kinds) < _SHORTEST_KEY:
        return False
    # No name ends as what was padded does, so less will do there.
    needed = _OF_PADDED if token.endswith("=") and len(token) % 4 == 0 else _OF_OTHERS
    least = needed.of_a_kind * len(kinds)
    if kinds.count("u") < least or kinds.count("l") < least or "d" not in kinds:
        return False
    return len(_RUNS.findall(kinds)) - 1 >= needed.changes * len(kinds)


def _is_plain(token: str) -> bool:
    """Whether it is a text that was only encoded, and has no secret in it."""
    altchars = b"-_" if "-" in token or "_" in token else b"+/"
    try:
        b64decode(token[:_SHORTEST_KEY], altchars=altchars).decode("ascii")
        text = b64decode(token + "=" * (-len(token) % 4), altchars=altchars).decode("ascii")
    except (Error, ValueError):
        return False
    return all(letter.isprintable() for letter in text[:_SAMPLE]) and _without_forms(text) == text


def _is_public_der(token: str) -> bool:
    """Whether this is a certificate, a request for one or a public key: a private key begins with a number."""
    if not token.startswith(_DER) or len(token) < _SHORTEST_DER or "-" in token or "_" in token:
        return False
    content = b64decode(token[:16])
    length_of_length = content[1] & 0x7F if content[1] & 0x80 else 0
    return content[2 + length_of_length : 3 + length_of_length] == b"\x30"
