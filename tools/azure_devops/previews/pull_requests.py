"""Previews changes to pull requests, especially merges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_hand, never
from clients.azure_devops.client import AzureDevOps
from tools.azure_devops.previews.branches import policies_of
from tools.azure_devops.shared.answers import Json, at, person
from tools.azure_devops.shared.git_references import short_name
from tools.azure_devops.shared.pull_request_reading import (
    MOST_POLICIES,
    evaluations,
    reviewers_of,
    shown_reviewer,
)

_MERGED: Final = never("a merge cannot be undone; a revert on the web opens a new pull request")


async def merge(
    devops: AzureDevOps, place: Json, found: Json, options: dict[str, Fact], *, edits: Sequence[Edit] = ()
) -> Preview:
    """Preview a merge: its commits, its reviewers, and the policies of the target branch."""
    protecting = await policies_of(devops, found["repository"], str(found["targetRefName"]))
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
    when = f" {options['merges']}" if options.get("merges") else ""
    return replace(
        about(found, facts, _MERGED, grave=grave, edits=edits),
        sentence=f"Merge {_title(found)}{when}, from {facts['from']} into {facts['into']}",
        effects=["Deletes the source branch"] if options.get("source branch") else [],
    )


def update(found: Json, edits: Sequence[Edit], undo: Undo, *, is_closing: bool) -> Preview:
    """Preview an update to a pull request, including closing the pull request without a merge."""
    return replace(
        about(found, facts_of(found), undo, edits=edits),
        sentence=f"{'Close' if is_closing else 'Change'} {_title(found)}{' without merging it' if is_closing else ''}",
        destroys=is_closing,
    )


def about(found: Json, facts: dict[str, Fact], undo: Undo, *, grave: str = "", edits: Sequence[Edit] = ()) -> Preview:
    people = [person(who) for who in (found.get("createdBy"), *reviewers_of(found)) if who]
    return Preview(
        what=f"P{_title(found)[1:]}",
        facts=facts,
        edits=edits,
        affected=sorted({str(one) for one in people if one}),
        places=places_of(found),
        grave=grave,
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


def places_of(found: Json) -> dict[str, Any]:
    repository = found["repository"]
    return {
        "project": at(repository, "project.name"),
        "repository": repository.get("name"),
        "branch": short_name(str(found["targetRefName"])),
    }


def _vote(reviewer: Any) -> str:
    shown = shown_reviewer(reviewer)
    return f"{shown.get('name')}: {shown.get('vote') or 'none'}{' (required)' if shown.get('required') else ''}"


def _grave(found: Json, protecting: list[str], *, is_bypassing: bool) -> str:
    if is_bypassing:
        return "The merge bypasses the policies of the branch."
    branch = short_name(str(found["targetRefName"]))
    return f"The pull request merges into the protected branch {branch}." if protecting else ""


async def merge_to_come(
    devops: AzureDevOps, repository: Json, source: str, target: str, title: str, *, is_automatic: bool
) -> Preview:
    """Preview a new pull request and its later merge, which may be automatic."""
    protecting = await policies_of(devops, repository, target)
    found = {"repository": repository, "sourceRefName": source, "targetRefName": target}
    return Preview(
        what=f"A new pull request: {title}",
        sentence=f"Open a pull request from {short_name(source)} into {short_name(target)}: {title}",
        facts={
            **facts_of(found),
            "merges": "automatically, once policies are met" if is_automatic else None,
            "policies of the target": protecting,
        },
        places=places_of(found),
        grave=_grave(found, protecting, is_bypassing=False) if is_automatic else "",
        undo=by_hand("to close the pull request, call update_pull_request with the returned id and status abandoned"),
        destroys=is_automatic,
    )


async def vote(devops: AzureDevOps, place: Json, found: Json, vote: str, undo: Undo) -> Preview:
    """Preview a vote. A vote can trigger the merge of a pull request with auto-complete."""
    if found.get("autoCompleteSetBy") and found.get("status") == "active":
        return await merge(devops, place, found, {"vote": vote, "merges": "automatically, once policies are met"})
    sentence = f"Vote {vote} on {_title(found)}"
    return replace(about(found, {**facts_of(found), "vote": vote}, undo), sentence=sentence, destroys=False)
