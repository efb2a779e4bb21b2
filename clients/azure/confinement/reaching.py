"""Detects Kusto queries that could read data outside the tables of the queried resource."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import Final

from clients.azure.kql import Token

# Functions that read other resources, send requests or run code.
_FUNCTIONS: Final = frozenset(
    "workspace app arg adx resource cluster database stored_query_result graph __invoke python r csharp".split()
)
_KINDS_OF_FUNCTIONS: Final = re.compile(r"(?:ai_|execute_|external|infer_storage_)\w*+\Z|\w+_request(?:_post)?\Z")
# Operators and statements that read other resources, send requests or run code.
_WORDS: Final = frozenset({"externaldata", "external_data", "entity_group", "macro", "query_language"})
# Plugins that only compute results. This is an allow list, because new plugins may send requests.
_PLUGINS: Final = frozenset(
    "active_users_count activity_counts_metrics activity_engagement activity_metrics autocluster bag_unpack basket"
    " dcount_intersect diffpatterns estimate_rows_count funnel_sequence funnel_sequence_completion geo_line_lookup"
    " geo_polygon_lookup ipv4_lookup ipv6_lookup narrow new_activity_metrics pivot preview rolling_percentile rows_near"
    " sequence_detect session_count sliding_window_counts".split()
)
# If a query starts with one of these texts, it is a command, or Kusto parses it as SQL.
_NO_QUERY: Final = (".", "--", "explain", "select")
# Operators that can add a second table to a query.
_FURTHER: Final = frozenset("evaluate find fork invoke join let lookup materialize search table toscalar union".split())
# Matches a table name in quotes.
_NAMED: Final = re.compile(r"@?(?:'[\w-]{1,200}'|\"[\w-]{1,200}\")", re.ASCII)
_TABLE: Final = re.compile(r"\w*(?:resources|containers|changes)\Z")


_NOTHING: Final = Token("", "", 0)


def reaches_elsewhere(query: Sequence[Token]) -> bool:
    """Whether the query could read data outside the tables of its resource."""
    return (
        "".join(token.text.lower() for token in query[:2]).startswith(_NO_QUERY)
        or any(token.word in _WORDS for token in query)
        or any(map(_is_outside, _plugins_of(query)))
        or any(map(partial(_is_handed_on, query), range(len(query))))
        or not all(map(_NAMED.fullmatch, _tables(query)))
        or any(plugin not in _PLUGINS for plugin in _plugins(query))
    )


def reads_one_table(query: Sequence[Token]) -> bool:
    """Whether a Resource Graph query begins with a table and reads no other table."""
    named = [token for before, token in pairwise(query) if before.text != "."]
    return (
        [token.kind for token in query[:1]] == ["word"]
        and [token.text for token in query[1:2]] in ([], ["|"])
        and not any(token.text == ";" or token.word in _FURTHER or _TABLE.match(token.word) for token in named)
    )


def _plugins_of(query: Sequence[Token]) -> Iterator[Token]:
    return (token for token, following in pairwise(query) if following.text == "(")


def _is_outside(called: Token) -> bool:
    """Whether this function reads or might read other resources.

    If the name of a function is in brackets, the function counts as one that reads other resources, because such
    names can be spelled in many ways.
    """
    if called.kind == "word":
        return not called.text.isascii() or called.word in _FUNCTIONS or bool(_KINDS_OF_FUNCTIONS.match(called.word))
    return called.kind == "text" or called.text == "]"


def _is_handed_on(query: Sequence[Token], place: int) -> bool:
    """Whether the query gives the function another name, or calls the function through brackets or a dot.

    Azure currently rejects queries of all three kinds.
    """
    if not query[place].word or not _is_outside(query[place]):
        return False
    before = [token.text.lower() for token in query[max(0, place - 3) : place]]
    behind = [token.text for token in query[place + 1 : place + 3]]
    is_renamed = before[:1] == ["let"] and before[-1:] == ["="] and behind[:1] in ([], [";"])
    is_in_brackets = before[-1:] == ["("] and _behind_brackets(query, place + 1) == "("
    return is_renamed or is_in_brackets or behind == [".", "("]


def _behind_brackets(query: Sequence[Token], place: int) -> str:
    return next((token.text for token in islice(query, place, None) if token.text != ")"), "")


def _tables(query: Sequence[Token]) -> Iterator[str]:
    """Yield the argument of each `table()` call. A computed name could be the name of any table."""
    named = zip(query, query[1:], [*query[2:], _NOTHING], strict=False)
    return (name.text for token, bracket, name in named if token.word == "table" and bracket.text == "(")


def _plugins(query: Sequence[Token]) -> Iterator[str]:
    """Skip the hints after each `evaluate`, and yield the name of the plugin.

    A missing name is yielded as an empty text.
    """
    is_awaited = False
    for token, following in pairwise([*query, _NOTHING]):
        is_awaited = is_awaited or token.word == "evaluate"
        if is_awaited and following.text in {"(", "|", ""}:
            yield token.word
            is_awaited = False
