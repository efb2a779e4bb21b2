"""The partition key of a record. The key starts with the tenant, and every request must have a partition key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import to_json

from refusal import Refusal

Scalar = str | int | float | bool
_ABSENT: Final = object()
# The maximum length of a key in Cosmos DB. Longer keys are not sent, because the key is part of a header.
_LONGEST_KEY: Final = 2048


@dataclass(frozen=True, slots=True)
class Partition:
    """The values of a partition key. The first value is the tenant; queries can omit values at the end.

    The tenant is always required: without a partition key, the SDK would read the records of all tenants.
    """

    paths: tuple[str, ...]
    values: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        tenant = self.values[0] if self.values else None
        if not isinstance(tenant, str) or not tenant or len(self.values) > len(self.paths):
            raise ValueError("A request to Cosmos DB must have a tenant.")
        if any(not isinstance(value, str | int | float | bool) for value in self.values):
            raise ValueError("Each level of a partition key must be a string, a number or a boolean.")

    @property
    def tenant(self) -> str:
        return str(self.values[0])

    @property
    def for_the_sdk(self) -> Scalar | list[Scalar]:
        return self.values[0] if len(self.paths) == 1 else list(self.values)

    @property
    def whole(self) -> Partition:
        """Return this partition if all values of the key are given. Operations on a single record require all values.

        Raises:
            Refusal: Values are missing.
        """
        if len(self.values) == len(self.paths):
            return self
        further = ", ".join(self.paths[1:])
        raise Refusal(
            f"The container's partition key has more levels. Pass their values as `key`, in this order: {further}."
        )

    def holds(self, document: Mapping[str, Any]) -> bool:
        """Whether a record belongs to this partition."""
        values = [found(document, path) for path in self.paths[: len(self.values)]]
        return all(type(one) is type(value) and one == value for one, value in zip(values, self.values, strict=True))


def found(document: Any, path: str) -> Any:
    """The value at a path such as /customer/id. If the path does not exist, returns a marker that is not equal to any
    value.
    """
    for name in path[1:].split("/"):
        document = document.get(name, _ABSENT) if isinstance(document, Mapping) else _ABSENT
    return document


def with_tenant(document: Mapping[str, Any], path: str, tenant: str) -> dict[str, Any]:
    """A copy of the document with the tenant at this path.

    Raises:
        Refusal: The document contains another tenant, or a value on the path is not an object.
    """
    return placed(document, path, tenant, "tenant")


def placed(document: Mapping[str, Any], path: str, value: str, what: str) -> dict[str, Any]:
    """A copy of the document with this value at the path. Raises Refusal if the path already has another value."""
    name, _, rest = path[1:].partition("/")
    present = document.get(name)
    if not rest:
        if name in document and present != value:
            raise Refusal(f"The document has a different {what} in {path}. Omit this value: the server writes it.")
        return {**document, name: value}
    if name in document and not isinstance(present, Mapping):
        raise Refusal(f"The document has an unexpected value at {path}. Omit this value: the server writes it.")
    return {**document, name: placed(present or {}, f"/{rest}", value, what)}


def refuse_long(key: Sequence[object]) -> None:
    """Reject values that are too long for a partition key.

    Raises:
        Refusal: The values are too long.
    """
    if len(to_json(key)) > _LONGEST_KEY:
        raise Refusal(f"A partition key can be at most {_LONGEST_KEY} bytes long.")


def key_of(document: Mapping[str, Any], paths: Sequence[str]) -> Partition:
    """The partition key of a document that already contains the tenant."""
    values = [found(document, path) for path in paths]
    if bad := [path for path, value in zip(paths, values, strict=True) if not _is_scalar(value)]:
        raise Refusal(
            f"In the document, these parts of the partition key must be a string, number or boolean: {', '.join(bad)}."
        )
    refuse_long(values)
    return Partition(tuple(paths), tuple(values))


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | bool)
