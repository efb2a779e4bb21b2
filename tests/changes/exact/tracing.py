"""Whether what was shown of a call is what was sent for it: each text of the caller, in the very form that it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from changes.preview import Preview
from tests.tools.golden import Sent


def misshown(preview: Preview, written: Sequence[Sent], cores: Sequence[str]) -> list[str]:
    """Texts that were sent in another form than the preview shows them in."""
    sent = [text for one in written for text in _texts_sent(one)]
    shown = list(texts_in([preview.what, preview.document["facts"], preview.document["edits"]]))
    return [found for core in cores for found in _misshown(core.strip(), sent, shown)]


def _misshown(core: str, sent: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """A text that is all of a value is compared with its room; one within a sentence has to be there at least."""
    as_shown = {text for text in shown if core.lower() in text.lower()}
    whole = {text for text in as_shown if text.strip().lower() == core.lower()}
    for text in {text for text in sent if text.strip().lower() == core.lower()} if as_shown else ():
        if text not in whole if whole else not any(text in one for one in as_shown):
            yield f"{text!r} is sent, and shown is {sorted(as_shown)}"


def _texts_sent(sent: Sent) -> Iterator[str]:
    yield from (unquote(part) for part in sent.path.split("/"))
    yield from sent.query.values()
    body = sent.body
    if isinstance(body, bytes):
        yield body.decode(errors="replace")
    yield from texts_in(body)


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)
    elif isinstance(value, str):
        yield value
