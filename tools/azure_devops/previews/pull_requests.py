"""Previews changes to pull requests, especially merges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_hand, never
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from tools.azure_devops.previews.branches import policies_of, why_kept
from tools.azure_devops.previews.placing import both
from tools.azure_devops.shared.answers import Json, at, person
from tools.azure_devops.shared.git_references import REPOSITORY, short_name
from tools.azure_devops.shared.pull_request_reading import (
    MOST_POLICIES,
    evaluations,
    reviewers_of,
    shown_reviewer,
)

_MERGED: Final = never("a merge cannot be undone; a revert on the web opens a new pull request")
_SOURCE_DELETED: Final = "Deletes the source branch"
_AUTOMATICALLY: Final = "automatically, once policies are met"


async def merge(
    devops: AzureDevOps, place: Json, found: Json, options: dict[str, Fact], *, edits: Sequence[Edit] = ()
) -> Preview:
    """Preview a merge: its commits, its reviewers, and the policies of the target branch."""
    protecting = await policies_of(devops, found["repository"], str(found["targetRefName"]))
    deletes_source = bool(options.get("source branch"))
    unmet = [
        str(at(one, "configuration.type.displayName") or "policy")
        for one in (await evaluations(devops, place, found, MOST_POLICIES)).items
        if at(one, "configuration.isBlocking") and one.get("status") not in {"approved", "notApplicable"}
    ]
    facts = {
        **facts_of(found),
        "last commit": at(found, "lastMergeSourceCommit.commitId"),
        "target commit": at(found, "lastMergeTargetCommit.commitId"),
        "can be merged": found.get("mergeStatus"),
        "votes": [_vote(reviewer) for reviewer in reviewers_of(found)],
        "policies of the target": protecting,
        "policies not met": unmet,
        **options,
    }
    grave = _grave(found, protecting, is_bypassing=bool(options.get("bypasses policies")))
    lost = await _source_lost(devops, found) if deletes_source else ""
    when = f" {options['merges']}" if options.get("merges") else ""
    return replace(
        about(found, facts, _MERGED, grave=grave or lost, edits=edits, deletes_source=deletes_source),
        sentence=f"Merge {_title(found)}{when}, from {facts['from']} into {facts['into']}",
    )


def update(found: Json, edits: Sequence[Edit], undo: Undo, *, is_closing: bool) -> Preview:
    """Preview an update to a pull request, including closing the pull request without a merge."""
    deletes_source = any(edit.path == "deleteSourceBranch" and edit.after for edit in edits)
    return replace(
        about(found, facts_of(found), undo, edits=edits, deletes_source=deletes_source),
        sentence=f"{'Close' if is_closing else 'Change'} {_title(found)}{' without merging it' if is_closing else ''}",
        destroys=is_closing,
    )


def about(
    found: Json,
    facts: dict[str, Fact],
    undo: Undo,
    *,
    grave: str = "",
    edits: Sequence[Edit] = (),
    deletes_source: bool = False,
) -> Preview:
    people = [person(who) for who in (found.get("createdBy"), *reviewers_of(found)) if who]
    return Preview(
        what=f"P{_title(found)[1:]}",
        facts=facts,
        edits=edits,
        affected=sorted({str(one) for one in people if one}),
        places=places_of(found, deletes_source=deletes_source),
        grave=grave,
        effects=[_SOURCE_DELETED] if deletes_source else [],
        undo=undo,
    )


def _title(found: Json) -> str:
    return f"pull request {found['pullRequestId']}: {found.get('title')}"


def facts_of(found: Json) -> dict[str, Fact]:
    return {
        "from": short_name(str(found["sourceRefName"])),
        "into": short_name(str(found["targetRefName"])),
        "status": found.get("status"),
        "draft": found.get("isDraft") or None,
    }


def is_source_deleted(found: Json, wanted: bool | None = None) -> bool:
    """Check whether the merge deletes the source branch. If the call does not say so, the pull request does."""
    stored = at(found, "completionOptions.deleteSourceBranch")
    return bool(stored if wanted is None else wanted)


def places_of(found: Json, *, deletes_source: bool = False) -> dict[str, Any]:
    """Return where the target branch is and, if it is deleted, where the source branch is."""
    target = _places(found["repository"], str(found["targetRefName"]))
    if not deletes_source:
        return target
    source = _places(at(found, "forkSource.repository") or found["repository"], str(found["sourceRefName"]))
    return {name: both(target[name], source[name]) for name in target}


def _places(repository: Json, ref: str) -> dict[str, Any]:
    return {
        "project": at(repository, "project.name"),
        "repository": repository.get("name"),
        "branch": short_name(ref),
    }


def _vote(reviewer: Any) -> str:
    shown = shown_reviewer(reviewer)
    return f"{shown.get('name')}: {shown.get('vote') or 'none'}{' (required)' if shown.get('required') else ''}"


def _grave(found: Json, protecting: list[str], *, is_bypassing: bool) -> str:
    if is_bypassing:
        return "The merge bypasses the policies of the branch."
    branch = short_name(str(found["targetRefName"]))
    return f"The pull request merges into the protected branch {branch}." if protecting else ""


async def _source_lost(devops: AzureDevOps, found: Json) -> str:
    """Return why another person must approve that the merge deletes the source branch, or an empty string."""
    repository, ref = at(found, "forkSource.repository") or found["repository"], str(found["sourceRefName"])
    place = {"project": at(repository, "project.name"), "repositoryId": repository["id"]}
    try:
        # The repository in a pull request does not say which branch is the default branch.
        whole = await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place))
        return why_kept(whole, ref, await policies_of(devops, repository, ref))
    except Refusal:
        return f"The merge deletes {short_name(ref)}, but the policies of this branch cannot be read."


async def merge_to_come(
    devops: AzureDevOps,
    repository: Json,
    source: str,
    target: str,
    title: str,
    *,
    is_automatic: bool,
    deletes_source: bool,
) -> Preview:
    """Preview a new pull request and its later merge, which may be automatic."""
    protecting = await policies_of(devops, repository, target)
    found = {"repository": repository, "sourceRefName": source, "targetRefName": target}
    lost = await _source_lost(devops, found) if is_automatic and deletes_source else ""
    return Preview(
        what=f"A new pull request: {title}",
        sentence=f"Open a pull request from {short_name(source)} into {short_name(target)}: {title}",
        facts={
            **facts_of(found),
            "merges": _AUTOMATICALLY if is_automatic else None,
            "policies of the target": protecting,
        },
        places=places_of(found, deletes_source=deletes_source),
        grave=(_grave(found, protecting, is_bypassing=False) or lost) if is_automatic else "",
        effects=[_SOURCE_DELETED] if deletes_source else [],
        undo=by_hand("to close the pull request, call update_pull_request with the returned id and status abandoned"),
        destroys=is_automatic,
    )


def merges_automatically(found: Json) -> bool:
    return bool(found.get("autoCompleteSetBy")) and found.get("status") == "active"


async def automatic_merge(
    devops: AzureDevOps,
    place: Json,
    found: Json,
    facts: dict[str, Fact],
    *,
    edits: Sequence[Edit] = (),
    delete_source: bool | None = None,
) -> Preview:
    """Preview a change that can trigger the merge of a pull request with auto-complete."""
    source = "is deleted" if is_source_deleted(found, delete_source) else None
    return await merge(devops, place, found, {**facts, "source branch": source, "merges": _AUTOMATICALLY}, edits=edits)


async def vote(devops: AzureDevOps, place: Json, found: Json, vote: str, undo: Undo) -> Preview:
    """Preview a vote. A vote can trigger the merge of a pull request with auto-complete."""
    if merges_automatically(found):
        return await automatic_merge(devops, place, found, {"vote": vote})
    sentence = f"Vote {vote} on {_title(found)}"
    return replace(about(found, {**facts_of(found), "vote": vote}, undo), sentence=sentence, destroys=False)
