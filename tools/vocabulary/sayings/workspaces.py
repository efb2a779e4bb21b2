"""How people ask for work in a git repository without a disk."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "git_clone": "clone a repository into a workspace, check out a repo, get the code of a git repository",
    "git_pull": "git pull in my workspace, bring the workspace up to date, take what others pushed",
    "git_push": "git push my commits, push the branch of my workspace, send my commits to the server without force",
    "git_status": "git status of my workspace, what have I changed and not committed, uncommitted changes, dirty files",
    "git_list": "list the files of my git workspace, which files are in my clone, show the tree of my working copy",
    "git_read": "read a file of my git workspace, show the code of a file in my clone, cat a file in the workspace",
    "git_search": "grep in my workspace, search my clone for a text, find where a function is used in my working copy",
    "git_write": "edit a file in my workspace, write a file in my clone, replace text in a file of my working copy",
    "git_move": "git mv, rename a file in my workspace, move a file in my clone to another folder",
    "git_delete": "git rm, delete a file in my workspace, remove a file from my clone",
    "git_restore": "git restore, undo my changes to a file, discard changes, abort a merge",
    "git_commit": "git commit, commit my changes in the workspace, make a commit of these files",
    "git_drop": "drop my git workspace, throw my clone away, delete the working copy",
    "git_log": "git log of my workspace, last commits of my clone, history of my working copy",
    "git_diff": "git diff of my workspace, show my uncommitted changes as a patch, compare branches",
    "git_branch": "git switch in my workspace, git checkout -b, make a branch in my clone",
    "git_branches": "git branch of my workspace, which branches has my clone, list the branches of my working copy",
    "git_workspaces": "list my git workspaces, which clones do I have, my working copies",
}
