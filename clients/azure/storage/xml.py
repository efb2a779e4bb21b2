"""Reading the XML of Azure Storage: no entities, no declarations of documents, and only so much of it."""

from __future__ import annotations

from typing import Final, Never
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from refusal import Refusal

__all__ = ["Element", "parsed"]

# A page of a list that we ask for has not half as many. The parser holds up everything else in this process.
_MOST_PARTS: Final = 150_000


class _DeclaredError(ValueError):
    """The document declares what it is made of, as no answer of Azure Storage does."""


class _Plain(TreeBuilder):
    def doctype(self, *_declared: str | None) -> Never:
        raise _DeclaredError


def parsed(content: bytes) -> Element:
    """The one element that a document is.

    Raises:
        Refusal: It is none, declares entities, or has too many parts.
    """
    if content.count(b"<") > _MOST_PARTS:
        raise Refusal("Azure Storage answered with more than can be read. Ask for less of it.")
    parser = XMLParser(target=_Plain())  # noqa: S314 - without a DTD there are no entities
    try:
        parser.feed(content)
        found: Element = parser.close()
    except (ParseError, _DeclaredError, ValueError, LookupError) as error:
        raise Refusal("Azure Storage's answer is not XML. A proxy could be the cause.") from error
    return found
