"""Replaces retiring features in code, and opens a draft pull request with the changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Final

from changes.preview import Edit, Preview
from changes.undo import by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.git.files import file_request
from tools.azure_devops.git.pushes import pushed_content
from tools.azure_devops.shared.answers import Json, answer
from tools.azure_devops.shared.file_contents import FileText, file_text
from tools.azure_devops.shared.git_references import (
    NO_COMMIT,
    REPOSITORY,
    default_branch,
    find_ref,
    full_name,
    move_ref,
    place_of,
    ref_of,
    short_name,
)
from tools.azure_devops.shared.parameters import Project, Repository
from tools.retirements.code import files_naming
from tools.retirements.code_terms import CodeTerms, terms_of

part = Part()

MOST_FILES: Final = 50
_LARGEST_FILE: Final = 1024 * 1024
_BRANCHES: Final = "retirements"
_UNDO: Final = by_hand("abandon the pull request with update_pull_request, then delete its branch with delete_branch")


@dataclass(frozen=True, slots=True)
class FixedFile:
    path: str
    before: FileText
    after: str

    @property
    def edits(self) -> list[Edit]:
        """The changed lines of the file, each with its old and new text."""
        pairs = zip(self.before.text.splitlines(), self.after.splitlines(), strict=False)
        return [
            Edit(f"{self.path}:{number}", old.strip(), new.strip())
            for number, (old, new) in enumerate(pairs, 1)
            if old != new
        ]

    @property
    def push(self) -> Json:
        content = pushed_content(self.after, self.before.encoding)
        return {"changeType": "edit", "item": {"path": self.path}, "newContent": content}


@dataclass(frozen=True)
class CodeFix(Change[Json]):
    """The code change. `base` is the commit from which the branch starts."""

    devops: AzureDevOps
    place: Json
    title: str
    target: str
    base: str
    files: Sequence[FixedFile]
    work_items: Sequence[int]

    @property
    def branch(self) -> str:
        """The name of the branch. The name depends only on the change, so the same change opens only one pull
        request.
        """
        told = "\0".join([self.base, *(f"{one.path}\0{one.after}" for one in self.files)])
        return f"refs/heads/{_BRANCHES}/{sha256(told.encode()).hexdigest()[:12]}"

    async def preview(self) -> Preview:
        found = await self.devops.json(DevOpsRequest(f"GET {REPOSITORY}", self.place))
        target = short_name(self.target)
        return Preview(
            what=f"A draft pull request: {self.title}",
            sentence=f"Open a draft pull request into {target} of {found.get('name')}: {self.title}",
            facts={
                "files": len(self.files),
                "branch": short_name(self.branch),
                "on commit": self.base,
                "work items": [str(one) for one in self.work_items],
            },
            edits=[edit for one in self.files for edit in one.edits],
            places={
                "project": self.place["project"],
                "repository": found.get("name"),
                "branch": target,
            },
            destroys=False,
            undo=_UNDO,
        )

    async def apply(self) -> Json:
        if await find_ref(self.devops, self.place, self.branch) is None:
            await move_ref(self.devops, self.place, self.branch, NO_COMMIT, self.base)
            await self._push()
        elif (await ref_of(self.devops, self.place, self.branch))["objectId"] == self.base:
            # The branch already exists, because an earlier call stopped before it created the commit.
            await self._push()
        opened = await self._opened() or await self._open()
        number = int(opened["pullRequestId"])
        where = self.place["project"], "_git", self.place["repositoryId"]
        link = self.devops.organization.link(*where, "pullrequest", number)
        branch = short_name(self.branch)
        return answer(pullRequestId=number, isDraft=True, branch=branch, files=len(self.files), link=link)

    async def _push(self) -> None:
        commit = {"comment": self.title, "changes": [one.push for one in self.files]}
        body = {"refUpdates": [{"name": self.branch, "oldObjectId": self.base}], "commits": [commit]}
        await self.devops.json(DevOpsRequest(f"POST {REPOSITORY}/pushes", self.place, body=body))

    async def _opened(self) -> Json | None:
        """Return the pull request of the branch, if an earlier call opened it."""
        query = {"searchCriteria.sourceRefName": self.branch, "searchCriteria.status": "active"}
        found = await self.devops.json(DevOpsRequest(f"GET {REPOSITORY}/pullrequests", self.place, query))
        return next(iter(found["value"]), None)

    async def _open(self) -> Json:
        body = {
            "sourceRefName": self.branch,
            "targetRefName": self.target,
            "title": self.title,
            "description": "Replaces retiring names. Test this pull request before completing it.",
            "isDraft": True,
            "workItemRefs": [{"id": str(one)} for one in self.work_items],
        }
        return await self.devops.json(DevOpsRequest(f"POST {REPOSITORY}/pullrequests", self.place, body=body))


@part.change(Access.WRITE, harmless=("repository", "project", "update", "workItemIds", "targetBranch"), seconds=120)
async def fix_in_code(
    context: Context,
    devops: DevOps,
    repository: Repository,
    update: Annotated[str, Field(max_length=200, description="Id of the retirement's update")],
    project: Project = None,
    paths: Annotated[list[str] | None, Field(max_length=MOST_FILES, description="Default: all affected files")] = None,
    workItemIds: Annotated[list[int] | None, Field(max_length=20, description="To link")] = None,
    targetBranch: Annotated[str | None, Field(description="Has a default")] = None,
) -> Change[Json]:
    """Open a draft pull request that replaces retiring API versions, SKU names or settings in a repository.

    find_in_code shows what would change.
    """
    wanted = await terms_of(context, update, None)
    if not wanted.replace:
        raise Refusal(
            f"Replacing text is not enough for this retirement: {wanted.name}. find_in_code finds the affected code."
        )
    place = place_of(devops, project, repository)
    target = full_name(targetBranch) if targetBranch else await default_branch(devops, place)
    if target is None:
        raise Refusal(f"{repository} is empty.")
    base = str((await ref_of(devops, place, target))["objectId"])
    files = await _fixed(devops, place, base, wanted, paths)
    if not files:
        raise Refusal("Nothing to change: these files do not contain the exact texts to replace.")
    title = f"Replace what retires: {wanted.name}"[:200]
    return CodeFix(devops, place, title, target, base, files, workItemIds or ())


async def _fixed(
    devops: AzureDevOps, place: Json, base: str, wanted: CodeTerms, paths: Sequence[str] | None
) -> list[FixedFile]:
    """Return the files to change, with their content at the commit from which the branch starts."""
    if paths is None:
        hits = [
            hit
            for old, _ in wanted.replace
            for hit in await files_naming(devops, old, place["project"], place["repositoryId"])
        ]
        paths = list(dict.fromkeys(str(hit["path"]) for hit in hits))
    if len(paths) > MOST_FILES:
        raise Refusal(
            f"{len(paths)} files use the retiring feature; one pull request can change at most {MOST_FILES}."
            " Pass `paths`."
        )
    found = []
    for path in paths:
        read = file_text(await devops.download(file_request(place, path, base), _LARGEST_FILE))
        after = wanted.replaced(read.text) if read else ""
        if read and after != read.text:
            found.append(FixedFile(f"/{path.lstrip('/')}", read, after))
    return found
