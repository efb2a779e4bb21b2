"""Finds the project in URLs of web pages, the REST API and Git, and in artifact links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from urllib.parse import unquote, urlsplit

from clients.azure_devops.organization import Organization

_CLOUD: Final = "dev.azure.com"
_OLD_CLOUD: Final = ".visualstudio.com"
_SSH: Final = re.compile(
    r"(?:ssh://)?(?:[^@/\s]*+@)?(?=[\w.-]*ssh)[\w.-]++[:/]++v3/([^/]++)/([^/]++)/([^/]++)", re.IGNORECASE
)
_LINK: Final = re.compile(r"vstfs:///(\w+)/(\w+)/(.*)", re.IGNORECASE | re.DOTALL)
_BUILD: Final = re.compile(r"vstfs:///Build/Build/(\d{1,18})", re.IGNORECASE)
_WORK_ITEM: Final = re.compile(r"/_apis/wit/workitems/(\d{1,18})(?:[/?#]|$)|/_workitems/edit/(\d{1,18})", re.IGNORECASE)
# The separators between the names in a link, either plain or URL-encoded.
_BETWEEN: Final = re.compile(r"[/:\\]|%2f|%3a", re.IGNORECASE)
NO_PROJECT: Final = "\0"


@dataclass(frozen=True, slots=True)
class OrganizationAddresses:
    """The URLs of an organization."""

    organization: Organization

    def project_in(self, text: str) -> str | None:
        """The name or ID of the project in a URL; None if the text is not a URL of the organization.

        If an artifact link could lead to any project, the result is a name that no project can have.
        """
        if link := _LINK.match(text):
            return _BETWEEN.split(link[3])[0] or NO_PROJECT
        if ssh := _SSH.match(text):
            return unquote(ssh[2]) if unquote(ssh[1]).lower() == self.organization.name.lower() else None
        if "://" not in text[:10]:
            return None
        segments = self._below(text)
        return segments[0] if segments and not segments[0].startswith("_") else None

    def repository_in(self, text: str) -> str | None:
        """The name or ID of the Git repository in a URL."""
        if link := _LINK.match(text):
            parts = _BETWEEN.split(link[3])
            return parts[1] if link[1].lower() == "git" and len(parts) > 1 else None
        if ssh := _SSH.match(text):
            return unquote(ssh[3])
        segments = self._below(text) if "://" in text[:10] else []
        return next((after for before, after in pairwise(segments) if before.lower() in {"_git", "repositories"}), None)

    @staticmethod
    def may_lead_to_any_repository(text: str) -> bool:
        """Whether an artifact link leads to an item that can belong to any repository of its project. Examples of such
        items are wiki pages, releases and code reviews.
        """
        link = _LINK.match(text)
        return link is not None and link[1].lower() != "classification"

    @staticmethod
    def build_in(text: str) -> int | None:
        """The build number in an artifact link. Links to builds do not contain the project."""
        found = _BUILD.fullmatch(text)
        return int(found[1]) if found else None

    @staticmethod
    def work_item_in(text: str) -> int | None:
        found = _WORK_ITEM.search(text)
        return int(found[1] or found[2]) if found else None

    def _below(self, text: str) -> list[str]:
        """The path segments that follow the organization in a URL."""
        try:
            parts = urlsplit(text)
            host = (parts.hostname or "").lower()
        except ValueError:
            return []
        segments = _segments(parts.path)
        is_cloud = self.organization.is_cloud
        return self._in_cloud(host, segments) if is_cloud else self._on_premises(host, segments)

    def _on_premises(self, host: str, segments: list[str]) -> list[str]:
        base = urlsplit(self.organization.base)
        own = _segments(base.path)
        is_own = [segment.lower() for segment in segments[: len(own)]] == [segment.lower() for segment in own]
        return segments[len(own) :] if is_own and host == base.hostname else []

    def _in_cloud(self, host: str, segments: list[str]) -> list[str]:
        name = self.organization.name.lower()
        if host == _CLOUD or host.endswith(f".{_CLOUD}"):
            return segments[1:] if segments and segments[0].lower() == name else []
        if host.startswith(f"{name}.") and host.endswith(_OLD_CLOUD):
            return segments[1:] if segments and segments[0].lower() == "defaultcollection" else segments
        return []


def _segments(path: str) -> list[str]:
    return [unquote(segment) for segment in path.split("/") if segment]
