"""The state of a workspace besides its objects: one small file that each change replaces."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pydantic import TypeAdapter

from refusal import Refusal

_BRANCH: Final = re.compile(
    r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.|\.(?:/|$)))[A-Za-z0-9_][A-Za-z0-9._/+#=@-]{0,200}(?<!/)"
)
# Names that git also resolves elsewhere: types of references, and its own ones.
_OF_GIT: Final = re.compile(r"(?:refs|heads|tags|remotes)/.*|[A-Z_]*HEAD|stash")
_ID: Final = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceState:
    """Ids have 40 digits. `tree` has the current files, committed or not."""

    url: str
    branch: str
    made: datetime
    used: datetime
    tree: str
    # Branches here, and on the server at the last contact.
    branches: dict[str, str] = field(default_factory=dict)
    remote: dict[str, str] = field(default_factory=dict)
    # Shallow commits, whose parents were omitted.
    shallow: tuple[str, ...] = ()
    # Names and sizes of the packs in use.
    packs: dict[str, int] = field(default_factory=dict)
    # The commit being merged, and the paths with conflicts.
    merging: str = ""
    conflicts: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The commit of the current branch; empty before the first."""
        return self.branches.get(self.branch, "")

    def commit_on(self, branch: str) -> str:
        """The commit of a branch.

        Raises:
            Refusal: The branch does not exist here, or has no commits.
        """
        if not (commit := self.branches.get(branch, "")):
            raise Refusal(
                f"Branch {branch} has no commits. git_branches lists the branches; git_commit creates a commit."
            )
        return commit

    @property
    def size(self) -> int:
        return sum(self.packs.values())


_SHAPE: Final = TypeAdapter(WorkspaceState)


def written(state: WorkspaceState) -> bytes:
    return _SHAPE.dump_json(state)


def read(content: bytes) -> WorkspaceState:
    return _SHAPE.validate_json(content)


def is_branch(name: str) -> bool:
    """Whether every git accepts the name, and it identifies only one branch."""
    return bool(_BRANCH.fullmatch(name)) and name != "HEAD" and not _ID.fullmatch(name)


def checked_new_branch(name: str) -> str:
    """The name of a new branch, which must be unambiguous in every git.

    Raises:
        Refusal: It is ambiguous.
    """
    name = checked_branch(name)
    if _OF_GIT.fullmatch(name):
        raise Refusal(f"{name[:200]!r} is ambiguous in git. Choose another name, for example feature/login.")
    return name


def checked_branch(name: str) -> str:
    """The name of a branch.

    Raises:
        Refusal: It is not a valid branch name.
    """
    name = name.removeprefix("refs/heads/")
    if not is_branch(name):
        raise Refusal(f"{name[:200]!r} is not a valid branch name. Example: feature/login.")
    return name
