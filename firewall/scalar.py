"""Writes text as YAML that every reader of YAML 1.1 or 1.2 reads back unchanged."""

import re

# Narrower than YAML allows: anything that may not be text in some version of YAML is quoted. Colons are excluded:
# 1:2:3:4:5:6:7:8 is a number in YAML 1.1, and 1:: a mapping.
_WORDS = re.compile(r"[^\W\d_][\w ./()&+@-]*")
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}(?:/[0-9]+)?")
_TRUTH_AND_NOTHING = frozenset({"y", "yes", "n", "no", "on", "off", "true", "false", "null"})


def written(text: str, quote: str = '"', *, plain: bool = True) -> str:
    """One line of printable text as a YAML scalar: plain if allowed by `plain` and safe, otherwise quoted.

    Uses the quotes that need less escaping; on a tie, the given ones.
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
