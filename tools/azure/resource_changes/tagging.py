"""Validates tags, and computes a resource's tags after a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from changes.preview import Edit
from clients.folding import folded
from mcp_server.declarations.field import Field
from refusal import Refusal

Mode = Literal["merge", "replace", "delete"]
MOST_TAGS: Final = 50
_NOT_IN_A_NAME: Final = "<>%&\\?/"

_Name = Annotated[str, Field(min_length=1, max_length=512)]
_Value = Annotated[str, Field(max_length=256)]
Tags = Annotated[dict[_Name, _Value], Field(max_length=MOST_TAGS, description="Names and values")]


def told_tags(tags: Mapping[str, str]) -> list[str]:
    return sorted(f"{name}={value}" for name, value in tags.items())


def check_tags(tags: Mapping[str, str]) -> None:
    """Refuse tags that Azure would reject."""
    if stray := [
        name for name in tags if not name.isprintable() or set(name) & set(_NOT_IN_A_NAME) or not name.strip()
    ]:
        raise Refusal(
            f"Invalid tag name {stray[0]!r}. A tag name must not be empty or contain {' '.join(_NOT_IN_A_NAME)}."
        )
    if len({folded(name) for name in tags}) < len(tags):
        raise Refusal("Two tag names differ only in case, so Azure treats them as the same tag. Pass only one of them.")


def tagged(before: Mapping[str, str], tags: Mapping[str, str], mode: Mode) -> dict[str, str]:
    """Return the tags after a change. The case of tag names is ignored, and existing tag names keep their case."""
    known = {folded(name): name for name in before}
    given = {known.get(folded(name), name): value for name, value in tags.items()}
    if mode == "delete":
        return {name: value for name, value in before.items() if name not in given}
    after = given if mode == "replace" else {**before, **given}
    if len(after) > MOST_TAGS:
        raise Refusal(f"The change would result in {len(after)} tags; Azure allows {MOST_TAGS} per resource.")
    return after


def edits_of(where: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[Edit]:
    names = sorted({*before, *after})
    changed = [name for name in names if before.get(name) != after.get(name)]
    return [Edit(f"{where}: tags.{name}", before.get(name), after.get(name)) for name in changed]
