"""Test plans with suites, cases in them, the points at which these are run, and runs with their results."""

from __future__ import annotations

from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, continued, listed, route, skipped
from tests.fakes.azure_devops.work_items import WorkItems
from tests.fakes.numbering import Numbering

JSON = "application/json"
PLANS = "/{project}/_apis/testplan/plans"
SUITES = "/{project}/_apis/testplan/Plans/{plan}/suites"
CASES = "/{project}/_apis/testplan/Plans/{plan}/Suites/{suite}/TestCase"
RUNS = "/{project}/_apis/test/runs"
CONFIGURATIONS = ("Oven", "Grill")


class TestPlans:
    """Every test case in a suite is run in two configurations."""

    def __init__(self, projects: Projects, work_items: WorkItems) -> None:
        self._projects, self._work_items = projects, work_items
        self._ids = Numbering()
        self.plans: dict[int, Json] = {}
        self.suites: dict[int, Json] = {}
        self.points: dict[int, Json] = {}
        self.runs: dict[int, Json] = {}
        self.results: dict[int, list[Json]] = {}
        self.largest_page = 100
        run, results = f"{RUNS}/{{run}}", f"{RUNS}/{{run}}/results"
        self.routes: tuple[Route, ...] = (
            route(f"GET {PLANS}", self._list, "owner includePlanDetails filterActivePlans continuationToken"),
            route(f"POST {PLANS}", self._create, content_type=JSON),
            route(f"GET {PLANS}/{{plan}}", self._plan),
            route(f"GET {SUITES}", self._suites, "expand asTreeView continuationToken"),
            route(f"POST {SUITES}", self._create_suite, content_type=JSON),
            route(f"GET {SUITES}/{{suite}}", self._suite, "expand"),
            route(f"GET {CASES}", self._cases, "witFields isRecursive continuationToken"),
            route(f"POST {CASES}", self._add_cases, content_type=JSON),
            route(f"GET {RUNS}", self._runs, "planId buildUri includeRunDetails $top $skip"),
            route(f"POST {RUNS}", self._begin, content_type=JSON),
            route(f"GET {run}", lambda asked: self._run(asked) | self._counts(self._run(asked)["id"])),
            route(f"PATCH {run}", self._change_run, content_type=JSON),
            route(f"GET {results}", self._results, "detailsToInclude outcomes $top $skip"),
            route(f"PATCH {results}", self._record, content_type=JSON),
        )

    def _plan(self, asked: Asked) -> Json:
        return _found(self.plans, asked.places["plan"], "TestObjectNotFoundException", "Test plan")

    def _list(self, asked: Asked) -> Reply:
        return continued(asked, list(self.plans.values()), self.largest_page)

    def _create(self, asked: Asked) -> Json:
        number, root = next(self._ids), next(self._ids)
        name = asked.body["name"]
        self.suites[root] = {"id": root, "name": name, "suiteType": "staticTestSuite", "plan": {"id": number}}
        self.plans[number] = {"state": "Active", **asked.body, "id": number, "rootSuite": {"id": root, "name": name}}
        return self.plans[number]

    def _suite(self, asked: Asked) -> Json:
        suite = _found(self.suites, asked.places["suite"], "TestObjectNotFoundException", "Test suite")
        if suite["plan"]["id"] != int(asked.places["plan"]):
            raise TroubleError(404, "TestObjectNotFoundException", "The suite is in another plan.")
        is_asked = asked.query.get("expand") == "children"
        below = [known for known in self.suites.values() if known.get("parentSuite", {}).get("id") == suite["id"]]
        return {**suite, "children": below} if is_asked else suite

    def _suites(self, asked: Asked) -> Reply:
        number = int(self._plan(asked)["id"])
        return continued(
            asked, [suite for suite in self.suites.values() if suite["plan"]["id"] == number], self.largest_page
        )

    def _create_suite(self, asked: Asked) -> Json:
        plan, body = self._plan(asked), asked.body
        if body["parentSuite"]["id"] not in self.suites:
            raise TroubleError(404, "TestObjectNotFoundException", "The parent suite is not there.")
        number = next(self._ids)
        self.suites[number] = {**body, "id": number, "plan": {"id": plan["id"]}}
        return self.suites[number]

    def _case(self, suite: int, number: int) -> Json:
        item = self._work_items.latest(number)
        points = [point for point in self.points.values() if (point["suite"], point["case"]) == (suite, number)]
        shown = [{"id": point["id"], "configurationName": point["configuration"]} for point in points]
        fields = [{"System.State": item["fields"]["System.State"]}]
        work_item = {"id": number, "name": item["fields"]["System.Title"], "workItemFields": fields}
        return {"workItem": work_item, "pointAssignments": shown}

    def _cases(self, asked: Asked) -> Reply:
        suite = int(self._suite(asked)["id"])
        numbers = dict.fromkeys(point["case"] for point in self.points.values() if point["suite"] == suite)
        return continued(asked, [self._case(suite, number) for number in numbers], self.largest_page)

    def _add_cases(self, asked: Asked) -> Json:
        suite = self._suite(asked)
        numbers = [entry["workItem"]["id"] for entry in asked.body]
        for number in numbers:
            if self._work_items.latest(number)["fields"]["System.WorkItemType"] != "Test Case":
                raise TroubleError(400, "TestManagementValidationException", f"{number} is not a test case.")
            for name in CONFIGURATIONS:
                point = {"id": next(self._ids), "suite": suite["id"], "case": number, "configuration": name}
                self.points[point["id"]] = {**point, "plan": suite["plan"]["id"]}
        return listed([self._case(suite["id"], number) for number in numbers])

    def _begin(self, asked: Asked) -> Json:
        body, number = asked.body, next(self._ids)
        points = [self.points[wanted] for wanted in body["pointIds"] if wanted in self.points]
        known = [point for point in points if point["plan"] == int(body["plan"]["id"])]
        self.results[number] = [
            {
                "id": 100_000 + index,
                "state": "Pending",
                "outcome": "Unspecified",
                "testPoint": {"id": str(point["id"])},
                "testCase": {"id": str(point["case"]), "name": self._case(0, point["case"])["workItem"]["name"]},
            }
            # Nothing says that they are in the order in which they were asked for.
            for index, point in enumerate(reversed(known))
        ]
        self.runs[number] = {"id": number, "name": body["name"], "state": "InProgress", "plan": body["plan"]}
        return self.runs[number]

    def _run(self, asked: Asked) -> Json:
        return _found(self.runs, asked.places["run"], "TestObjectNotFoundException", "Test run")

    def _change_run(self, asked: Asked) -> Json:
        run = self._run(asked)
        run |= asked.body
        return run

    def _runs(self, asked: Asked) -> Json:
        plan, build = asked.query.get("planId"), asked.query.get("buildUri")
        found = [
            run
            for run in self.runs.values()
            if plan in {None, run.get("plan", {}).get("id")} and build in {None, run.get("buildUri")}
        ]
        if asked.query.get("includeRunDetails") != "true":
            return skipped(asked, [{"id": run["id"], "name": run["name"]} for run in found])
        return skipped(asked, [run | self._counts(run["id"]) for run in found])

    def _counts(self, run: int) -> Json:
        outcomes = [result["outcome"] for result in self.results.get(run, [])]
        return {"totalTests": len(outcomes), "passedTests": outcomes.count("Passed")}

    def publish(self, build: int, name: str, *results: Json) -> int:
        """Let a build publish the results of its tests."""
        number = next(self._ids)
        self.runs[number] = {"id": number, "name": name, "state": "Completed", "isAutomated": True}
        self.runs[number] |= {"buildUri": f"vstfs:///Build/Build/{build}", "build": {"id": str(build)}}
        self.results[number] = [{"id": 100_000 + index, **result} for index, result in enumerate(results)]
        return number

    def _results(self, asked: Asked) -> Json:
        results, outcomes = self.results[self._run(asked)["id"]], asked.query.get("outcomes")
        return skipped(asked, [entry for entry in results if not outcomes or entry["outcome"] in outcomes.split(",")])

    def _record(self, asked: Asked) -> Json:
        results = {result["id"]: result for result in self.results[self._run(asked)["id"]]}
        for change in asked.body:
            results[change["id"]] |= change
        return listed([{"id": change["id"]} for change in asked.body])


def _found(known: dict[int, Json], number: str, key: str, what: str) -> Json:
    if int(number) not in known:
        raise TroubleError(404, key, f"{what} {number} not found.")
    return known[int(number)]
