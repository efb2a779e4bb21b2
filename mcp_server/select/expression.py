"""Parses a caller's JMESPath expression before the tool runs.

If the expression is invalid, the tool does not run. Without this check, a tool could change something, and the caller
would get an error about the expression instead of the tool's answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from jmespath.exceptions import LexerError, ParseError
from jmespath.functions import Functions
from jmespath.lexer import Lexer
from jmespath.parser import Parser
from pydantic_core import to_json

from mcp_server.wording import nearest
from refusal import Refusal

LONGEST: Final = 1_000
DEEPEST: Final = 50
FUNCTIONS: Final[dict[str, Any]] = Functions.FUNCTION_TABLE
# The number of characters to show before and after an error.
_BEFORE, _AFTER = 40, 20
_VALID: Final = (
    "Valid examples: items[].name, items[?state=='on'].{id: id, size: size} and length(items). Put strings in single"
    " quotes, and names with characters other than letters, digits and _ in double quotes."
)
_SIGNS: Final = {"rbracket": "]", "rparen": ")", "rbrace": "}", "colon": ":", "comma": ","}
_UNREADABLE: Final = {
    "`": "the text between the backticks is not JSON",
    '"': "the text between the double quotes is not a JSON string",
    "=": "write == to compare",
}

Node = dict[str, Any]


class _MistakeError(Exception):
    """An error at a position in the expression."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place = place


def parsed(expression: str) -> Node:
    """Parse a JMESPath expression into a syntax tree. If the expression is invalid, the refusal says where."""
    if len(expression) > LONGEST:
        raise _refused(f"select is {len(expression)} characters long; the limit is {LONGEST}.")
    try:
        return _judged(expression)
    except _MistakeError as mistake:
        pointed = _pointed(expression, mistake.place)
        raise _refused(f"At character {mistake.place + 1} of select: {mistake}.\n{pointed}\n{_VALID}") from None
    except RecursionError:
        raise _too_deep() from None


def children_of(node: Node) -> list[Node]:
    # Skip the children of a slice, which are numbers instead of nodes.
    return [child for child in node.get("children", ()) if isinstance(child, dict)]


def _judged(expression: str) -> Node:
    tokens, tree = _read(expression)
    if _depth(tree) > DEEPEST:
        raise _too_deep()
    _refuse_no_step(tokens)
    _refuse_misused_functions(tree, tokens)
    try:
        to_json(tree, inf_nan_mode="null")
    except ValueError:
        raise _refused(
            "A string in select contains half of a surrogate pair, or a literal is nested too deeply."
        ) from None
    return tree


def _read(expression: str) -> tuple[list[Node], Node]:
    try:
        tokens = list(Lexer().tokenize(expression))
        _refuse_call_of_no_name(tokens)
        return tokens, Parser().parse(expression).parsed
    except LexerError as wrong:
        raise _MistakeError(wrong.lexer_position, _unreadable(expression[wrong.lexer_position :], wrong)) from None
    except ParseError as wrong:
        raise _MistakeError(wrong.lex_position, _misplaced(wrong)) from None
    finally:
        # Clear the library's cache, which would otherwise keep hundreds of expressions from callers.
        Parser.purge()


def _unreadable(rest: str, wrong: LexerError) -> str:
    if str(wrong.message).startswith("Unclosed"):
        return f"this {rest[:1]} is never closed"
    return _UNREADABLE.get(rest[:1], "this character has no meaning here")


def _misplaced(wrong: ParseError) -> str:
    # The library raises this error not only for incomplete expressions, but also for other mistakes.
    if wrong.token_type in {None, "EOF"}:
        return "the expression ends too early"
    lacking = [sign for kind, sign in _SIGNS.items() if wrong.msg.startswith(f"Expecting: {kind},")]
    return f"a {lacking[0]} is missing before this" if lacking else "this is not allowed here"


def _refuse_call_of_no_name(tokens: Sequence[Node]) -> None:
    """Reject function calls such as `(length)(@)` and `"length"(@)`.

    The library accepts function names in parentheses or double quotes, although JMESPath does not allow them.
    """
    for before, token in pairwise(tokens):
        if token["type"] == "lparen" and before["type"] in {"rparen", "quoted_identifier"}:
            raise _MistakeError(token["start"], "write the name of a function without quotes or parentheses")


