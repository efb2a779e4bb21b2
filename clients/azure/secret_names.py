"""Which names tell that a value is a secret. Not all secrets have such a name, so values are looked at as well."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_NOT_LETTERS: Final = re.compile(r"[^a-z0-9]")
_SECRET: Final = re.compile(
    r".*(?:password|passwd|passphrase|pwd|clientsecret|secretvalue|securevalue|securestring|sharedsecret"
    r"|connectionstrings?|connstr|protectedsettings|publishingcredentials?"
    r"|(?:account|access|shared|primary|secondary|master|readonly|api|private|secret|auth|storage|function|system"
    r"|subscription|app|signing|decryption|validation|admin|query|workspace|authorization)keys?"
    r"|(?:access|refresh|id|sas|bearer|auth|session|registration|join|bootstrap|device)token|sas(?:ur[il])?)\d?"
    r"|secret"
)
_DOUBTFUL: Final = frozenset({"key", "key1", "key2", "token", "keyvalue", "keyvalues", "secrets", "keys"})
_SETTINGS: Final = frozenset({"appsettings", "environmentvariables", "connectionstrings", "env", "localsettings"})
_WORDS_OF_PATH: Final = re.compile(r"[^.\[\]'\"/]+")
_PLACES_OF_VALUES: Final = _SETTINGS | {"parameters", "outputs", "secrets", "settings"}
_VALUES: Final = frozenset({"value", "securevalue", "defaultvalue"})


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    return len(name) <= 200 and bool(_SECRET.fullmatch(_plain(name)))


@lru_cache(maxsize=4096)
def may_be_secret(name: str) -> bool:
    """Whether the name is one of secrets and of much else, so that the value decides."""
    return _plain(name) in _DOUBTFUL


@lru_cache(maxsize=4096)
def holds_settings(name: str) -> bool:
    """Whether what has this name are settings, by their names."""
    return _plain(name) in _SETTINGS


@lru_cache(maxsize=4096)
def is_secret_path(path: str) -> bool:
    """Whether a change at this path is one of a secret: `properties.siteConfig.appSettings[0].value`."""
    if len(path) > 1000:
        return True
    words = [_plain(word) for word in _WORDS_OF_PATH.findall(path)]
    if not words:
        return False
    if is_secret_name(words[-1]) or not _SETTINGS.isdisjoint(words[:-1]):
        return True
    return words[-1] in _VALUES and not _PLACES_OF_VALUES.isdisjoint(words)


def _plain(name: str) -> str:
    return _NOT_LETTERS.sub("", name.lower())
