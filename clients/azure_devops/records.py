"""JSON objects in responses from Azure DevOps. Documented fields may be missing in these objects."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from refusal import Refusal

_ADVICE: Final = "An older server or a proxy could be the cause."


class DevOpsRecord(dict[str, Any]):
    """A JSON object in a response. Reading a missing field raises an error that names the field."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        raise Refusal(f"The response from Azure DevOps has no `{name}`. {_ADVICE}")


def records(found: Any) -> list[Any]:
    """The objects of a list in a response. Empty if the list is missing.

    Raises:
        Refusal: The value is not a list of objects.
    """
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise Refusal(f"The response from Azure DevOps is not a list of records. {_ADVICE}")
    return found


class ChangedRecord(DevOpsRecord):
    """The response to a change. The change may have been made even if a field is missing."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        raise Refusal(
            f"Azure DevOps accepted the change, but its response has no `{name}`. Before you repeat the"
            " change, check whether it was made."
        )
