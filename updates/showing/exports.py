"""Exports search results for other programs: as a table, a calendar or a feed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakKeyDictionary

from shifts import SHIFTS, Shifts, give_way
from updates.searching.parameters import request_of
from updates.searching.search import FoundUpdate
from updates.showing import icalendar, rss, table
from updates.showing.invented import FileHeading

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

# This format exports a retirement report instead of a list of updates.
REPORT: Final = "pdf"
_OF_NOBODY: Final = (
    "This URL shows nothing about your resources. Ask your agent for retirement_report: its PDF lists affected"
    " resources."
)
_KEPT_BYTES: Final = 24 * 1024 * 1024
_KEPT_FILES: Final = 64


@dataclass(frozen=True, slots=True)
class ExportForm:
    """A file format: the functions that write the start of a file, each update, and the end.

    `key` is the name of the format in answers for models, and `label` is its name for people.
    """

    key: str
    label: str
    media_type: str
    beginning: Callable[[FileHeading], str]
    entry: Callable[[FoundUpdate, Callable[[], str]], str]
    ending: Callable[[], str]


FORMS: Final[Mapping[str, ExportForm]] = {
    "ics": ExportForm(
        "calendar", "Calendar", icalendar.MEDIA_TYPE, icalendar.beginning, icalendar.entry, icalendar.ending
    ),
    "rss": ExportForm("feed", "Feed (RSS)", rss.MEDIA_TYPE, rss.beginning, rss.entry, rss.ending),
    "csv": ExportForm("table", "Table (CSV)", table.MEDIA_TYPE, table.beginning, table.entry, table.ending),
}
# The labels of all formats, including the report.
LABELS: Final[Mapping[str, str]] = {
    **{form: written.label for form, written in FORMS.items()},
    REPORT: "Report of retirements (PDF)",
}


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """An exported file and its etag."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> Self:
        return cls(content, media_type, f'"{sha256(content).hexdigest()[:32]}"')


class Exports:
    """Creates files in a thread, one file at a time. The thread pauses often, so that other requests are not delayed.

    Each update is rendered once per format and index. Recently requested files are cached.
    """

    def __init__(self, sentence: str = "", shifts: Shifts = SHIFTS) -> None:
        """`sentence` is shown above the updates in every file."""
        self._sentence = sentence
        self._shifts = shifts
        self._thread = ThreadPoolExecutor(1, "exports")
        self._written: WeakKeyDictionary[UpdatesIndex, _Written] = WeakKeyDictionary()
        self.waiting = 0

    async def file(self, index: UpdatesIndex, form: str, parameters: Mapping[str, str]) -> ExportedFile:
        """Export all updates that match the URL parameters of a search. Lists are comma-separated."""
        written = self._written.setdefault(index, _Written(FileHeading(index.is_sample, self._sentence)))
        if kept := written.kept(form, parameters):
            return kept
        self.waiting += 1
        try:
            make = partial(self._shifts.do, written.make, index, form, parameters)
            return await asyncio.get_running_loop().run_in_executor(self._thread, make)
        finally:
            self.waiting -= 1


class _Written:
    """The files of one index. Only one thread at a time creates files."""

    def __init__(self, heading: FileHeading) -> None:
        self._heading = heading
        self._entries: dict[str, dict[int, bytes]] = {form: {} for form in FORMS}
        self._files: OrderedDict[tuple[object, ...], ExportedFile] = OrderedDict()
        self._kept_bytes = 0

    def kept(self, form: str, parameters: Mapping[str, str]) -> ExportedFile | None:
        return self._files.get(_key(form, parameters))

    def make(self, index: UpdatesIndex, form: str, parameters: Mapping[str, str]) -> ExportedFile:
        # Another thread may have created the same file while this thread waited.
        return self.kept(form, parameters) or self._keep(_key(form, parameters), self._create(index, form, parameters))

    def _create(self, index: UpdatesIndex, name: str, parameters: Mapping[str, str]) -> ExportedFile:
        if name == REPORT:
            return self._report(index, parameters)
        documents = index.documents(request_of(parameters))
        form, entries = FORMS[name], self._entries[name]
        for document in documents:
            if document not in entries:
                give_way()
                entries[document] = _bytes(form.entry(index.update(document), partial(index.body, document)))
        beginning = _bytes(form.beginning(self._heading))
        content = b"".join([beginning, *(entries[document] for document in documents), _bytes(form.ending())])
        return ExportedFile.of(content, form.media_type)

    def _report(self, index: UpdatesIndex, parameters: Mapping[str, str]) -> ExportedFile:
        """Write a retirement report for anonymous readers, without affected resources."""
        from updates.showing.report.contents import report_of  # noqa: PLC0415 - few processes create PDFs
        from updates.showing.report.retirement_report import MEDIA_TYPE, pdf_of  # noqa: PLC0415

        report = report_of(index, request_of(parameters), datetime.now(UTC).date())
        return ExportedFile.of(pdf_of(replace(report, why_unknown=_OF_NOBODY), self._heading.sentence), MEDIA_TYPE)

    def _keep(self, key: tuple[object, ...], file: ExportedFile) -> ExportedFile:
        self._files[key] = file
        self._kept_bytes += len(file.content)
        while len(self._files) > _KEPT_FILES or self._kept_bytes > _KEPT_BYTES:
            self._kept_bytes -= len(self._files.popitem(last=False)[1].content)
        return file


def _key(form: str, parameters: Mapping[str, str]) -> tuple[object, ...]:
    # A report begins with the current month, so a report from an earlier day may be outdated.
    day = datetime.now(UTC).date() if form == REPORT else None
    return form, day, *sorted(parameters.items())


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")
