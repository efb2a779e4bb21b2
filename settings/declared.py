"""Declares settings as fields of dataclasses, and reads them from the environment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, field, fields
from typing import Any, ClassVar, Final, Literal, Protocol, TypeVar

from refusal import Refusal

# The default of a boolean setting.
NO: Final = False

# Operators set a setting with `azd env set`, or in the vault if it is a secret. The template and Azure set other
# settings themselves. Settings that are only for a laptop are never set on Azure.
SetBy = Literal["operator", "template", "azure", "laptop"]

_UNRESOLVED: Final = "@Microsoft.KeyVault("


class Group(Protocol):
    """A group of settings: a dataclass in which each field is a setting with a default."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


G = TypeVar("G", bound=Group)


def setting(  # noqa: PLR0913 - a setting is declared by one call
    name: str,
    parse: Callable[[str], Any],
    default: Any,
    meaning: str,
    *,
    secret: bool = False,
    set_by: SetBy = "operator",
) -> Any:
    """Declare a setting: its environment variable, its parser, its default, its description, and who sets it."""
    metadata = {"name": name, "parse": parse, "meaning": meaning, "set_by": set_by}
    return field(default=default, repr=not secret, metadata=metadata)


def read(group: type[G], environment: Mapping[str, str]) -> G:
    """Read a group of settings from the environment.

    Raises:
        Refusal: A value is invalid. The message does not contain this value, which may be a secret.
    """
    declared = {entry.name: entry.metadata for entry in fields(group)}
    present = {name: metadata for name, metadata in declared.items() if environment.get(metadata["name"], "").strip()}
    return group(**{name: _parsed(metadata, environment) for name, metadata in present.items()})


def names_of(groups: Iterable[type[Group]]) -> list[str]:
    """The names of the environment variables for all settings in these groups."""
    return [entry.metadata["name"] for group in groups for entry in fields(group)]


def _parsed(metadata: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    text = environment[metadata["name"]].strip()
    if text.startswith(_UNRESOLVED):
        # The value is a reference to Key Vault instead of the secret. The platform passes the reference to the app if
        # the app cannot read the secret.
        raise Refusal(f"The setting {metadata['name']} refers to a vault that the app cannot read.")
    try:
        return metadata["parse"](text)
    except (ValueError, Refusal) as problem:
        raise Refusal(f"The setting {metadata['name']} is not valid: {str(problem).rstrip('.')}.") from None
