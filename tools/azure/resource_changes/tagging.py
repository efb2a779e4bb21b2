"""Tags as callers give them, and what they make of those that are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from changes.preview import Edit
from clients.folding import folded
from refusal import Refusal

Mode = Literal["merge", "replace", "delete"]
MOST_TAGS: Final = 50
_NOT_IN_A_NAME: Final = "<>%&\\?/"

_Name = Annotated[str, Field(min_length=1, max_length=512)]
_Value = Annotated[str, Field(max_length=256)]
Tags = Annotated[dict[_Name, _Value], Field(max_length=MOST_TAGS, description="Names with values")]


def told_tags(tags: Mapping[str, str]) -> list[str]:
    return sorted(f"{name}={value}" for name, value in tags.items())


def check_tags(tags: Mapping[str, str]) -> None:
    """Refuse what Azure takes for no tags.

    Raises:
        Refusal: Some are none.
    """
    if stray := [
        name for name in tags if not name.isprintable() or set(name) & set(_NOT_IN_A_NAME) or not name.strip()
    ]:
        raise Refusal(f"The name of a tag has no {' '.join(_NOT_IN_A_NAME)} in it and is not empty: {stray[0]!r}.")
    if len({folded(name) for name in tags}) < len(tags):
        raise Refusal("Two tags differ in capitals only, and are the same to Azure.")


def tagged(before: Mapping[str, str], tags: Mapping[str, str], mode: Mode) -> dict[str, str]:
    """What the tags of something are after a change; names compare without case, and keep theirs."""
    known = {folded(name): name for name in before}
    given = {known.get(folded(name), name): value for name, value in tags.items()}
    if mode == "delete":
        return {name: value for name, value in before.items() if name not in given}
    after = given if mode == "replace" else {**before, **given}
    if len(after) > MOST_TAGS:
        raise Refusal(f"That makes {len(after)} tags, and Azure takes {MOST_TAGS} of a resource.")
    return after


def edits_of(where: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[Edit]:
    names = sorted({*before, *after})
    changed = [name for name in names if before.get(name) != after.get(name)]
    return [Edit(f"{where}: tags.{name}", before.get(name), after.get(name)) for name in changed]
