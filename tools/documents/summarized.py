"""Summarizes a document. If a model is available, the model writes the summary. Without a model, the summary quotes
sentences.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from documents.document import Document
from documents.summarizing.extracting import Extract, extract
from documents.summarizing.model_summary import SummaryTask, Written, believed, task_of
from documents.summarizing.passages import TextPosition
from mcp_server.calls.sampling import ask_model, can_ask_model
from mcp_server.protocol.results import InputRequired
from mcp_server.visit import Context
from refusal import Refusal
from shifts import SHIFTS
from tools.azure_openai.access import AZURE_OPENAI

Json = dict[str, Any]
# Returns the URL that opens a document in a browser, at a given position. The result is empty if no such link exists.
LinkTo = Callable[[TextPosition], str]


@dataclass(frozen=True, slots=True)
class _Author:
    """A model that can write a summary. `name` is the model's name in the answer."""

    name: str
    ask: Callable[[SummaryTask], Awaitable[str | InputRequired]]


async def summarized(document: Document, most_letters: int, context: Context, link_to: LinkTo) -> Json | InputRequired:
    """Return a summary, the positions of its statements in the document, and a note on how the summary was written."""
    extracted = await asyncio.to_thread(SHIFTS.do, extract, document, most_letters)
    points = [{"text": point.text, **_place(point.place, link_to)} for point in extracted.key_points]
    author = await _author(context)
    if author is None:
        return _extracted(extracted, "No model is available.", points)
    try:
        written = await _written(document, most_letters, author)
    except Refusal as refusal:
        return _extracted(extracted, f"{author.name} could not write a summary: {refusal}", points)
    if isinstance(written, InputRequired):
        return written
    if not written.summary:
        return _extracted(extracted, f"{author.name} cited no passage that supports its summary.", points)
    return _summary_answer(written, author, points, link_to)


async def _author(context: Context) -> _Author | None:
    if context.services.has(AZURE_OPENAI):
        model = await AZURE_OPENAI.of(context)
        return _Author("The model at Azure OpenAI", lambda task: model.answer(task.system, task.text, task.most_tokens))
    if can_ask_model(context):
        return _Author("The model of your client", lambda task: _by_the_client(context, task))
    return None


async def _by_the_client(context: Context, task: SummaryTask) -> str | InputRequired:
    return await ask_model(context, system=task.system, text=task.text, most_tokens=task.most_tokens)


async def _written(document: Document, most_letters: int, author: _Author) -> Written | InputRequired:
    task = await asyncio.to_thread(SHIFTS.do, task_of, document, most_letters)
    if not task.passages:
        raise Refusal("the document has no prose.")
    answer = await author.ask(task)
    if isinstance(answer, InputRequired):
        return answer
    return await asyncio.to_thread(SHIFTS.do, believed, answer, task, most_letters)


def _extracted(extracted: Extract, why: str, points: Sequence[Json]) -> Json:
    how = f"These sentences are quoted from the document. {why}"
    return {"summary": extracted.summary, "written": False, "how": how, "key_points": points}


def _summary_answer(written: Written, author: _Author, points: Sequence[Json], link_to: LinkTo) -> Json:
    left_out = f" {written.left_out} sentences without a supporting passage were removed." * bool(written.left_out)
    places = [{"number": passage.number, **_place(passage.place, link_to)} for passage in written.places]
    how = (
        f"{author.name} wrote the summary; numbers in brackets refer to passages.{left_out}"
        " Verify important points in these passages."
    )
    return {"summary": written.summary, "written": True, "how": how, "places": places, "key_points": points}


def _place(place: TextPosition, link_to: LinkTo) -> Mapping[str, Any]:
    link = link_to(place)
    return {"heading": place.heading, "line": place.line, **({"link": link} if link else {})}
