"""Determines the kind of a value from its position in a document. The kind decides whether the value is withheld."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, Final

from clients.azure.secret_names import (
    describes,
    holds_settings,
    is_named_value,
    is_naming,
    is_secret_name,
    is_secret_path,
    may_be_secret,
    plain,
)


class TextPlace(Enum):
    # A number that is part of a public key. The number is shown.
    PUBLIC = auto()
    # A value that is a name, an ID, a type, a location or a version. The value is shown unless it is a known kind of
    # credential.
    NAME = auto()
    # Any other text. The value is shown, but parts that look like secrets are withheld.
    TEXT = auto()
    # A tag or an output. People choose these values, so shorter words may also be secrets.
    VALUE = auto()
    # A collection of named settings, or a single setting or parameter. The value is shown only if it cannot be a
    # secret.
    SETTINGS = auto()
    SETTING = auto()
    # A value whose name indicates that the value is a secret. Small numbers are shown.
    SECRET = auto()
    # Objects that contain values: one or all outputs of a deployment, one or all parameters, or a change to a secret.
    OUTPUTS = auto()
    OUTPUT = auto()
    PARAMETERS = auto()
    PARAMETER = auto()
    CHANGE = auto()
    # All rows of a table, or a single row. The kind of a value depends on the value's column.
    ROWS = auto()
    ROW = auto()


_KEY: Final = re.compile(r"(?=.*\d)[\w+/=~-]{20,}", re.ASCII)
_TYPES_OF_PARAMETERS: Final = frozenset(
    {"string", "securestring", "int", "bool", "object", "secureobject", "array", "sqlazure", "sqlserver", "mysql"}
    | {"postgresql", "custom", "rediscache", "servicebus", "eventhub", "apihub", "docdb", "notificationhub"}
)
_CHANGED: Final = frozenset({"previousvalue", "newvalue", "beforevalue", "aftervalue", "before", "after", "value"})
_PATHS: Final = ("path", "propertyPath", "propertyName")
_NAMES: Final = frozenset({"name", "key", "keyname"})
_VALUES: Final = frozenset({"value", "securevalue"})
# Descriptive entries next to the value of a secret.
_ABOUT_SECRETS: Final = frozenset({"type", "kind", "description", "secretname", "permissions"})
# Descriptive entries inside a setting that is an object, such as a parameter with firewall rules.
_ABOUT_PARTS: Final = frozenset({"id", "name", "type", "location", "etag", "kind"})
# Names of the numbers and IDs in a public key. These numbers and IDs look like secrets, but are public.
_PUBLIC: Final = frozenset({"n", "e", "x", "y", "kid", "x5c", "x5t", "x5t#S256"})
_OF_DEPLOYMENTS: Final = frozenset({"templateHash", "templateLink", "provisioningState", "template", "mode"})
_ENTRIES: Final = {
    TextPlace.OUTPUTS: TextPlace.OUTPUT,
    TextPlace.PARAMETERS: TextPlace.PARAMETER,
    TextPlace.SETTINGS: TextPlace.SETTING,
}


def place_of(record: Mapping[str, Any], name: str, around: TextPlace) -> TextPlace:
    """Determine the kind of an entry in a record. `around` is the kind of that record."""
    value = record[name]
    if name in _PUBLIC and "kty" in record:
        return TextPlace.PUBLIC
    if name == "rows" and isinstance(record.get("columns"), list):
        return TextPlace.ROWS
    return (
        _of_value(record, plain(name), value, around)
        or _of_secret(name, value, around)
        or _ENTRIES.get(around)
        or _of_settings(record, name, value)
        or _of_given(record, name, value)
        or _of_rest(name, around)
    )


def _of_value(record: Mapping[str, Any], name: str, value: Any, around: TextPlace) -> TextPlace | None:
    """Determine the kind of an entry whose record is a name-value pair, a parameter, an output or a change."""
    kind = str(record.get("type")).lower()
    if name in _NAMES and isinstance(value, str) and any(plain(own) in _VALUES for own in record):
        return TextPlace.NAME
    if name in _CHANGED and (around is TextPlace.CHANGE or _is_change_of_secret(record)):
        return TextPlace.SECRET
    if (name == "defaultvalue" and "secure" in kind) or (is_named_value(name) and _names_a_secret(record)):
        return TextPlace.SECRET
    if name not in _VALUES or around is TextPlace.SECRET:
        return None
    if around is TextPlace.OUTPUT:
        return TextPlace.VALUE if isinstance(value, str) and kind == "string" else TextPlace.SETTING
    is_setting = kind in _TYPES_OF_PARAMETERS or around is TextPlace.PARAMETER or _names_a_pair(record)
    return TextPlace.SETTING if is_setting else None


def _is_change_of_secret(record: Mapping[str, Any]) -> bool:
    """Whether the record describes a change to a secret.

    For a list entry, a what-if contains only the last part of the path. The path `value` therefore belongs to a
    setting.
    """
    is_of_entry = "propertyChangeType" in record and plain(str(record.get("path"))) in _VALUES
    return is_of_entry or any(is_secret_path(str(record.get(one))) for one in _PATHS)


def _names_a_pair(record: Mapping[str, Any]) -> bool:
    return any(plain(own) in _NAMES and isinstance(value, str) for own, value in record.items())


def _names_a_secret(record: Mapping[str, Any]) -> bool:
    return any(is_naming(own) and isinstance(value, str) and is_secret_name(value) for own, value in record.items())


def _of_secret(name: str, value: Any, around: TextPlace) -> TextPlace | None:
    if is_secret_name(name) or (isinstance(value, str) and ("." in name or "[" in name) and is_secret_path(name)):
        return TextPlace.SECRET
    if isinstance(value, dict) and is_secret_path(name):
        return TextPlace.CHANGE
    if not may_be_secret(name):
        return None
    if isinstance(value, str):
        return TextPlace.SECRET if _KEY.fullmatch(value) else None
    is_plural = isinstance(value, dict) and name.lower().endswith("s")
    return TextPlace.SECRET if is_plural or around is TextPlace.OUTPUTS else None


def _of_settings(record: Mapping[str, Any], name: str, value: Any) -> TextPlace | None:
    if not isinstance(value, dict | list):
        return None
    if holds_settings(name) or (name == "properties" and _is_configuration(record)):
        return TextPlace.SETTINGS
    return None


def _is_configuration(record: Mapping[str, Any]) -> bool:
    """Whether the record is an app's configuration with settings."""
    kind = record.get("type")
    is_configuration = isinstance(kind, str) and "/config" in kind.lower()
    return is_configuration and holds_settings(str(record.get("name")).rpartition("/")[2])


def _of_given(record: Mapping[str, Any], name: str, value: Any) -> TextPlace | None:
    """Determine the kind of an entry that contains tags, deployment inputs or deployment outputs."""
    if not isinstance(value, dict):
        return None
    if name == "tags":
        return TextPlace.VALUE
    if name == "outputs":
        return TextPlace.OUTPUTS
    return TextPlace.PARAMETERS if name == "parameters" and not _OF_DEPLOYMENTS.isdisjoint(record) else None


def _of_rest(name: str, around: TextPlace) -> TextPlace:
    if around is TextPlace.SECRET:
        return TextPlace.TEXT if plain(name) in _ABOUT_SECRETS else around
    if around is TextPlace.SETTING:
        return TextPlace.NAME if name in _ABOUT_PARTS else around
    if around is TextPlace.VALUE:
        return around
    return TextPlace.NAME if describes(name) else TextPlace.TEXT
