"""Recognizes names of secrets, names of descriptions, and names of settings that may contain any value."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from unicodedata import normalize
from urllib.parse import unquote

_NOT_LETTERS: Final = re.compile(r"[^a-z0-9]")
_LONGEST: Final = 200
_SECRET: Final = re.compile(
    r".*(?:passwords?|passwds?|passphrases?|pwds?|secretvalues?|securevalue|securestring"
    r"|connectionstrings?|connstr|protectedsettings|publishingcredentials?|kubeconfigs?|webhookur[il]|sshpass"
    r"|(?:client|shared|app|api|jwt|hmac|oauth|session|cookie|signing|webhook|consumer)secrets?"
    r"|(?:account|access|shared|primary|secondary|master|readonly|api|private|secret|auth|storage|functions?|system"
    r"|subscription|app|signing|decryption|validation|admin|query|workspace|authorization|routing|integration)keys?"
    r"|(?:access|refresh|id|sas|bearer|auth|session|registration|join|bootstrap|device|bot|api|webhook|github|gitlab"
    r"|npm|slack|vault|deploy|personalaccess)tokens?"
    r"|(?:db|sql|smtp|mail|ftp|redis|user|admin|root|mysql|pg|postgres)pass"
    r"|(?:sharedaccess|sas)signature|list(?:keys|secrets|credentials|connectionstrings)"
    r"|clientkeydata|sas(?:ur[il])?)\d?"
    r"|secret|pass|pat|signature|dsn"
)
_DOUBTFUL: Final = frozenset({"key", "key1", "key2", "token", "tokens", "keyvalue", "keyvalues", "secrets", "keys"})
_IN_QUERY: Final = frozenset(
    {"token", "key", "auth", "sig", "signature", "jwt", "hmac", "ticket", "assertion"}
    | {"xamzsignature", "xgoogsignature", "xamzsecuritytoken"}
)
_IN_COMMAND: Final = frozenset({"token", "pass", "pw", "auth"})
_DESCRIBES: Final = re.compile(
    r".*(?:id|ids|names?|types?|versions?|locations?|regions?|scopes?|hosts?|groups?|kinds?|hash(?:es)?)"
    r"|etag|sku|tier|zones?|target|targetresource|resource|caller|owner|managedby|dependson"
)
_SETTINGS: Final = frozenset(
    {"appsettings", "environmentvariables", "connectionstrings", "env", "localsettings", "applicationsettings"}
    | {"secureenvironmentvariables", "stringdata"}
)
_WORDS_OF_PATH: Final = re.compile(r"[^.\[\]'\"/]+")
_PLACES_OF_VALUES: Final = _SETTINGS | {"parameters", "outputs", "secrets", "settings", "keys", "listkeys"}
_VALUES: Final = frozenset({"value", "securevalue", "defaultvalue"})

# An entry with one of these keys may contain the name of a value that is in another entry. For example, `name` contains
# the name of the value in `value`.
_NAMING: Final = frozenset(
    {"name", "key", "keyname", "id", "label", "title", "displayname", "field", "property", "propertyname", "attribute"}
    | {"setting", "parameter", "variable", "variablename", "identifier", "type", "kind", "option", "param", "var"}
)
_NAMED_VALUES: Final = frozenset(
    {"value", "securevalue", "val", "defaultvalue", "default", "currentvalue", "plaintext"}
)


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    return len(name) <= _LONGEST and bool(_SECRET.fullmatch(plain(name)))


@lru_cache(maxsize=4096)
def may_be_secret(name: str) -> bool:
    """Whether a value with this name may be a secret, so that the value must be checked."""
    return plain(name) in _DOUBTFUL


@lru_cache(maxsize=4096)
def is_secret_in_query(name: str) -> bool:
    """Whether a parameter of a URL contains a secret."""
    meant = unquote(name)
    return plain(meant) in _IN_QUERY or is_secret_name(meant)


@lru_cache(maxsize=4096)
def is_secret_option(name: str) -> bool:
    """Whether the argument after this command option is a secret."""
    return plain(name) in _IN_COMMAND or is_secret_name(name)


@lru_cache(maxsize=4096)
def describes(name: str) -> bool:
    """Whether values with this name identify or classify something: names, IDs, types, locations, versions."""
    return len(name) <= _LONGEST and bool(_DESCRIBES.fullmatch(plain(name)))


@lru_cache(maxsize=4096)
def is_naming(name: str) -> bool:
    """Whether an entry with this name may contain the name of a value that is in another entry."""
    return plain(name) in _NAMING


@lru_cache(maxsize=4096)
def is_named_value(name: str) -> bool:
    return plain(name) in _NAMED_VALUES


@lru_cache(maxsize=4096)
def holds_settings(name: str) -> bool:
    """Whether an entry with this name contains settings, each with a name and a value."""
    return plain(name) in _SETTINGS


@lru_cache(maxsize=4096)
def is_secret_path(path: str) -> bool:
    """Whether a path such as `properties.siteConfig.appSettings[0].value` leads to a secret."""
    if len(path) > 1000:
        return True
    words = [plain(word) for word in _WORDS_OF_PATH.findall(path)]
    if not words:
        return False
    if is_secret_name(words[-1]) or not _SETTINGS.isdisjoint(words[:-1]):
        return True
    return words[-1] in _VALUES and not _PLACES_OF_VALUES.isdisjoint(words)


def plain(name: str) -> str:
    """Normalize a name: remove punctuation, and replace wide or styled letters with plain letters."""
    return _plain_of_usual(name) if len(name) <= _LONGEST else _plain(name)


def _plain(name: str) -> str:
    return _NOT_LETTERS.sub("", normalize("NFKC", name).lower())


_plain_of_usual: Final = lru_cache(maxsize=4096)(_plain)
