"""IDs of subscriptions, resource groups and resources. IDs are case-insensitive in Azure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self
from unicodedata import normalize

from clients.folding import folded
from invisible import is_printable
from refusal import Refusal

_LONGEST: Final = 2048
# Characters that could end a path segment, or that other parsers interpret differently.
_NOT_IN_A_NAME: Final = re.compile(r"[/%?#\\]")
_GUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NAMESPACE: Final = re.compile(r"[a-z][a-z0-9]*(?:\.[a-z0-9]+)+", re.IGNORECASE)
_FORM: Final = (
    "An id looks like /subscriptions/<id>/resourceGroups/<name>/providers/<namespace>/<type>/<name>, without empty or"
    " encoded parts."
)


def is_guid(text: str) -> bool:
    return bool(_GUID.fullmatch(text))


def is_segment(text: str) -> bool:
    """Whether all parsers read the text as a single path segment, including parsers that normalize letters."""
    plain = normalize("NFKC", text)
    return is_printable(text) and plain.strip() not in {"", ".", ".."} and not _NOT_IN_A_NAME.search(plain)


@dataclass(frozen=True, slots=True)
class ResourceId:
    """The segments of an ID as received. Use `key` to compare IDs."""

    segments: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse an ID.

        Raises:
            Refusal: The ID is invalid.
        """
        found = cls(tuple(text.strip().removeprefix("/").removesuffix("/").split("/")))
        if len(text) > _LONGEST or not text.strip().startswith("/") or not found._is_sound:
            raise Refusal(_FORM)
        return found

    @classmethod
    def of_subscription(cls, subscription: str) -> Self:
        return cls.of(f"/subscriptions/{subscription}")

    @property
    def text(self) -> str:
        return "/" + "/".join(self.segments)

    @property
    def key(self) -> str:
        return folded(self.text)

    @property
    def subscription(self) -> str:
        return self._after("subscriptions", 0)

    @property
    def group(self) -> str:
        return self._after("resourcegroups", 2)

    @property
    def name(self) -> str:
        return self.segments[-1]

    @property
    def names(self) -> Sequence[str]:
        """The names of the resource and its parents. Empty for a resource group or a subscription."""
        below = self.segments[4:] if self.group else self.segments[2:]
        pairs = zip(below[::2], below[1::2], strict=False)
        return [name for word, name in pairs if word.lower() != "providers"]

    @property
    def namespace(self) -> str:
        """The provider of the last resource in the ID.

        For example, the provider of a lock on a storage account is `Microsoft.Authorization`.
        """
        return self._of_provider[0] if self._of_provider else ""

    @property
    def type(self) -> str:
        """The full type, such as `Microsoft.Web/sites/slots`.

        The IDs of groups and subscriptions contain no type, so the result is Azure's name for their type.
        """
        if own := self._of_provider:
            return "/".join([own[0], *own[1::2]])
        return f"Microsoft.Resources/{'subscriptions/resourceGroups' if self.group else 'subscriptions'}"

    @property
    def is_list(self) -> bool:
        """Whether the ID ends with a type instead of a name, and therefore denotes a list of resources."""
        return bool(self._of_provider) and len(self._of_provider) % 2 == 0

    @property
    def _of_provider(self) -> Sequence[str]:
        """The segments after the last `providers`.

        Names are at odd positions and can be any word, so only even positions are searched for `providers`.
        """
        places = [place for place, word in enumerate(self.segments[::2]) if word.lower() == "providers"]
        return self.segments[2 * places[-1] + 1 :] if places else ()

    def _after(self, word: str, place: int) -> str:
        has_it = len(self.segments) > place + 1 and self.segments[place].lower() == word
        return self.segments[place + 1] if has_it else ""

    @property
    def _is_sound(self) -> bool:
        if not all(map(is_segment, self.segments)):
            return False
        is_ours = self.segments[0].lower() in {"subscriptions", "providers"}
        has_subscription = self.segments[0].lower() == "providers" or is_guid(self.subscription)
        return is_ours and has_subscription and (not self._of_provider or bool(_NAMESPACE.fullmatch(self.namespace)))
