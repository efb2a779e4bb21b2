"""The functions that expressions may call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.graph.values import equal, moment_of, number_of, text_of, whole_of

Function = Callable[..., Any]
_PARTS: Final = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1, "week": 604_800}


def _ago(span: timedelta) -> datetime:
    return datetime.now(UTC) - span


def _now(span: timedelta = timedelta()) -> datetime:
    return datetime.now(UTC) + span


def _choose(*arguments: Any) -> Any:
    pairs = zip(arguments[:-1:2], arguments[1::2], strict=True)
    return next((value for test, value in pairs if test), arguments[-1])


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _substring(text: Any, start: int, length: int | None = None) -> str:
    return text_of(text)[start : None if length is None else start + length]


def _split(text: Any, separator: str, at: int | None = None) -> list[str]:
    parts = text_of(text).split(separator)
    return parts if at is None else parts[at : at + 1]


def _extract(pattern: str, group: int, text: Any) -> str | None:
    found = re.search(pattern, text_of(text))
    return found[group] if found else None


def _difference(part: str, later: Any, earlier: Any) -> int | None:
    one, other = moment_of(later), moment_of(earlier)
    return int((one - other).total_seconds() // _PARTS[part.lower()]) if one and other else None


def _added(part: str, count: int, moment: Any) -> datetime | None:
    found = moment_of(moment)
    return found + timedelta(seconds=_PARTS[part.lower()] * count) if found else None


def _format(moment: Any, how: str) -> str:
    found = moment_of(moment)
    names = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
    return found.strftime(re.sub("yyyy|MM|dd|HH|mm|ss", lambda part: names[part[0]], how)) if found else ""


def _bin(value: Any, size: Any) -> Any:
    if isinstance(size, timedelta) and (moment := moment_of(value)):
        start = datetime.min.replace(tzinfo=UTC)
        return moment - (moment - start) % size
    return value // size * size if value is not None else None


def _start_of_day(moment: Any) -> Any:
    return _bin(moment, timedelta(days=1))


def _bag(*arguments: Any) -> dict[str, Any]:
    return dict(zip(map(text_of, arguments[::2]), arguments[1::2], strict=True))


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, list) else None


def _true(value: Any) -> bool | None:
    return {"true": True, "false": False, "1": True, "0": False}.get(text_of(value).lower())


FUNCTIONS: Final[Mapping[str, Function]] = {
    "tostring": text_of,
    "tolower": lambda value: text_of(value).lower(),
    "toupper": lambda value: text_of(value).upper(),
    "toint": whole_of,
    "tolong": whole_of,
    "todouble": number_of,
    "toreal": number_of,
    "tobool": _true,
    "toboolean": _true,
    "todatetime": moment_of,
    "ago": _ago,
    "now": _now,
    "isempty": lambda value: text_of(value) == "",
    "isnotempty": lambda value: text_of(value) != "",
    "isnull": lambda value: value is None,
    "isnotnull": lambda value: value is not None,
    "not": lambda value: not value,
    "strcat": lambda *values: "".join(map(text_of, values)),
    "strlen": lambda value: len(text_of(value)),
    "split": _split,
    "substring": _substring,
    "indexof": lambda text, part: text_of(text).find(text_of(part)),
    "trim": lambda pattern, text: re.sub(rf"^(?:{pattern})|(?:{pattern})$", "", text_of(text)),
    "replace_string": lambda text, old, new: text_of(text).replace(old, new),
    "replace": lambda pattern, new, text: re.sub(pattern, new, text_of(text)),
    "extract": _extract,
    "iff": lambda test, one, other: one if test else other,
    "iif": lambda test, one, other: one if test else other,
    "case": _choose,
    "coalesce": lambda *values: next((value for value in values if text_of(value) != ""), None),
    "parse_json": _parsed,
    "todynamic": _parsed,
    "dynamic": _parsed,
    "array_length": _length,
    "array_index_of": lambda values, value: next((at for at, one in enumerate(values or []) if equal(one, value)), -1),
    "set_has_element": lambda values, value: any(equal(one, value) for one in values or []),
    "bag_keys": lambda value: list(value) if isinstance(value, dict) else None,
    "bag_pack": _bag,
    "pack": _bag,
    "pack_array": lambda *values: list(values),
    "datetime_diff": _difference,
    "datetime_add": _added,
    "format_datetime": _format,
    "startofday": _start_of_day,
    "bin": _bin,
    "round": lambda value, digits=0: None if value is None else round(value, digits),
    "min_of": min,
    "max_of": max,
}
