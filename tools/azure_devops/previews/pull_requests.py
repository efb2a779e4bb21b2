"""What changes to pull requests would do: above all, what they would merge into where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from changes.preview import Edit, Fact, Preview
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


async def merge(devops: AzureDevOps, place: Json, found: Json, options: dict[str, Fact]) -> Preview:
    """What would be merged, by whom it was looked at, and what protects the branch that it goes to."""
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
    return about(found, facts, grave=_grave(found, protecting, is_bypassing=bool(options.get("bypasses policies"))))


def about(found: Json, facts: dict[str, Fact], *, grave: str = "", edits: list[Edit] | None = None) -> Preview:
    people = [person(who) for who in (found.get("createdBy"), *reviewers_of(found)) if who]
    return Preview(
        what=f"Pull request {found['pullRequestId']}: {found.get('title')}",
        facts=facts,
        edits=edits or [],
        affected=sorted({str(one) for one in people if one}),
        places=places_of(found),
        grave=grave,
    )


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
        return "It bypasses the policies of the branch."
    branch = short_name(str(found["targetRefName"]))
    return f"It merges into the protected branch {branch}." if protecting else ""


async def merge_to_come(devops: AzureDevOps, repository: Json, source: str, target: str, title: str) -> Preview:
    """What a pull request that is not there yet would merge by itself."""
    protecting = await policies_of(devops, repository, target)
    found = {"repository": repository, "sourceRefName": source, "targetRefName": target}
    return Preview(
        what=f"A new pull request: {title}",
        facts={**facts_of(found), "merges": "by itself, once policies are met", "policies of the target": protecting},
        places=places_of(found),
        grave=_grave(found, protecting, is_bypassing=False),
    )


async def vote(devops: AzureDevOps, place: Json, found: Json, vote: str) -> Preview:
    """What a vote does: where the pull request merges by itself, it may be the last that it takes."""
    if found.get("autoCompleteSetBy") and found.get("status") == "active":
        return await merge(devops, place, found, {"vote": vote, "merges": "by itself, once policies are met"})
    return replace(about(found, {**facts_of(found), "vote": vote}), destroys=False)
