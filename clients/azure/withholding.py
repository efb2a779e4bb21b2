"""Withholds secrets in Azure's responses.

Names alone are not sufficient, because a query can rename and join columns. How a text is checked therefore depends on
its position in the document. Names and IDs are shown even if they look random. Values of settings are withheld. The
processing time is proportional to the length of the response. Values that are nested too deeply are withheld
completely.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from clients.azure.secret_names import is_named_value, is_naming, is_secret_name, is_secret_option
from clients.azure.secret_places import TextPlace, place_of
from clients.azure.secret_texts import WITHHELD, is_harmless, name_without_secrets, without_secrets, without_values
from clients.decoding import MOST_PARTS, decoded

__all__ = ["WITHHELD", "names_of_settings", "withheld"]

_DEEPEST: Final = 100
_OPTION: Final = re.compile(r"--?([A-Za-z][\w-]{0,60})", re.ASCII)
_ASSIGNED: Final = re.compile(r"([\w.-]{1,100}=)(.*)", re.ASCII | re.DOTALL)
# The maximum nesting depth of JSON inside texts.
_TEXTS_DEEP: Final = 3
# The maximum number of pieces of JSON in a text.
_MOST_PIECES: Final = 16
_PIECE: Final = re.compile(r"\{\s{0,20}\"|\[\s{0,20}[\[{\"]")
_BYTE_ORDER_MARK: Final = "\ufeff"
_SMALL: Final = 1000
# The link to the next page. This link is only at the top level of a response, and only this server uses it.
_OURS: Final = frozenset({"nextLink", "@odata.nextLink", "$skipToken", "skipToken", "@nextLink", "continuationToken"})


def withheld(document: Any) -> Any:
    """Withhold all secrets in a document. The document is changed in place."""
    if not isinstance(document, dict):
        return _of(document, TextPlace.TEXT, _DEEPEST)
    ours = {name: document.pop(name) for name in _OURS & document.keys()}
    return {**_of(document, TextPlace.TEXT, _DEEPEST), **ours}


def names_of_settings(document: Any) -> dict[str, list[str]]:
    """Keep only the names of an app's settings."""
    found = document.get("properties") if isinstance(document, dict) else None
    return {"names": list(found) if isinstance(found, dict) else []}


def _of(value: Any, place: TextPlace, depth: int, texts: int = _TEXTS_DEEP) -> Any:
    if isinstance(value, str):
        return _string(value, place, depth, texts)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return WITHHELD if place is TextPlace.SECRET and abs(value) >= _SMALL else value
    if not isinstance(value, dict | list):
        return value
    if not depth:
        return WITHHELD
    if isinstance(value, list):
        return _list(value, place, depth, texts)
    _withhold_columns(value)
    places = [place_of(value, name, place) for name in value]
    for (name, inner), own in zip(value.items(), places, strict=True):
        value[name] = _of(inner, own, depth - 1, texts)
    return value


def _withhold_columns(table: dict[str, Any]) -> None:
    """Withhold values in a table: in columns whose names indicate secrets, and next to the name of a secret."""
    columns, rows = table.get("columns"), table.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return
    names = [str(column.get("name")) if isinstance(column, dict) else "" for column in columns]
    secret = [number for number, name in enumerate(names) if is_secret_name(name)]
    values = [number for number, name in enumerate(names) if is_named_value(name)]
    for row in rows:
        if isinstance(row, list):
            is_pair = any(is_naming(name) and _is_secret(own) for name, own in zip(names, row, strict=False))
            _withhold_cells(row, [*secret, *(values if is_pair else [])])


def _withhold_cells(row: list[Any], numbers: list[int]) -> None:
    for number in numbers:
        if number < len(row) and isinstance(row[number], str):
            row[number] = _setting(row[number])


def _is_secret(name: Any) -> bool:
    return isinstance(name, str) and is_secret_name(name)


