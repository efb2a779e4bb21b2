"""The state of a workspace. A small file contains the state, and each change replaces this file."""

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
# Matches names that git could interpret as something other than a branch: prefixes of references, and names such as
# HEAD.
_OF_GIT: Final = re.compile(r"(?:refs|heads|tags|remotes)/.*|[A-Z_]*HEAD|stash")
_ID: Final = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceState:
    """The state of a workspace.

    IDs have 40 digits. `tree` contains the current files, including uncommitted changes.
    """

    url: str
    branch: str
    made: datetime
    used: datetime
    tree: str
    # The newest commit of each branch in the workspace.
    branches: dict[str, str] = field(default_factory=dict)
    # The newest commit of each branch on the server, at the last fetch or push.
    remote: dict[str, str] = field(default_factory=dict)
    # Commits whose parents the clone omitted.
    shallow: tuple[str, ...] = ()
    # The names and sizes of the packs in use.
    packs: dict[str, int] = field(default_factory=dict)
    # The commit that is being merged.
    merging: str = ""
    # The paths of files with conflicts.
    conflicts: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The newest commit of the current branch, or an empty string if the branch has no commits."""
        return self.branches.get(self.branch, "")

    def commit_on(self, branch: str) -> str:
        """The newest commit of a branch.

        Raises:
            Refusal: The workspace does not have this branch, or the branch has no commits.
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
    """Whether every version of git interprets the name as a branch, and only as a branch."""
    return bool(_BRANCH.fullmatch(name)) and name != "HEAD" and not _ID.fullmatch(name)


def checked_new_branch(name: str) -> str:
    """Check the name of a new branch: every version of git must interpret the name only as a branch.

    Raises:
        Refusal: The name is invalid or ambiguous.
    """
    name = checked_branch(name)
    if _OF_GIT.fullmatch(name):
        raise Refusal(f"{name[:200]!r} is ambiguous in git. Choose another name, for example feature/login.")
    return name


def checked_branch(name: str) -> str:
    """Check the name of a branch.

    Raises:
        Refusal: The name is invalid.
    """
    name = name.removeprefix("refs/heads/")
    if not is_branch(name):
        raise Refusal(f"{name[:200]!r} is not a valid branch name. Example: feature/login.")
    return name
