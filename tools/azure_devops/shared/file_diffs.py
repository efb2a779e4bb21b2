"""Computes unified diffs of files. Files are read in batches until an answer is full."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.side_by_side import SECONDS, side_by_side
from tools.azure_devops.shared.answers import Json, present
from tools.azure_devops.shared.diffs import unified
from tools.azure_devops.shared.file_contents import as_text

# The maximum sizes of a file, of a diff, and of all diffs in an answer. The maximum number of diffs in an answer.
LARGEST_FILE: Final = 1024 * 1024
LONGEST_DIFF: Final = 20_000
LONGEST_ANSWER: Final = 60_000
MOST_DIFFS: Final = 50
_AT_ONCE: Final = 4
_MOST_NAMES: Final = 100
_TOO_LARGE: Final = f"larger than {LARGEST_FILE} bytes"
_TOO_DIFFERENT: Final = "diff is too large"
_SEEN_OTHERWISE: Final = (_TOO_LARGE, _TOO_DIFFERENT)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A changed file, and the requests that read its old and its new content. A request is None if that version of the
    file does not exist.

    `unread` says why no diff is computed.
    """

    path: str
    shown: Json
    old: DevOpsRequest | None = None
    new: DevOpsRequest | None = None
    was: str | None = None
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class Diffs:
    """Files with their diffs, and the names of files that did not fit into the answer."""

    items: list[Json]
    left: list[str]

    def said(self, whole: str) -> Json:
        """Return a note on omitted files. `whole` is a sentence that explains how to read either version of a file."""
        more = len(self.left) - _MOST_NAMES
        is_cut = any("cut" in item or item.get("omitted") in _SEEN_OTHERWISE for item in self.items)
        advice = [
            "For more diffs, pass files from notShown as `paths`." if self.left else "",
            whole if is_cut else "",
        ]
        names = {"notShown": self.left[:_MOST_NAMES], "moreNotShown": more if more > 0 else None}
        return present({**names, "next": " ".join(filter(None, advice))})


async def diffs_of(devops: AzureDevOps, files: Sequence[ChangedFile]) -> Diffs:
    """Compute the diffs of files in order, until the answer is full or the time is up."""
    shown: list[Json] = []
    size, deadline = 0, monotonic() + SECONDS
    for start in range(0, min(len(files), MOST_DIFFS), _AT_ONCE):
        group = files[start : min(start + _AT_ONCE, MOST_DIFFS)]
        for item in await _side_by_side(devops, group, deadline - monotonic()):
            if size >= LONGEST_ANSWER:
                break
            shown.append(item)
            size += len(item.get("diff", ""))
        if size >= LONGEST_ANSWER or monotonic() > deadline:
            break
    return Diffs(shown, [file.path for file in files[len(shown) :]])


async def _side_by_side(devops: AzureDevOps, files: Sequence[ChangedFile], seconds: float) -> list[Json]:
    found: dict[int, Json] = {}
    by_number = {str(number): number for number in range(len(files))}

    async def look(number: int) -> None:
        found[number] = await _difference(devops, files[number])

    reading = await side_by_side(by_number, look, seconds=max(seconds, 0))
    return [
        file.shown | (found[number] if number in found else {"omitted": reading.reason(str(number))})
        for number, file in enumerate(files)
    ]


async def _difference(devops: AzureDevOps, file: ChangedFile) -> Json:
    """Return the diff of a file, or the reason why it has no diff."""
    if file.unread or not (file.old or file.new):
        return present({"omitted": file.unread})
    old, new = await asyncio.gather(_content(devops, file.old), _content(devops, file.new))
    if old is None or new is None:
        return {"omitted": _TOO_LARGE}
    return await _difference_of_contents(file, old, new)


async def _difference_of_contents(file: ChangedFile, old: bytes, new: bytes) -> Json:
    before, after = as_text(old), as_text(new)
    if before is None or after is None:
        return {"omitted": "binary"}
    diff = await asyncio.to_thread(unified, before, after, file.was or file.path, file.path)
    if diff is None:
        return {"omitted": _TOO_DIFFERENT}
    return present({"diff": diff[:LONGEST_DIFF], "cut": len(diff) > LONGEST_DIFF or None})


async def _content(devops: AzureDevOps, request: DevOpsRequest | None) -> bytes | None:
    """Return the content of a file. The content is empty if there is no file, and None if the file is too large."""
    if request is None:
        return b""
    answer = await devops.send(request, LARGEST_FILE)
    return None if answer.is_cut else answer.content
