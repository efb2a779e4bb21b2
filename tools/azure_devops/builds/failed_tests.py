"""Lists the tests that failed in a build."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import SKIP, BySkip, ListPage
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, at, marked, present
from tools.azure_devops.shared.build_records import BuildId, build_request
from tools.azure_devops.shared.log_lines import readable_text
from tools.azure_devops.shared.parameters import MaxResults, Project

part = Part()

_BUILD: Final = "vstfs:///Build/Build/{}"
_OUTCOMES: Final = "Failed,Error,Aborted,Timeout"
_RESULTS: Final = BySkip(largest=200)
_MOST_RUNS: Final = 200
_MOST_READ: Final = 20
_LONGEST_MESSAGE: Final = 600
_LONGEST_TRACE: Final = 600


@part.tool(Access.READ, harmless=("project", "buildId"))
async def list_failed_tests(
    devops: DevOps, buildId: BuildId, project: Project = None, maxResults: MaxResults = 20
) -> Json:
    """List the failed tests of a build, with their errors and the build in which each began to fail."""
    place = devops.project(project)
    await devops.json(build_request(place, buildId))
    runs = await _runs(devops, place, buildId)
    failed = [run for run in runs.items if run.get("totalTests") != run.get("passedTests")]
    read = failed[:_MOST_READ]
    results = await asyncio.gather(*(_results(devops, place, run, maxResults) for run in read))
    tests = [_shown(result, run, buildId) for run, page in zip(read, results, strict=True) for result in page.items]
    is_cut = any(page.has_more for page in (runs, *results)) or len(failed) > len(read) or len(tests) > maxResults
    more = "There are more results: raise maxResults, or read a run with get_test_results." if is_cut else None
    counts = {"runs": len(runs.items), "tests": _total(runs, "totalTests"), "passed": _total(runs, "passedTests")}
    shown = tests[:maxResults]
    return marked({**counts, "count": len(shown), **present({"more": more}), "items": shown})


async def _runs(devops: AzureDevOps, project: str, build_id: int) -> ListPage:
    query = {"buildUri": _BUILD.format(build_id), "includeRunDetails": True}
    return await devops.page(
        DevOpsRequest("GET /{project}/_apis/test/runs", {"project": project}, query), SKIP, _MOST_RUNS
    )


async def _results(devops: AzureDevOps, project: str, run: Json, limit: int) -> ListPage:
    place = {"project": project, "runId": run["id"]}
    request = DevOpsRequest("GET /{project}/_apis/test/Runs/{runId}/results", place, {"outcomes": _OUTCOMES})
    return await devops.page(request, _RESULTS, limit)


def _total(runs: ListPage, name: str) -> int:
    return sum(int(run.get(name) or 0) for run in runs.items)


def _shown(result: Json, run: Json, build_id: int) -> Json:
    since = at(result, "failingSince.build")
    is_new = at(since, "id") in {build_id, str(build_id)} if since else None
    return present(
        {
            "test": result.get("automatedTestName") or result.get("testCaseTitle") or at(result, "testCase.name"),
            "outcome": result.get("outcome"),
            "runId": run["id"],
            "run": run.get("name"),
            "isNew": is_new,
            "failingSince": None if is_new else _since(result),
            "error": _shortened(result.get("errorMessage"), _LONGEST_MESSAGE),
            "stack": _shortened(result.get("stackTrace"), _LONGEST_TRACE),
        }
    )


def _since(result: Json) -> Json:
    """Return the build in which a test started to fail, if the service reports it. Some builds have only an id and no
    number.
    """
    since = {"build": at(result, "failingSince.build.number"), "buildId": at(result, "failingSince.build.id")}
    return present({**since, "at": at(result, "failingSince.date")})


def _shortened(text: Any, most: int) -> str | None:
    """Shorten a text by removing its end, because the beginning is more useful."""
    if not isinstance(text, str):
        return None
    readable = readable_text(text.strip())
    return readable if len(readable) <= most else f"{readable[:most]}… ({len(readable)} characters)"
