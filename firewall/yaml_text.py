"""Reads the text of a rules file. Accepts only a single, safe, readable YAML document."""

import re
from collections.abc import Iterable, Iterator

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import Event, ScalarEvent

from firewall.yaml_events import end_of, events_of, start_of
from firewall.yaml_tree import YamlTree, grown_from
from refusal import Refusal

# The maximum size: about 1,500 rules of 85 bytes, which is more than a model can pass on.
MAX_BYTES = 128 * 1024
# The number of directives is limited, because the parser compares each directive with all other directives and with
# all tags.
MAX_DIRECTIVES = 10
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)

# Matches characters that are rejected. YAML allows some of these characters: byte order marks, and line separators of
# YAML 1.1 that YAML 1.2 does not have.
_UNREADABLE = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_COMMENT_OR_TAB = re.compile(r"(?<!\S)#[^\r\n]*|\t")
_LINE_END = re.compile(r"\r\n|\r|\n")
# The styles of scalars that may contain tabs, because all YAML readers agree where such a scalar ends.
_MAY_HOLD_TABS = frozenset("'\"|>")


def read_tree(text: str) -> YamlTree:
    """Read one YAML document. Raises Refusal if it is invalid or unsafe, or if YAML readers disagree about it."""
    check_size(text)
    _check_characters(text)
    _check_directives(text)
    # Without libyaml, PyYAML raises ValueError and similar errors for invalid numbers and escapes.
    try:
        tree = grown_from(events_of(text))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise _not_yaml(text, error) from error
    _check_tabs(text, tree.events)
    return tree


def check_size(text: str) -> None:
    # Lone surrogates must not cause an error here, because they are rejected later, in an error with their position.
    size = len(text.encode(errors="surrogatepass"))
    if size > MAX_BYTES:
        raise Refusal(
            f"The rules file contains {size:,} bytes; at most {MAX_BYTES:,} are allowed. Split the file into several"
            " files."
        )


def _check_characters(text: str) -> None:
    found = _UNREADABLE.search(text)
    if found:
        raise Refusal(
            f"Line {_line_at(text, found.start())} of the rules file has the character U+{ord(found[0]):04X}, which"
            " YAML forbids or which parsers interpret in different ways. Remove the character, or write it as an escape"
            " in double quotes."
        )


def _check_directives(text: str) -> None:
    if len(_DIRECTIVE.findall(text)) > MAX_DIRECTIVES:
        raise Refusal(f"The rules file has more than {MAX_DIRECTIVES} lines that start with %. Remove them.")


def _check_tabs(text: str, events: Iterable[Event]) -> None:
    """Reject tabs, except in quotes, block texts and comments, because YAML readers disagree about other tabs."""
    if "\t" not in text:
        return
    for start, end in _between_texts(events, len(text)):
        for found in _COMMENT_OR_TAB.finditer(text, start, end):
            if found[0] == "\t":
                raise Refusal(f"Line {_line_at(text, found.start())} of the rules file has a tab. Use spaces instead.")


def _between_texts(events: Iterable[Event], end: int) -> Iterator[tuple[int, int]]:
    place = 0
    for event in events:
        if isinstance(event, ScalarEvent) and event.style in _MAY_HOLD_TABS:
            yield place, start_of(event).index
            place = end_of(event).index
    yield place, end


def _not_yaml(text: str, error: Exception) -> Refusal:
    if not isinstance(error, MarkedYAMLError) or not error.problem_mark:
        return Refusal(
            "The rules file is not valid YAML: it contains a number or an escape that is out of range. Correct"
            " this value."
        )
    mark = error.problem_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}"
    is_tab = text.startswith("\t", mark.index)
    what = "a tab where only spaces are allowed" if is_tab else f"{error.problem} {error.context or ''}".rstrip()
    return Refusal(f"The rules file is not valid YAML at {where}: {what}. Correct the file there and try again.")


def _line_at(text: str, index: int) -> int:
    return len(_LINE_END.findall(text, 0, index)) + 1
