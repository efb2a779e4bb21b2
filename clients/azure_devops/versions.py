"""Finds the API version that a server supports.

Older servers reject newer versions, and name the versions that they support.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from refusal import Refusal

OLDEST: Final = (5, 0)  # the API version of Azure DevOps Server 2019

_NEWEST: Final = re.compile(r"server supports is (\d+)\.(\d+)")
_AREA: Final = re.compile(r"_apis/(\w+)")
_PREVIEW: Final = "-preview"


class Versions:
    """Remembers the supported API version for each server and API area, so that only the first request is
    sent twice.
    """

    def __init__(self) -> None:
        self._newest: dict[tuple[str, str], tuple[int, int]] = {}
        self._previews: set[tuple[str, str]] = set()

    def spoken(self, base_url: str, request: DevOpsRequest) -> DevOpsRequest:
        """Set the API version of a request to a version that the server supports."""
        newest = self._newest.get((base_url, _area(request)))
        number, is_preview = _read(request.version)
        is_preview = is_preview or (base_url, request.line) in self._previews
        if (newest is None or newest >= number) and is_preview == (_PREVIEW in request.version):
            return request
        major, minor = min(newest or number, number)
        # A preview version without a number means the newest preview. Older servers number their previews differently.
        return replace(request, version=f"{major}.{minor}{_PREVIEW if is_preview else ''}")

    def learn(self, base_url: str, request: DevOpsRequest, answer: DevOpsAnswer) -> bool:
        """Determine the supported version from a response.

        Returns whether the request can be sent again with another version. This is safe, because a request with an
        unsupported version has no effect.

        Raises:
            Refusal: The server is too old.
        """
        if answer.status != 400:
            return False
        if "VssInvalidPreviewVersionException" in answer.text and (base_url, request.line) not in self._previews:
            self._previews.add((base_url, request.line))
            return True
        found = _NEWEST.search(answer.text) if "VssVersionOutOfRangeException" in answer.text else None
        if not found:
            return False
        newest = int(found[1]), int(found[2])
        if newest < OLDEST:
            raise Refusal(
                f"This Azure DevOps Server supports API version {found[1]}.{found[2]}. Version 5.0 (Azure DevOps Server"
                " 2019) or later is required."
            )
        is_news = self._newest.get((base_url, _area(request))) != newest
        self._newest[base_url, _area(request)] = newest
        return is_news


def _area(request: DevOpsRequest) -> str:
    found = _AREA.search(request.line)
    return found[1].lower() if found else ""


def _read(version: str) -> tuple[tuple[int, int], bool]:
    number, preview, _ = version.partition(_PREVIEW)
    major, _, minor = number.partition(".")
    return (int(major), int(minor)), bool(preview)
