"""Writes a text as a YAML value that every YAML 1.1 or 1.2 reader converts back to exactly this text."""

import re

# Matches values that are safe without quotes. The pattern is stricter than YAML requires: values that are not text in
# some version of YAML need quotes. Values with colons need quotes, too, because 1:2:3:4:5:6:7:8 is a number in YAML
# 1.1, and 1:: is a mapping.
_WORDS = re.compile(r"[^\W\d_][\w ./()&+@-]*")
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}(?:/[0-9]+)?")
_TRUTH_AND_NOTHING = frozenset({"y", "yes", "n", "no", "on", "off", "true", "false", "null"})


def written(text: str, quote: str = '"', *, plain: bool = True) -> str:
    """Write printable text as a YAML value on one line. The value is quoted unless `plain` is set and the text is safe
    without quotes.

    The quotes that require less escaping are used. If both kinds of quotes require the same escaping, `quote` is used.
    """
    if plain and _is_safe_plain(text):
        return text
    double = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    single = "'" + text.replace("'", "''") + "'"
    return min((single, double) if quote == "'" else (double, single), key=len)


def _is_safe_plain(text: str) -> bool:
    if _IPV4.fullmatch(text):
        return True
    return bool(_WORDS.fullmatch(text)) and text.lower() not in _TRUTH_AND_NOTHING
