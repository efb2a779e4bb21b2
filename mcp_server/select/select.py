"""With `select`, the caller gets only a part of a tool's answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic_core import to_json

from mcp_server.declarations.tool import Result
from mcp_server.protocol.results import CallResult, text
from mcp_server.select.evaluation import MOST_STEPS, Evaluation, TooMuchWorkError, UnfitError
from mcp_server.select.expression import parsed
from mcp_server.select.fields import missing, overview
from refusal import Refusal

# Fields with warnings about the answer. No selection can remove these fields, and error messages also contain them.
MARKS: Final = ("notice", "untrusted")
# Fields about the answer itself, for example whether there are more entries. No selection can remove these fields.
KEPT: Final = (*MARKS, "more", "hasMore", "notRead", "idsBeginWith", "sameInAll")


class Select:
    """A caller's selection of a part of an answer. The selection is validated before the tool runs."""

    def __init__(self, expression: str) -> None:
        """Parse the expression.

        Raises:
            Refusal: The expression is invalid.
        """
        self._tree = parsed(expression)

    def of(self, result: Result) -> Result:
        """Reduce an answer to the selected part. Errors, questions and tasks are returned unchanged."""
        if not isinstance(result, CallResult) or result.is_error:
            return result
        if not isinstance(result.structured_content, dict):
            raise Refusal("`select` works on JSON answers; this tool returns text. Remove `select`.")
        document = self._selected(_plain(result.structured_content))
        # Keep all content blocks other than text, such as images, because the selection does not apply to them.
        others = [block for block in result.content if block["type"] != "text"]
        return replace(result, content=[text(_written(document)), *others], structured=document)

    def _selected(self, answer: dict[str, Any]) -> dict[str, Any]:
        evaluation = Evaluation()
        try:
            found = evaluation.worked_out(self._tree, answer)
        except TooMuchWorkError:
            raise Refusal(
                f"`select` would take more than {MOST_STEPS} steps on this answer or return too much. Keep fewer"
                " fields, or make the tool return less."
            ) from None
        except UnfitError as unfit:
            hint = missing(evaluation.missed) or _overview(answer)
            raise Refusal(f"`select` fails on this answer: {unfit} {hint}{_marks(answer)}") from None
        note = missing(evaluation.missed)
        if found is None and not note:
            note = f"Nothing matches. {_overview(answer)}"
        kept = {name: answer[name] for name in KEPT if answer.get(name)}
        return {**kept, **({"note": note} if note else {}), "result": found}


def _plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the answer to JSON types, because a tool may return types that expressions do not support."""
    document: dict[str, Any] = json.loads(to_json(content, inf_nan_mode="null"))
    return document


def _written(document: dict[str, Any]) -> str:
    try:
        return to_json(document, inf_nan_mode="null").decode()
    except ValueError:
        raise Refusal("The result of `select` is nested too deeply.") from None


def _overview(answer: Mapping[str, Any]) -> str:
    return overview({name: value for name, value in answer.items() if name not in KEPT})


def _marks(answer: Mapping[str, Any]) -> str:
    return "".join(f" {answer[name]}" for name in MARKS if isinstance(answer.get(name), str))
