"""Writes text as YAML that every reader of YAML 1.1 or 1.2 reads back unchanged."""

import re

# Stricter than YAML requires: everything that might not be text in some version of YAML is quoted. Colons need quotes,
# too, because 1:2:3:4:5:6:7:8 is a number in YAML 1.1, and 1:: a mapping.
_WORDS = re.compile(r"[^\W\d_][\w ./()&+@-]*")
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}(?:/[0-9]+)?")
_TRUTH_AND_NOTHING = frozenset({"y", "yes", "n", "no", "on", "off", "true", "false", "null"})


def written(text: str, quote: str = '"', *, plain: bool = True) -> str:
    """Write printable text as a YAML value on one line: plain if `plain` is set and plain text is safe, otherwise
    quoted.

    Chooses the quotes that need less escaping. If both kinds of quotes need the same escaping, uses `quote`.
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
