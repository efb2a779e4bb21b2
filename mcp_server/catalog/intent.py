"""Ranks tools by how well they match what a caller wants to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from weakref import WeakKeyDictionary

from identity.access import Access
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.declarations.vocabulary import Vocabulary
from mcp_server.view import NOTHING_ABSENT, View, why_absent
from understanding.clauses import parts_of
from understanding.learned import learned_from
from understanding.ranking import SURE, Candidate, Ranking

# A destructive tool is a certain match only with at least this score. For other tools, the minimum score is lower.
_SURE_TO_DESTROY: Final = 0.6


@dataclass(frozen=True, slots=True)
class Match:
    tool: Tool
    score: float
    # The text of the step for which this tool was found. Empty if the request has only one step.
    part: str = ""

    @property
    def is_sure(self) -> bool:
        return self.score >= (_SURE_TO_DESTROY if self.tool.access is Access.DESTROY else SURE)


@dataclass(frozen=True, slots=True)
class Found:
    """The tools that match a request.

    If no tool matches, `closest` contains similar tools, and `lacking` says what configuration a matching tool
    requires.
    """

    matches: Sequence[Match]
    closest: Sequence[Match] = ()
    is_question: bool = False
    lacking: str = ""


class Index:
    """A search index for the tools in a view. The index is built once."""

    def __init__(
        self,
        toolsets: Sequence[Toolset],
        vocabulary: Vocabulary,
        absent: Mapping[str, str] = NOTHING_ABSENT,
        *,
        are_given: bool = False,
    ) -> None:
        self._tools = [tool for toolset in toolsets for tool in toolset.tools]
        candidates = [_candidate(toolset, tool) for toolset in toolsets for tool in toolset.tools]
        learned = learned_from(vocabulary.learned) if vocabulary.learned else None
        self._ranking = Ranking(candidates, learned, are_given=are_given)
        self._absent = absent

    def best(self, words: str, limit: int) -> Sequence[Match]:
        return self.found(words, limit).matches

    def found(self, words: str, limit: int) -> Found:
        """Rank the tools that match.

        Tools with the same score keep their order. For a request with several steps, the result contains one tool for
        each step.
        """
        whole = self._whole(words, limit)
        return self._steps(words, whole, limit) or whole

    def _whole(self, words: str, limit: int) -> Found:
        ranked = self._ranking.of(words, limit)
        return Found(
            [Match(self._tools[at], share) for at, share in ranked.meant],
            [Match(self._tools[at], 0.0) for at in ranked.closest],
            ranked.is_question,
            why_absent(ranked.lacking.partition("/")[0], self._absent) if ranked.lacking else "",
        )

    def _steps(self, words: str, whole: Found, limit: int) -> Found | None:
        """Find a tool for each step if a step changes something and all steps match better than the whole request."""
        parts = parts_of(words)[:limit]
        found = [self._whole(part, 1).matches for part in parts]
        steps = [replace(match, part=part) for part, each in zip(parts, found, strict=True) for match in each]
        least = max([SURE, *(match.score for match in whole.matches)])
        if not 1 < len(steps) == len(parts) == len({step.tool for step in steps}):
            return None
        if all(step.tool.access is Access.READ for step in steps):
            return None
        return Found(steps, is_question=whole.is_question) if min(step.score for step in steps) > least else None


def _candidate(toolset: Toolset, tool: Tool) -> Candidate:
    further = " ".join(other.name for other in tool.further_names)
    return Candidate(
        label=f"{toolset.name}/{tool.name}",
        is_change=tool.access is not Access.READ,
        is_destruction=tool.access is Access.DESTROY,
        texts=(*tool.own_words, further, tool.title, toolset.name, toolset.description, *tool.parameter_names),
    )


# The search index of each view. An index is deleted together with its view.
_INDEXES: Final[WeakKeyDictionary[View, Index]] = WeakKeyDictionary()


def found_in(view: View, words: str, limit: int) -> Found:
    if view not in _INDEXES:
        _INDEXES[view] = Index(view.toolsets, view.vocabulary, view.absent)
    return _INDEXES[view].found(words, limit)


def found_within(toolsets: Sequence[Toolset], view: View, words: str, limit: int) -> Found:
    return Index(toolsets, view.vocabulary, are_given=True).found(words, limit)
