"""The author of a commit."""

from __future__ import annotations

from dataclasses import dataclass

from invisible import without_invisible


@dataclass(frozen=True, slots=True)
class Author:
    name: str
    email: str

    @property
    def line(self) -> bytes:
        """The author in git's format. Characters with a special meaning are removed."""
        name, email = (
            "".join(one for one in without_invisible(text) if one not in "<>\n") for text in (self.name, self.email)
        )
        return f"{name.strip() or 'unknown'} <{email.strip()}>".encode(errors="replace")
