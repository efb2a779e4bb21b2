"""The hosts of an organization in Azure DevOps Services, or of a collection in Azure DevOps Server."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self
from urllib.parse import SplitResult, quote, unquote, urlsplit

from clients.addresses import checked_base_url
from refusal import Refusal

_CLOUD: Final = "dev.azure.com"
_OLD_CLOUD: Final = ".visualstudio.com"
_OLD_COLLECTION: Final = "defaultcollection"
# The maximum number of segments in the path of a collection: one for a virtual directory, and one for the collection.
_DEEPEST_COLLECTION: Final = 2
_FORMS: Final = (
    "Use https://dev.azure.com/{organization}, https://{organization}.visualstudio.com, or the address of a collection,"
    " for example https://tfs.example.com/tfs/DefaultCollection."
)


class Host(StrEnum):
    """A component of Azure DevOps Services that has its own host. Azure DevOps Server has only one host."""

    CORE = ""
    RELEASES = "vsrm."
    FEEDS = "feeds."
    PACKAGES = "pkgs."
    USERS = "vssps."
    ENTITLEMENTS = "vsaex."
    SEARCH = "almsearch."
    TEST_RESULTS = "vstmr."
    SECURITY = "advsec."


@dataclass(frozen=True, slots=True)
class Organization:
    """An organization or collection. `base` is the URL that people open in a browser."""

    base: str
    is_cloud: bool

    @classmethod
    def at(cls, address: str, *, in_the_open: bool = False) -> Self:
        """Parse the URL of an organization or collection. All forms of the URL are supported."""
        parts = urlsplit(checked_base_url(address, in_the_open=in_the_open))
        segments = [unquote(segment) for segment in parts.path.split("/") if segment]
        host = (parts.hostname or "").lower().rstrip(".")
        _refuse_plain_http(parts.scheme, host)
        if host == _CLOUD:
            return cls._in_cloud(segments)
        if host.endswith(f".{_CLOUD}"):
            raise Refusal(f"{host} is the host of one component of the service, not of an organization. {_FORMS}")
        if host.endswith(_OLD_CLOUD):
            return cls._in_old_cloud(host.removesuffix(_OLD_CLOUD), segments)
        return cls._on_premises(parts, segments)

    @classmethod
    def _in_old_cloud(cls, name: str, segments: list[str]) -> Self:
        rest = segments[1:] if segments and segments[0].lower() == _OLD_COLLECTION else segments
        return cls._in_cloud([name, *rest])

    @classmethod
    def _in_cloud(cls, segments: list[str]) -> Self:
        if len(segments) > 1:
            raise Refusal(f"The address of an organization must end with the organization, without a project. {_FORMS}")
        if not segments or not segments[0] or "." in segments[0]:
            raise Refusal(f"The address does not include an organization. {_FORMS}")
        return cls(f"https://{_CLOUD}/{quote(segments[0], safe='')}", is_cloud=True)

    @classmethod
    def _on_premises(cls, parts: SplitResult, segments: list[str]) -> Self:
        if not segments or any(segment in {".", "..", "_apis"} for segment in segments):
            raise Refusal(f"The address does not include a collection. {_FORMS}")
        if len(segments) > _DEEPEST_COLLECTION or any(segment.startswith("_") for segment in segments):
            raise Refusal(f"The address of a collection must end with the collection, without a project. {_FORMS}")
        return cls(f"{parts.scheme}://{parts.netloc}{quote(parts.path, safe='/%')}", is_cloud=False)

    @property
    def name(self) -> str:
        """The name of the organization or collection."""
        return unquote(self.base.rpartition("/")[2])

    @property
    def names(self) -> tuple[str, ...]:
        """The names that callers can use. The second has the host, because two collections may have the same name."""
        return self.name, f"{urlsplit(self.base).netloc.lower()} {self.name}"

    def url(self, host: Host = Host.CORE) -> str:
        """The base URL of a component of Azure DevOps Services for this organization."""
        return self.base.replace("://", f"://{host}", 1) if self.is_cloud else self.base

    def link(self, *segments: str | int) -> str:
        """The URL of a web page."""
        return "/".join([self.base, *(quote(str(segment), safe="") for segment in segments)])


def _refuse_plain_http(scheme: str, host: str) -> None:
    if scheme == "http" and f".{host}".endswith((f".{_CLOUD}", _OLD_CLOUD)):
        raise Refusal(f"Azure DevOps Services requires https://. {_FORMS}")
