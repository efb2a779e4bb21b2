"""Evaluates a JMESPath expression with a limited number of steps, and notes which fields do not exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from jmespath.exceptions import JMESPathTypeError
from jmespath.functions import TYPES_MAP
from jmespath.visitor import TreeInterpreter

from mcp_server.select.expression import Node

MOST_STEPS: Final = 250_000
# Comparing or copying a long string takes time, so each block of this many characters counts as an additional step.
_A_STEP: Final = 256
# Functions that read all nested values in their arguments. For other functions, only the lengths of the arguments
# matter.
_LOOKING_INSIDE: Final = frozenset({"contains", "to_string"})


class TooMuchWorkError(Exception):
    """The evaluation would take more steps than allowed."""


class UnfitError(Exception):
    """A function or comparison got values of unsupported types. The message describes the problem."""


class Missed(NamedTuple):
    name: str
    # The first value in which the field was looked up but not found.
    place: Any
    # Whether the field was an operand of a comparison. In a comparison, the caller may have meant a string instead of a
    # field.
    is_compared: bool


class Evaluation(TreeInterpreter):  # type: ignore[misc]  # the library has no types
    """A single evaluation of an expression.

    Limiting the number of visited nodes would not be sufficient. A short expression can double a list or a string
    repeatedly. An expression can also repeat a part of a value so often that writing the output never ends. Values are
    therefore counted before they are created or read.
    """

    def __init__(self) -> None:
        super().__init__()
        self._steps = 0
        self._met: set[int] = set()
        self._missed: dict[int, Missed] = {}
        self._compared: set[int] = set()

    def worked_out(self, tree: Node, document: Any) -> Any:
        """Evaluate the expression.

        Raises:
            TooMuchWorkError: The evaluation takes too many steps, or its result is too large.
            UnfitError: A function or comparison does not support the values in the document.
        """
        found = self.visit(tree, document)
        self._look_through(found)
        return found

    @property
    def missed(self) -> Iterator[Missed]:
        """The fields that were looked up but never found."""
        return (missed for node, missed in self._missed.items() if node not in self._met)

    def visit(self, node: Node, value: Any) -> Any:
        found = super().visit(node, value)
        self._spend(1 + (len(found) // _A_STEP if isinstance(found, str) else 0))
        return found

    def visit_field(self, node: Node, value: Any) -> Any:
        found = super().visit_field(node, value)
        if found is not None or (isinstance(value, dict) and node["value"] in value):
            self._met.add(id(node))
        elif value is not None:
            self._missed.setdefault(id(node), Missed(node["value"], value, id(node) in self._compared))
        return found

    def visit_flatten(self, node: Node, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        if isinstance(base, list):
            self._spend(sum(len(entry) if isinstance(entry, list) else 1 for entry in base))
        return super().visit_flatten(_with_operands(node, [base]), value)

    def visit_slice(self, node: Node, value: Any) -> Any:
        if isinstance(value, list):
            self._spend(len(value))
        return super().visit_slice(node, value)

    def visit_comparator(self, node: Node, value: Any) -> Any:
        self._compared |= set(map(id, node["children"]))
        left, right = compared = [self.visit(child, value) for child in node["children"]]
        if isinstance(left, list | dict) and isinstance(right, list | dict):
            self._look_through(left)
        try:
            return super().visit_comparator(_with_operands(node, compared), value)
        except TypeError:
            raise UnfitError("< and > compare two numbers or two strings, not one of each.") from None

    def visit_function_expression(self, node: Node, value: Any) -> Any:
        name, arguments = node["value"], [self.visit(child, value) for child in node["children"]]
        self._spend(sum(map(_width, arguments)))
        if name in _LOOKING_INSIDE:
            self._look_through(arguments)
        elif name == "join" and isinstance(arguments[0], str) and isinstance(arguments[1], list):
            self._spend(len(arguments[0]) * len(arguments[1]) // _A_STEP)
        # After these checks, the length of the result cannot exceed the number of counted steps.
        try:
            return super().visit_function_expression(_with_operands(node, arguments), value)
        except JMESPathTypeError as wrong:
            raise UnfitError(_unfit(wrong)) from None
        except (TypeError, ValueError, OverflowError):
            raise UnfitError(f"{name}() got values it does not support.") from None

    def _look_through(self, value: Any) -> None:
        """Count the value and all nested values as steps. A value that occurs several times is counted each time."""
        left = [value]
        while left:
            node = left.pop()
            self._spend(_width(node))
            if isinstance(node, dict):
                left += node.values()
            elif isinstance(node, list):
                left += node

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise TooMuchWorkError


def _with_operands(node: Node, values: list[Any]) -> Node:
    """A copy of the node with the values of its operands, so that the library does not evaluate the operands again."""
    return {**node, "children": [{"type": "literal", "value": value, "children": []} for value in values]}


def _width(value: Any) -> int:
    """The number of steps for copying a value, excluding nested values."""
    if isinstance(value, str):
        return 1 + len(value) // _A_STEP
    if isinstance(value, list | dict):
        return 1 + len(value) + sum(len(entry) for entry in value if isinstance(entry, str)) // _A_STEP
    return 1


def _unfit(wrong: JMESPathTypeError) -> str:
    taken = " or ".join(str(kind).replace("array-", "array of ") for kind in wrong.expected_types)
    given = TYPES_MAP.get(wrong.actual_type, wrong.actual_type)
    return f"{wrong.function_name}() takes {taken} but got {given}."
