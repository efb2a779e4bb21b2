"""Writes text into YAML so that every reader, of YAML 1.1 or 1.2, gets the same text back."""

import re

# Narrower than YAML allows: what is not surely a text in every version of YAML is quoted.
# Nothing with a colon passes: 1:2:3:4:5:6:7:8 is a number in YAML 1.1, and 1:: a mapping.
_WORDS = re.compile(r"[^\W\d_][\w ./()&+@-]*")
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}(?:/[0-9]+)?")
_TRUTH_AND_NOTHING = frozenset({"y", "yes", "n", "no", "on", "off", "true", "false", "null"})


def written(text: str, quote: str = '"', *, plain: bool = True) -> str:
    """One line of printable text as a YAML scalar: plain if that is wished and safe, else quoted.

    The quotes are those that need less escaping; where both need the same, the given ones.
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