def _list(values: list[Any], place: TextPlace, depth: int, texts: int) -> list[Any]:
    """Check the values in a list. A list may contain pairs of a name and a value, or command options, each followed by
    the option's value.
    """
    is_behind_option = False
    for number, value in enumerate(values):
        own = TextPlace.SECRET if is_behind_option and isinstance(value, str) else _entry(place, value)
        if own is not TextPlace.ROW and _is_pair_of_secret(value):
            value[1] = _of(value[1], TextPlace.SECRET, depth - 1, texts)
        values[number] = _of(value, own, depth - 1, texts)
        option = _OPTION.fullmatch(value) if isinstance(value, str) else None
        is_behind_option = bool(option and is_secret_option(option[1]))
    return values


def _is_pair_of_secret(value: Any) -> bool:
    """Whether a list entry is a list of two items: the name of a secret, and the secret.

    A path does not count as the name of a secret.
    """
    return (
        isinstance(value, list)
        and len(value) == len(("name", "value"))
        and _is_secret(value[0])
        and "/" not in value[0]
    )


def _entry(place: TextPlace, value: Any) -> TextPlace:
    """Determine the kind of a list entry.

    `place` says what kind of list contains the entry. A settings list contains name-value objects or texts.
    """
    if place is TextPlace.ROWS:
        return TextPlace.ROW
    if place is not TextPlace.SETTINGS:
        return place
    return TextPlace.TEXT if isinstance(value, dict) else TextPlace.SETTING


def _string(text: str, place: TextPlace, depth: int, texts: int) -> str:
    if place is TextPlace.PUBLIC:
        return text
    if place in {TextPlace.SETTING, TextPlace.SECRET}:
        return _setting(text)
    if place is TextPlace.NAME:
        return name_without_secrets(text)
    return _text(text, depth, texts, strictly=place is TextPlace.VALUE)


def _setting(text: str) -> str:
    """Withhold the value of a setting unless it is empty or harmless.

    If the text has the form `NAME=value`, with the name in capitals, the name is kept.
    """
    assigned = _ASSIGNED.fullmatch(text)
    if assigned and assigned[1].isupper():
        return assigned[1] + _setting(assigned[2])
    return text if is_harmless(text) else WITHHELD


def _text(text: str, depth: int, texts: int, *, strictly: bool) -> str:
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if text.lstrip()[:1] not in {"{", "["}:
        return _with_pieces(text, depth, texts, strictly=strictly)
    try:
        found = decoded(text) if texts and depth else None
    except (ValueError, RecursionError):
        return _with_pieces(text, depth, texts, strictly=strictly)
    return WITHHELD if found is None else _piece(text, found, depth, texts)


def _piece(text: str, found: Any, depth: int, texts: int) -> str:
    before = json.dumps(found, ensure_ascii=False)
    after = json.dumps(_of(found, TextPlace.TEXT, depth - 1, texts - 1), ensure_ascii=False)
    return text if after == before else after


def _with_pieces(text: str, depth: int, texts: int, *, strictly: bool) -> str:
    """Withhold secrets in a text that may contain pieces of JSON, as in logs. Each complete piece is checked."""
    if "{" not in text and "[" not in text:
        return without_secrets(text, strictly=strictly)
    parts: list[str] = []
    at = 0
    decoder = json.JSONDecoder()
    most = 2 * _MOST_PIECES if texts and depth and sum(map(text.count, "[{,")) <= MOST_PARTS else 0
    while len(parts) < most and (found := _PIECE.search(text, at)):
        try:
            _, end = decoder.raw_decode(text, found.start())
            value = decoded(text[found.start() : end])
        except (ValueError, RecursionError):
            break
        piece = _piece(text[found.start() : end], value, depth, texts)
        parts += [without_secrets(text[at : found.start()], strictly=strictly), piece]
        at = end
    rest = text[at:]
    is_cut = bool(_PIECE.search(rest))
    return "".join(parts) + (without_values(rest) if is_cut else without_secrets(rest, strictly=strictly))
