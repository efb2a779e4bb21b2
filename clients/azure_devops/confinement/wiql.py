"""Limits WIQL queries to the allowed projects, so that no other work item affects the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from refusal import Refusal

# Outside strings, only visible ASCII characters, letters of any alphabet and these spaces are allowed, because Azure
# DevOps might read other characters as spaces.
_SPACE: Final = r"[ \t\r\n]"
_LETTER: Final = r"[^\W\d]"
_CONTROL: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_TOKEN: Final = re.compile(
    rf"""(?P<space>{_SPACE}++)
      | (?P<text>'(?:[^'{_CONTROL}]|'')*+'|"(?:[^"{_CONTROL}]|"")*+")
      | (?P<field>(?:(?:source|target){_SPACE}*+\.{_SPACE}*+)?\[(?:[ !\#-&(-Z\\^-~]|{_LETTER})++\])
      | (?P<word>(?:[@0-9.]|{_LETTER})++)
      | (?P<sign>[(),=<>+\-*])""",
    re.VERBOSE | re.IGNORECASE,
)
_PROJECT: Final = "[System.TeamProject]"
# The reference names and display names of the fields whose values start with a project.
_PLACES: Final = frozenset(
    "system.teamproject teamproject system.areapath areapath system.iterationpath iterationpath".split()
)
_NUMBERED: Final = frozenset("system.areaid areaid system.iterationid iterationid".split())
_TEAM: Final = re.compile(r"\[([^\]]*)\]\\")
_AFTER_CONDITIONS: Final = ("order", "asof", "mode")
_NOT_UNDERSTOOD: Final = (
    "The query cannot be limited to the allowed projects. Write it as SELECT ... FROM WorkItems WHERE ... ORDER BY ...,"
    " with strings in quotes and fields in brackets."
)


_ADVICE: Final = "list_projects lists the allowed projects."


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        return self.text.lower()

    @property
    def field(self) -> str:
        """The normalized name of a field. Names without spaces can be written without brackets."""
        if self.kind == "word":
            name = re.sub(r"^(?:source|target)\.", "", self.word)
            return name if name in _PLACES | _NUMBERED else ""
        return self.text.rpartition("[")[2].rstrip("]").replace(" ", "").lower() if self.kind == "field" else ""

    @property
    def value(self) -> str:
        return self.text[1:-1].replace(self.text[0] * 2, self.text[0])


def confined(query: str, projects: Iterable[str], admits: Callable[[str], bool]) -> str:
    """Limit a query to work items in these projects. Raises Refusal if the query names another project."""
    tokens = _tokens(query)
    source = _source(tokens)
    _refuse_others(tokens, admits)
    among = f"IN ({', '.join(map(_quoted, projects))})"
    if source == "workitems":
        return _with(query, tokens, f"{_PROJECT} {among}")
    if source in {"workitemlinks", "links"}:
        return _with(query, tokens, f"Source.{_PROJECT} {among} AND Target.{_PROJECT} {among}")
    raise Refusal(_NOT_UNDERSTOOD)


def _source(tokens: Sequence[_Token]) -> str:
    """The word after FROM."""
    words = [token.word for token in tokens]
    if words[:1] != ["select"] or words.count("from") != 1:
        raise Refusal(_NOT_UNDERSTOOD)
    return "".join(words[words.index("from") + 1 :][:1])


def _with(query: str, tokens: Sequence[_Token], condition: str) -> str:
    """Add a condition. The query's own conditions are put in parentheses, so they cannot bypass the new one."""
    start, end = _conditions_in(tokens)
    own = tokens[start:end]
    if own and own[0].word != "where":
        raise Refusal(_NOT_UNDERSTOOD)
    _refuse_unbalanced(own)
    after = tokens[end].start if end < len(tokens) else len(query)
    head = query[: tokens[start].start] if start < len(tokens) else f"{query} "
    asked = query[own[0].start + len("where") : after].strip() if own else ""
    both = f"{condition} AND ({asked})" if asked else condition
    return f"{head}WHERE {both} {query[after:]}".strip()


def _conditions_in(tokens: Sequence[_Token]) -> tuple[int, int]:
    """The positions at which the conditions start and end."""
    words = [token.word for token in tokens]
    start = words.index("from") + 2
    return start, next((place for place in range(start, len(words)) if words[place] in _AFTER_CONDITIONS), len(words))


def _refuse_unbalanced(tokens: Iterable[_Token]) -> None:
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth < 0:
            raise Refusal(_NOT_UNDERSTOOD)
    if depth:
        raise Refusal(_NOT_UNDERSTOOD)


def _refuse_others(tokens: Sequence[_Token], admits: Callable[[str], bool]) -> None:
    """Reject comparisons with paths of other projects, because the results would show whether these paths exist."""
    _refuse_unlimited(tokens)
    field = ""
    for token in tokens:
        if token.field or token.word in {"and", "or"}:
            field = token.field
        elif token.kind == "text":
            team = _TEAM.match(token.value)
            place = token.value.partition("\\")[0] if field in _PLACES else team[1] if team else None
            if place is not None and not admits(place):
                raise Refusal("The query names a project outside the allowed scope. " + _ADVICE)


def _refuse_unlimited(tokens: Sequence[_Token]) -> None:
    if any(token.word == "ever" or token.field in _NUMBERED for token in tokens):
        raise Refusal("Access is restricted to some projects, so a query must not use EVER, area ids or iteration ids.")


def _tokens(query: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    while place < len(query):
        found = _TOKEN.match(query, place)
        if not found:
            raise Refusal(_NOT_UNDERSTOOD)
        if found.lastgroup != "space":
            tokens.append(_Token(str(found.lastgroup), found[0], place))
        place = found.end()
    return tokens


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
