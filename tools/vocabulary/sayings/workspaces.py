"""How people ask for work in a git repository without a disk."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "git_clone": "clone into a workspace, git clone, make a working copy",
    "git_pull": "git pull in my workspace, bring my clone up to date",
    "git_push": "git push my commits, push the branch of my workspace",
    "git_status": "git status of my workspace, uncommitted changes in my clone",
    "git_list": "list the files of my git workspace, tree of my clone",
    "git_read": "read a file of my git workspace, show a file of my clone",
    "git_search": "grep in my git workspace, search my clone for a text",
    "git_write": "edit a file in my git workspace, write a file in my clone",
    "git_move": "git mv, rename a file in my git workspace",
    "git_delete": "git rm, delete a file in my git workspace",
    "git_restore": "git restore, discard my changes in my git workspace, abort the merge in my clone",
    "git_commit": "git commit, commit my changes in the git workspace",
    "git_drop": "drop my git workspace, throw my clone away",
    "git_log": "git log of my workspace, last commits of my clone",
    "git_diff": "git diff of my workspace, my uncommitted changes as a patch",
    "git_branch": "git switch in my workspace, git checkout, make a branch in my clone",
    "git_branches": "git branch of my workspace, which branches has my clone",
    "git_workspaces": "list my git workspaces, which clones do i have",
}
