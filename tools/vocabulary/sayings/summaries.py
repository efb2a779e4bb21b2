"""How people ask what a document says in short."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "docs_summarize": (
        "summarize the runbook, summarize our page, summarize a page about backups, sum up a document of ours, give me "
        "the key points, key points of the runbook, outline of the decision record, what does the page say in short, "
        "the gist of the wiki page, shorten the handbook page, an abstract of the guide, resume le document, "
        "resume de la page, les points importants de la procedure, fasse das dokument zusammen"
    ),
}