def _refuse_no_step(tokens: Sequence[Node]) -> None:
    kinds = "".join({"colon": ":", "number": "n"}.get(token["type"], " ") for token in tokens)
    for index, token in enumerate(tokens):
        is_step = kinds[:index].endswith(("::", ":n:"))
        if is_step and token["type"] == "number" and token["value"] == 0:
            raise _MistakeError(token["start"], "the step of a slice cannot be 0")


def _refuse_misused_functions(tree: Node, tokens: Sequence[Node]) -> None:
    """Reject unknown functions, wrong numbers of arguments, and `&` in arguments that are not expressions."""
    places = _places(tokens)
    awaited: set[int] = set()
    for node in _in_order(tree):
        if node["type"] == "function_expression":
            awaited |= _expressions_of_call(node, next(places))
        elif node["type"] == "expref":
            place = next(places)
            if id(node) not in awaited:
                raise _MistakeError(
                    place, "& is only allowed where a function takes an expression, as in sort_by(items, &name)"
                )


def _places(tokens: Sequence[Node]) -> Iterator[int]:
    """The positions of function calls and expression references, in the order in which they occur in the text."""
    for token, following in pairwise(tokens):
        is_called = token["type"] == "unquoted_identifier" and following["type"] == "lparen"
        if is_called or token["type"] == "expref":
            yield token["start"]


def _in_order(node: Node) -> Iterator[Node]:
    """All nodes of the tree, in the order in which they occur in the text.

    In the tree, the condition of a filter follows the expression for matching entries. In the text, the condition comes
    first.
    """
    yield node
    children = children_of(node)
    if node["type"] == "filter_projection":
        left, right, condition = children
        children = [left, condition, right]
    for child in children:
        yield from _in_order(child)


def _expressions_of_call(node: Node, place: int) -> set[int]:
    """The `id()` of each argument of a function call that must be an expression reference, such as `&name`.

    Also checks that the function exists and has the right number of arguments.
    """
    name, given = node["value"], node["children"]
    if name not in FUNCTIONS:
        told = f"unknown function {name[:_BEFORE]!r}.{nearest(name, [*FUNCTIONS])}"
        raise _MistakeError(place, f"{told} Functions: {', '.join(FUNCTIONS)}")
    signature = FUNCTIONS[name]["signature"]
    has_more = bool(signature[-1].get("variadic"))
    if len(given) < len(signature) or (len(given) > len(signature) and not has_more):
        taken = f"{'at least ' if has_more else ''}{len(signature)} argument{'s' if len(signature) > 1 else ''}"
        raise _MistakeError(place, f"{name}() takes {taken} but got {len(given)}")
    handed_on = [argument for argument, part in zip(given, signature, strict=False) if part["types"] == ["expref"]]
    if any(argument["type"] != "expref" for argument in handed_on):
        raise _MistakeError(place, f"{name}() takes an expression that starts with &, as in sort_by(items, &name)")
    return set(map(id, handed_on))


def _depth(tree: Node) -> int:
    deepest, left = 0, [(tree, 1)]
    while left:
        node, depth = left.pop()
        deepest = max(deepest, depth)
        left += [(child, depth + 1) for child in children_of(node)]
    return deepest


def _pointed(expression: str, place: int) -> str:
    """The part of the expression around a position, with a caret below the position."""
    start = max(place - _BEFORE, 0)
    before, after = ("…" if start else ""), ("…" if place + _AFTER < len(expression) else "")
    shown = "".join(sign if sign.isprintable() else " " for sign in expression[start : place + _AFTER])
    return f"{before}{shown}{after}\n{' ' * (len(before) + place - start)}^"


def _too_deep() -> Refusal:
    return _refused(f"select is nested deeper than {DEEPEST} levels.")


def _refused(why: str) -> Refusal:
    return Refusal(f"`select` is invalid, so nothing was changed. {why}")
