"""Reads a hand-written YAML file into a tree of nodes. Error messages include the line number."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NoReturn

import yaml

from refusal import Refusal

_LONGEST: Final = 100_000


@dataclass(frozen=True, slots=True)
class YamlFile:
    """Reads a file and reports errors with line numbers."""

    name: str

    def document(self, text: str, if_empty: str, longest: int = _LONGEST) -> yaml.Node:
        """Parse the text of the file into a tree of nodes.

        Raises:
            Refusal: The text is too long, empty, or not valid YAML.
        """
        if len(text) > longest:
            raise Refusal(f"{self.name} is longer than {longest} characters.")
        document = _composed(text, self.name)
        if document is None:
            raise Refusal(f"{self.name} is empty{if_empty}")
        return document

    def entries(
        self, node: yaml.Node, where: str, keys: Collection[str] | None = None
    ) -> Iterator[tuple[str, yaml.Node]]:
        """Yield the names and values of a mapping. Reject duplicate names and, if `keys` is set, names that `keys` does
        not contain.
        """
        if not isinstance(node, yaml.MappingNode):
            self.fail(node, f"{where} must consist of `name: value` lines")
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or not key.value:
                self.fail(key, "a name must be a word")
            if key.value in seen:
                self.fail(key, f"duplicate key {key.value!r}")
            if keys is not None and key.value not in keys:
                self.fail(key, f"unknown key {key.value!r} in {where}. Valid: {', '.join(keys)}")
            seen.add(key.value)
            yield key.value, value

    def fail(self, node: Any, problem: str) -> NoReturn:
        raise Refusal(f"{self.name}, line {node.start_mark.line + 1}: {problem}.")


# Cached because several modules read different parts of the roles file at startup.
@lru_cache(maxsize=2)
def _composed(text: str, name: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise Refusal(f"{name}, line {line}: this is not YAML: {error.problem}.") from None
    except (yaml.YAMLError, RecursionError):
        raise Refusal(f"{name} is not valid YAML.") from None
