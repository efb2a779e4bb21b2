"""The objects of an answer, which may lack what the documentation promises of them."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from refusal import Refusal

_ADVICE: Final = "The answer is unusable. An older server or a proxy could be the cause."


class DevOpsRecord(dict[str, Any]):
    """An object of an answer. What it lacks is told to the caller, who has asked for it."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        raise Refusal(f"Azure DevOps answered without `{name}`, which belongs there. {_ADVICE}")


def records(found: Any) -> list[Any]:
    """The entries of a list in an answer, each of them an object; none where there is no list.

    Raises:
        Refusal: Something else is there.
    """
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise Refusal(f"Azure DevOps answered with something else than a list of records. {_ADVICE}")
    return found


class ChangedRecord(DevOpsRecord):
    """An object that answers a change, which may well have been made."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        raise Refusal(
            f"Azure DevOps took the change, but answered without `{name}`, which belongs there. Look whether the change"
            " was made before you repeat it."
        )
