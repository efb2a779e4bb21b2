"""Queries for work items, confined to projects: nothing outside is asked for, or decides what is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from refusal import Refusal

# Outside of texts stand visible ASCII and letters: of other characters, Azure DevOps may take some for spaces.
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
# The fields whose values begin with a project, by their reference names and as people call them.
_PLACES: Final = frozenset(
    "system.teamproject teamproject system.areapath areapath system.iterationpath iterationpath".split()
)
_NUMBERED: Final = frozenset("system.areaid areaid system.iterationid iterationid".split())
_TEAM: Final = re.compile(r"\[([^\]]*)\]\\")
_AFTER_CONDITIONS: Final = ("order", "asof", "mode")
_NOT_UNDERSTOOD: Final = (
    "The query cannot be confined to the projects within reach here. Write it as SELECT ... FROM WorkItems WHERE ..."
    " ORDER BY ..., with texts in quotes and fields in brackets."
)


_ADVICE: Final = "list_projects names those that are."


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        return self.text.lower() if self.kind == "word" else ""

    @property
    def field(self) -> str:
        """The name of a field, as it compares. One without spaces needs no brackets."""
        if self.kind == "word":
            name = re.sub(r"^(?:source|target)\.", "", self.word)
            return name if name in _PLACES | _NUMBERED else ""
        return self.text.rpartition("[")[2].rstrip("]").replace(" ", "").lower() if self.kind == "field" else ""

    @property
    def value(self) -> str:
        return self.text[1:-1].replace(self.text[0] * 2, self.text[0])


def confined(query: str, projects: Iterable[str], admits: Callable[[str], bool]) -> str:
    """The query for those work items alone that are in these projects.

    Raises:
        Refusal: It names another project, or is not understood well enough to be confined.
    """
    tokens = _tokens(query)
    words = [token.word for token in tokens]
    if words[:1] != ["select"] or words.count("from") != 1:
        raise Refusal(_NOT_UNDERSTOOD)
    _refuse_others(tokens, admits)
    among = f"IN ({', '.join(map(_quoted, projects))})"
    source = words[words.index("from") + 1 :][:1]
    if source == ["workitems"]:
        return _with(query, tokens, f"{_PROJECT} {among}")
    if source in (["workitemlinks"], ["links"]):
        return _with(query, tokens, f"Source.{_PROJECT} {among} AND Target.{_PROJECT} {among}")
    raise Refusal(_NOT_UNDERSTOOD)


def _with(query: str, tokens: Sequence[_Token], condition: str) -> str:
    """The query with one more condition, around which its own ones cannot reach."""
    words = [token.word for token in tokens]
    start = words.index("from") + 2
    end = next((place for place in range(start, len(words)) if words[place] in _AFTER_CONDITIONS), len(words))
    own = tokens[start:end]
    if own and own[0].word != "where":
        raise Refusal(_NOT_UNDERSTOOD)
    _refuse_unbalanced(own)
    rest = query[tokens[end].start :] if end < len(tokens) else ""
    head = query[: tokens[start].start] if start < len(tokens) else f"{query} "
    asked = query[own[0].start + len("where") : tokens[end].start if end < len(tokens) else len(query)] if own else ""
    both = f"{condition} AND ({asked.strip()})" if asked.strip() else condition
    return f"{head}WHERE {both} {rest}".strip()


def _refuse_unbalanced(tokens: Iterable[_Token]) -> None:
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth < 0:
            raise Refusal(_NOT_UNDERSTOOD)
    if depth:
        raise Refusal(_NOT_UNDERSTOOD)


def _refuse_others(tokens: Sequence[_Token], admits: Callable[[str], bool]) -> None:
    """Refuse to compare with the places of other projects: whether these are there would show in the answer."""
    words = {token.word for token in tokens}
    if "ever" in words or any(token.field in _NUMBERED for token in tokens):
        raise Refusal("Only some projects are within reach here, and EVER and ids of areas reach beyond.")
    field = ""
    for token in tokens:
        if token.field or token.word in {"and", "or"}:
            field = token.field
        elif token.kind == "text":
            team = _TEAM.match(token.value)
            place = token.value.partition("\\")[0] if field in _PLACES else team[1] if team else None
            if place is not None and not admits(place):
                raise Refusal("The query names a project that is not within reach here. " + _ADVICE)


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
