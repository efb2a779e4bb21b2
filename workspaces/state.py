"""What is known of a workspace beside its objects: one small file, of which each change is written over the last."""

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
# What git looks up in other places, too: kinds of references, and those that it keeps for itself.
_OF_GIT: Final = re.compile(r"(?:refs|heads|tags|remotes)/.*|[A-Z_]*HEAD|stash")
_ID: Final = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceState:
    """Ids are 40 digits. `tree` has the files as they are now, committed or not."""

    url: str
    branch: str
    made: datetime
    used: datetime
    tree: str
    # Branches here, and as the server had them when it was last asked.
    branches: dict[str, str] = field(default_factory=dict)
    remote: dict[str, str] = field(default_factory=dict)
    # Commits whose parents were left out.
    shallow: tuple[str, ...] = ()
    # Names and sizes of the packs that count.
    packs: dict[str, int] = field(default_factory=dict)
    # The commit that is being merged, and where both sides had changed the same.
    merging: str = ""
    conflicts: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The commit that the branch is at; nothing before the first."""
        return self.branches.get(self.branch, "")

    def commit_on(self, branch: str) -> str:
        """The commit that a branch is at.

        Raises:
            Refusal: There is no such branch here, or nothing was committed on it.
        """
        if not (commit := self.branches.get(branch, "")):
            raise Refusal(
                f"There is no commit on {branch}. git_branches lists the branches; git_commit creates a commit."
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
    """Whether it is a name that every git takes, and that means one branch only."""
    return bool(_BRANCH.fullmatch(name)) and name != "HEAD" and not _ID.fullmatch(name)


def checked_new_branch(name: str) -> str:
    """The name of a branch that is to be made, which must mean nothing else to any git.

    Raises:
        Refusal: It could.
    """
    name = checked_branch(name)
    if _OF_GIT.fullmatch(name):
        raise Refusal(f"{name[:200]!r} is ambiguous in git. Choose another name, for example feature/login.")
    return name


def checked_branch(name: str) -> str:
    """The name of a branch.

    Raises:
        Refusal: No branch may be called so.
    """
    name = name.removeprefix("refs/heads/")
    if not is_branch(name):
        raise Refusal(f"{name[:200]!r} is not a valid branch name. Example: feature/login.")
    return name
