"""The partition key of a tenant's records, which every request must have, as the container defines it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import to_json

from refusal import Refusal

Scalar = str | int | float | bool
_ABSENT: Final = object()
# The limit of Cosmos DB. Longer keys are not sent, because they go into a header.
_LONGEST_KEY: Final = 2048


@dataclass(frozen=True, slots=True)
class Partition:
    """The values of a partition key, of which the first is the tenant. Queries can omit the later ones.

    A tenant is always required: without a key, the SDK would read the records of all tenants.
    """

    paths: tuple[str, ...]
    values: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        tenant = self.values[0] if self.values else None
        if not isinstance(tenant, str) or not tenant or len(self.values) > len(self.paths):
            raise ValueError("A request to Cosmos DB must have a tenant.")
        if any(not isinstance(value, str | int | float | bool) for value in self.values):
            raise ValueError("Each level of a partition key is a text, a number or a truth value.")

    @property
    def tenant(self) -> str:
        return str(self.values[0])

    @property
    def for_the_sdk(self) -> Scalar | list[Scalar]:
        return self.values[0] if len(self.paths) == 1 else list(self.values)

    @property
    def whole(self) -> Partition:
        """The complete key, for operations on one record.

        Raises:
            Refusal: Values are missing.
        """
        if len(self.values) == len(self.paths):
            return self
        further = ", ".join(self.paths[1:])
        raise Refusal(
            f"The container's partition key has more levels: pass their values as key, in this order: {further}."
        )

    def holds(self, document: Mapping[str, Any]) -> bool:
        """Whether a record belongs here."""
        values = [found(document, path) for path in self.paths[: len(self.values)]]
        return all(type(one) is type(value) and one == value for one, value in zip(values, self.values, strict=True))


def found(document: Any, path: str) -> Any:
    """The value at a path such as /customer/id, or a marker that equals no value."""
    for name in path[1:].split("/"):
        document = document.get(name, _ABSENT) if isinstance(document, Mapping) else _ABSENT
    return document


def with_tenant(document: Mapping[str, Any], path: str, tenant: str) -> dict[str, Any]:
    """A document with the tenant written into it.

    Raises:
        Refusal: It has another tenant, or an unexpected value at the tenant's path.
    """
    return placed(document, path, tenant, "tenant")


def placed(document: Mapping[str, Any], path: str, value: str, what: str) -> dict[str, Any]:
    """A document with this value at a path.

    Raises:
        Refusal: It has another or an unexpected value there.
    """
    name, _, rest = path[1:].partition("/")
    present = document.get(name)
    if not rest:
        if name in document and present != value:
            raise Refusal(f"The document has another {what} in {path}. Omit it: the server writes it.")
        return {**document, name: value}
    if name in document and not isinstance(present, Mapping):
        raise Refusal(f"The document has an unexpected value at {path}. Omit it: the server writes it.")
    return {**document, name: placed(present or {}, f"/{rest}", value, what)}


def refuse_long(key: Sequence[object]) -> None:
    """Reject values that are too long for a key.

    Raises:
        Refusal: They are.
    """
    if len(to_json(key)) > _LONGEST_KEY:
        raise Refusal(f"A partition key has up to {_LONGEST_KEY} bytes.")


def key_of(document: Mapping[str, Any], paths: Sequence[str]) -> Partition:
    """The complete key of a document that already has its tenant."""
    values = [found(document, path) for path in paths]
    if bad := [path for path, value in zip(paths, values, strict=True) if not _is_scalar(value)]:
        raise Refusal(f"The document needs a text, number or truth value at {', '.join(bad)}: its partition key.")
    refuse_long(values)
    return Partition(tuple(paths), tuple(values))


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | bool)
