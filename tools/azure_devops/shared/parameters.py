"""Parameters that Azure DevOps tools share. Descriptions are short, because every tool repeats them to the model."""

from __future__ import annotations

from typing import Annotated, Any, Final

from mcp_server.declarations.field import Field
from tools.azure_devops.shared.answers import Extent

MOST_RESULTS: Final = 1000
# The maximum number of ids that the service accepts in a request.
MOST_IDS: Final = 200

Project = Annotated[str | None, Field(description="Name or id")]
Team = Annotated[str | None, Field(description="Name or id; default: default team")]
Repository = Annotated[str, Field(description="Name or id")]
WorkItemId = Annotated[int, Field(ge=1, description="Work item id")]
WorkItemIds = Annotated[
    Annotated[int, Field(ge=1)]
    | Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=MOST_IDS)],
    Field(description="Work item id, or several"),
]
MaxResults = Annotated[int, Field(ge=1, le=MOST_RESULTS, description="Limit")]
Detail = Annotated[Extent, Field(description="full: all")]

Types = Annotated[list[str] | None, Field(max_length=20, description="Such as Bug")]
States = Annotated[list[str] | None, Field(max_length=20, description="Such as Active, or `not done`")]
Tags = Annotated[list[str] | None, Field(max_length=20, description="All of these")]
NewTags = Annotated[list[str] | None, Field(max_length=50, description="Replace all tags")]
Assignee = Annotated[str | None, Field(description="Email, name or @Me")]
AreaPath = Annotated[str | None, Field(description="Also paths below")]
IterationPath = Annotated[str | None, Field(description="Path, current, next, previous or `next of Crew`")]
Area = Annotated[str | None, Field(description="Such as Web\\Shop")]
Iteration = Annotated[str | None, Field(description="Web\\Sprint 3, current or `next of Crew`")]
Priority = Annotated[int | None, Field(ge=1, le=4, description="1 is highest")]
Prose = Annotated[str | None, Field(description="Markdown or HTML")]
OtherFields = Annotated[dict[str, Any] | None, Field(description="By reference name")]
Revision = Annotated[int | None, Field(ge=1, description="Expected current revision")]
Revisions = Annotated[
    Annotated[int, Field(ge=1)] | Annotated[list[Annotated[int, Field(ge=1)]], Field(max_length=MOST_IDS)] | None,
    Field(description="Expected current revisions, in the order of the ids"),
]
MoreTags = Annotated[list[str] | None, Field(max_length=50, description="Tags to add")]
FewerTags = Annotated[list[str] | None, Field(max_length=50, description="Tags to remove")]
Comment = Annotated[str | None, Field(description="Why")]
