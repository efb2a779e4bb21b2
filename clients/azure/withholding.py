"""What no answer of Azure may give to a model: the values of secrets, whatever they are called there.

A query renames and joins columns, so this goes by values and by shapes first, and by names besides. It is linear in
the length of an answer, and what is nested too deeply to be looked at is withheld as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from clients.azure.secret_names import holds_settings, is_secret_name, is_secret_path, may_be_secret
from clients.azure.secret_texts import WITHHELD, is_harmless, without_secrets, without_values
from clients.decoding import decoded

__all__ = ["WITHHELD", "names_of_settings", "withheld"]

_DEEPEST: Final = 100
_KEY: Final = re.compile(r"(?=.*\d)[\w+/=~-]{20,}", re.ASCII)
# JSON in a text in JSON, and so on.
_TEXTS_DEEP: Final = 3
# Where the next piece of a list is. It is at the top of an answer, and ours to follow.
_OURS: Final = frozenset({"nextLink", "@odata.nextLink", "$skipToken", "skipToken", "@nextLink", "continuationToken"})
_TYPES_OF_PARAMETERS: Final = frozenset(
    {"string", "securestring", "int", "bool", "object", "secureobject", "array", "sqlazure", "sqlserver", "mysql"}
    | {"postgresql", "custom", "rediscache", "servicebus", "eventhub", "apihub", "docdb", "notificationhub"}
)
_CHANGED: Final = ("previousValue", "newValue", "beforeValue", "afterValue", "before", "after", "value")
_PATHS: Final = frozenset({"path", "propertyPath", "propertyName"})
_VALUES: Final = frozenset({"value", "secureValue", "defaultValue"})
_GIVEN: Final = frozenset({"parameters", "outputs"})
# The numbers of a public key, which look like keys that are none.
_PUBLIC: Final = frozenset({"n", "e", "x", "y", "kid", "x5c", "x5t", "x5t#S256"})
_OF_DEPLOYMENTS: Final = frozenset({"templateHash", "templateLink", "provisioningState", "template", "mode"})


def withheld(document: Any) -> Any:
    """The document without values that are secrets. It is changed in place."""
    if not isinstance(document, dict):
        return _of(document, _DEEPEST)
    ours = {name: document.pop(name) for name in _OURS & document.keys()}
    return {**_of(document, _DEEPEST), **ours}


def names_of_settings(document: Any) -> dict[str, list[str]]:
    """Of the settings of an app nothing but their names."""
    found = document.get("properties") if isinstance(document, dict) else None
    return {"names": [without_secrets(name) for name in found] if isinstance(found, dict) else []}


def _of(value: Any, depth: int, texts: int = _TEXTS_DEEP) -> Any:
    if isinstance(value, str):
        return _text(value, depth, texts)
    if not isinstance(value, dict | list):
        return value
    if not depth:
        return WITHHELD
    if isinstance(value, list):
        value[:] = [_of(inner, depth - 1, texts) for inner in value]
        return value
    _withhold_by_shape(value)
    for name, inner in value.items():
        value[name] = _entry(value, name, inner, depth, texts)
    return value


def _entry(record: Mapping[str, Any], name: str, value: Any, depth: int, texts: int) -> Any:
    if name in _PUBLIC and "kty" in record:
        return value
    if isinstance(value, dict) and is_secret_path(name):
        _withhold(value, _CHANGED)
    if is_secret_name(name) or (may_be_secret(name) and isinstance(value, str) and _KEY.fullmatch(value)):
        return _strings_of(value, depth, texts)
    if isinstance(value, dict) and holds_settings(name):
        value = {inner: _all_of(one) if isinstance(one, str) else one for inner, one in value.items()}
    return _of(value, depth - 1, texts)


def _strings_of(value: Any, depth: int, texts: int) -> Any:
    if isinstance(value, str):
        return _all_of(value)
    if isinstance(value, list):
        return [_all_of(one) if isinstance(one, str | list) else _of(one, depth - 1, texts) for one in value]
    return _of(value, depth - 1, texts)


def _withhold_by_shape(record: dict[str, Any]) -> None:
    """Settings, parameters and changes have forms of their own, wherever they stand."""
    if not _VALUES.isdisjoint(record):
        _withhold_values(record)
    if not _PATHS.isdisjoint(record) and any(is_secret_path(str(record[name])) for name in _PATHS & record.keys()):
        _withhold(record, _CHANGED)
    if not _GIVEN.isdisjoint(record) and not _OF_DEPLOYMENTS.isdisjoint(record):
        for given in (record[name] for name in _GIVEN & record.keys()):
            for parameter in given.values() if isinstance(given, dict) else ():
                _withhold(parameter, ("value",))
    if _is_of_settings(record):
        record["properties"] = {
            name: _all_of(value) if isinstance(value, str) else value for name, value in record["properties"].items()
        }


def _withhold_values(record: dict[str, Any]) -> None:
    """What a setting or a parameter has for a value, and a secure one unless it is given."""
    kind = str(record.get("type")).lower()
    if isinstance(record.get("name"), str) or kind in _TYPES_OF_PARAMETERS:
        _withhold(record, ("value", "secureValue"))
    if "secure" in kind:
        _withhold(record, ("defaultValue",))


def _is_of_settings(record: Mapping[str, Any]) -> bool:
    """Whether it is the configuration of an app that has names and values and nothing else."""
    kind = record.get("type")
    if not isinstance(kind, str) or "/config" not in kind.lower() or not isinstance(record.get("properties"), dict):
        return False
    return holds_settings(str(record.get("name")).rpartition("/")[2])


def _withhold(record: Any, names: tuple[str, ...]) -> None:
    for name in names:
        if isinstance(record, dict) and name in record:
            record[name] = _all_of(record[name])


def _all_of(value: Any) -> Any:
    """Nothing of a value, but whether there is one: what can be no secret stays."""
    if isinstance(value, bool | int | float | None) or (isinstance(value, str) and is_harmless(value)):
        return value
    return WITHHELD if value else value


def _text(text: str, depth: int, texts: int) -> str:
    if text.lstrip()[:1] not in {"{", "["}:
        return without_secrets(text)
    try:
        found = decoded(text) if texts and depth else None
    except (ValueError, RecursionError):
        return without_values(text)
    if found is None:
        return WITHHELD
    before = json.dumps(found, ensure_ascii=False)
    after = json.dumps(_of(found, depth - 1, texts - 1), ensure_ascii=False)
    return text if after == before else after
