"""The objects of a response, which may lack documented fields."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from refusal import Refusal

_ADVICE: Final = "An older server or a proxy could be the cause."


class DevOpsRecord(dict[str, Any]):
    """An object of a response; the caller gets an error that names a missing field."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        raise Refusal(f"The response from Azure DevOps has no `{name}`. {_ADVICE}")


def records(found: Any) -> list[Any]:
    """The objects of a list in a response; empty if there is no list.

    Raises:
        Refusal: It is not a list of objects.
    """
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise Refusal(f"The response from Azure DevOps is not a list of records. {_ADVICE}")
    return found


class ChangedRecord(DevOpsRecord):
    """The response to a change, which may have been made even if the response is incomplete."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        raise Refusal(
            f"Azure DevOps accepted the change, but its response has no `{name}`. Check whether the change was made"
            " before you repeat it."
        )
