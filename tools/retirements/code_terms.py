"""The search terms for code that uses a retiring feature. The terms come from an update or from the caller."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mcp_server.visit import Context
from refusal import Refusal
from retirements.mapping import MappedRetirement, products
from tools.retirements.looking import index_for

_NO_TERMS: Final = (
    "This server has no search terms for this retirement: {title}. Pass `terms`, such as a resource type, SKU, API"
    " version or package name."
)


@dataclass(frozen=True, slots=True)
class CodeTerms:
    """Search terms. `replace` maps exact texts to their replacements."""

    name: str
    texts: Sequence[str]
    replace: Sequence[tuple[str, str]] = ()

    def replaced(self, text: str) -> str:
        """Apply all replacements to a text. A text that is only a part of a longer name is not replaced."""
        if not self.replace:
            return text
        by_old = dict(self.replace)
        longest_first = sorted(by_old, key=lambda old: -len(old))
        pattern = "|".join(map(_whole, longest_first))
        return re.sub(pattern, lambda found: by_old[found[0]], text)

    def names(self, line: str) -> bool:
        return any(term.lower() in line.lower() for term in self.texts)


def _whole(old: str) -> str:
    before = r"(?<![\w-])" if re.match(r"\w", old) else ""
    after = r"(?![\w-])" if re.search(r"\w$", old) else ""
    return f"{before}{re.escape(old)}{after}"


async def terms_of(context: Context, update: str | None, terms: Sequence[str] | None) -> CodeTerms:
    """Return the terms to search for. Raise a Refusal if the caller passes no terms and none are known."""
    if update is None:
        if not terms:
            raise Refusal("Pass `update`, the id of a retirement, or `terms`. what_retires_here lists the ids.")
        return CodeTerms(", ".join(terms), tuple(terms))
    title, entry = await _retirement(context, update)
    texts = tuple(dict.fromkeys([*(entry.code if entry else ()), *(terms or ())]))
    if not texts:
        raise Refusal(_NO_TERMS.format(title=title))
    return CodeTerms(title, texts, entry.replace if entry else ())


async def _retirement(context: Context, update: str) -> tuple[str, MappedRetirement | None]:
    index = await index_for(context)
    if index is None:
        raise Refusal("Azure updates are not available to you. Pass `terms` instead of `update`.")
    found = index.find(update)
    return found.title, products().entry_of(found.title, found.products)
