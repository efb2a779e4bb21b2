"""How tests are written, put into a plan and run by hand, on a service that remembers."""

from __future__ import annotations

from typing import Any
from xml.parsers.expat import ParserCreate

import pytest
from hypothesis import given as with_any
from hypothesis import strategies

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given
from tools.azure_devops.test_plans.case_steps import CaseStep, shown_steps, steps_as_xml

STEPS = [
    {"action": "Open the oven & look <inside>", "expected": "It is hot"},
    {"action": "Take the bread out\nwith gloves"},
]


async def test_a_test_case_is_written_put_into_a_suite_and_run(caller: Caller) -> None:
    plan = (await given(caller, "create_test_plan", name="Spring", areaPath="Web\\Kitchen"))["id"]
    suite = (await given(caller, "create_test_suite", planId=plan, name="Bread"))["id"]
    made = await given(caller, "create_test_case", title="Bake bread", steps=STEPS, priority=1)
    case = await given(caller, "get_test_case", id=made["id"])
    assert [step["action"].split()[0] for step in case["steps"]] == ["Open", "Take"]
    [added] = (await given(caller, "add_test_cases", planId=plan, suiteId=suite, testCaseIds=[case["id"]]))["items"]
    assert [point["configuration"] for point in added["points"]] == ["Oven", "Grill"]

    [listed] = (await given(caller, "list_test_cases", planId=plan, suiteId=suite))["items"]
    assert listed == added
    read = await given(caller, "get_test_case", id=listed["id"])
    assert read["steps"][0] == {"action": "Open the oven & look \\<inside>", "expected": "It is hot"}

    oven, grill = (point["id"] for point in listed["points"])
    results = [{"point": oven, "outcome": "Passed"}, {"point": grill, "outcome": "Failed", "comment": "Burnt"}]
    run = await given(caller, "record_test_results", planId=plan, name="By hand", results=results)
    assert (run["state"], run["recorded"]) == ("Completed", 2)
    got = (await given(caller, "get_test_results", runId=run["runId"]))["items"]
    assert {(entry["point"], entry["outcome"], entry.get("comment")) for entry in got} == {
        (str(oven), "Passed", None),
        (str(grill), "Failed", "Burnt"),
    }
    failed = await given(caller, "get_test_results", runId=run["runId"], outcomes=["Failed", "Blocked"])
    assert [(entry["test"], entry["outcome"]) for entry in failed["items"]] == [("Bake bread", "Failed")]


async def test_suites_are_below_each_other(caller: Caller) -> None:
    plan = await given(caller, "create_test_plan", name="Spring")
    above = await given(caller, "create_test_suite", planId=plan["id"], name="Bread")
    below = await given(
        caller, "create_test_suite", planId=plan["id"], name="7", parentSuiteId=above["id"], requirementId=7
    )
    assert (below["type"], below["parent"], below["requirement"]) == ("requirementTestSuite", above["id"], 7)
    whole = await given(caller, "get_test_suite", planId=plan["id"], suiteId=above["id"])
    assert [suite["id"] for suite in whole["suites"]] == [below["id"]]
    listed = (await given(caller, "list_test_suites", planId=plan["id"]))["items"]
    assert [suite["id"] for suite in listed] == [plan["rootSuite"], above["id"], below["id"]]


async def test_plans_and_suites_are_listed_in_pieces(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.test_plans.largest_page = 2
    plans = [(await given(caller, "create_test_plan", name=f"Plan {number}"))["id"] for number in range(5)]
    listed = await given(caller, "list_test_plans")
    assert [plan["id"] for plan in listed["items"]] == plans
    cut = await given(caller, "list_test_plans", maxResults=3)
    assert (cut["count"], "more" in cut) == (3, True)
    assert (await given(caller, "get_test_plan", planId=plans[0]))["name"] == "Plan 0"


async def test_runs_are_found_by_plan_and_state(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    for number in range(230):
        state = "InProgress" if number % 2 else "Completed"
        azure_devops.test_plans.runs[number] = {"id": number, "state": state, "plan": {"id": str(number % 5)}}
    found = await given(caller, "list_test_runs", planId=1, state="inProgress", maxResults=50)
    assert [run["id"] for run in found["items"]] == list(range(1, 230, 10))
    cut = await given(caller, "list_test_runs", state="completed", maxResults=110)
    assert (cut["count"], "more" in cut) == (110, True)
    exact = await given(caller, "list_test_runs", state="completed", maxResults=115)
    assert (exact["count"], "more" in exact) == (115, False)


async def test_of_a_run_that_was_begun_is_told_whatever_goes_wrong_then(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    plan = (await given(caller, "create_test_plan", name="Spring"))["id"]
    nowhere = [{"point": 99, "outcome": "Passed"}]
    told = await caller.told("record_test_results", planId=plan, name="By hand", results=nowhere)
    [run] = azure_devops.test_plans.runs
    assert f"Test run {run} was created" in told
    assert "Test points 99 not found in the plan. list_test_cases" in told


async def test_a_run_that_could_not_be_begun_is_not_told_of(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.troubles.append(troubles.forbidden)
    told = await caller.told("record_test_results", planId=5, name="x", results=[{"point": 1, "outcome": "Passed"}])
    assert "was begun" not in told


async def test_steps_are_those_of_a_test_case(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    bug = azure_devops.work_items.add("Web", "Bug", "Smoke")
    assert "is not a test case: its type is Bug" in await caller.told("get_test_case", id=bug)
    assert "is not a test case: its type is Bug" in await caller.told("update_test_case_steps", id=bug, steps=STEPS)
    case = await given(caller, "create_test_case", title="Bake", steps=STEPS)
    changed = await given(caller, "update_test_case_steps", id=case["id"], steps=[{"action": "Wait"}])
    assert (changed["steps"], changed["rev"]) == (1, case["rev"] + 1)
    assert (await given(caller, "get_test_case", id=case["id"]))["steps"] == [{"action": "Wait"}]


@with_any(strategies.lists(strategies.tuples(strategies.text(min_size=1), strategies.text())))
def test_any_steps_are_xml_with_a_part_for_each(texts: list[tuple[str, str]]) -> None:
    steps = [CaseStep(action=action, expected=expected) for action, expected in texts]
    xml = steps_as_xml(steps)
    seen: list[tuple[str, dict[str, str]]] = []
    parser = ParserCreate()
    parser.StartElementHandler = lambda name, attributes: seen.append((name, attributes))
    parser.Parse(xml, True)
    numbers = [attributes["id"] for name, attributes in seen if name == "step"]
    assert numbers == [str(number) for number in range(2, len(steps) + 2)]
    assert seen[0] == ("steps", {"id": "0", "last": str(len(steps) + 1)})
    assert len(shown_steps(xml)) == len(steps)


@with_any(strategies.lists(strategies.text("abc &<>'\"äß/1", min_size=1).map(lambda text: f"x {text.strip()} y")))
def test_plain_steps_come_back_as_they_were(texts: list[str]) -> None:
    shown = shown_steps(steps_as_xml([CaseStep(action=text, expected=text) for text in texts]))
    read = [" ".join(step["action"].replace("\\<", "<").split()) for step in shown]
    assert read == [" ".join(text.split()) for text in texts], "but that Markdown marks what looks like a tag"


@pytest.mark.parametrize(
    ("xml", "steps"),
    [
        ("", []),
        ('<steps id="0" last="1"></steps>', []),
        (
            '<steps id="0" last="4"><compref id="2" ref="17"><step id="3" type="ActionStep">'
            '<parameterizedString isformatted="true">&lt;b&gt;Wash&lt;/b&gt;</parameterizedString>'
            '<parameterizedString isformatted="true"/><description/></step></compref></steps>',
            [{"sharedSteps": 17}, {"action": "Wash"}],
        ),
        ("<step><parameterizedString>half", []),
    ],
)
def test_steps_of_other_hands_are_read(xml: str, steps: list[dict[str, Any]]) -> None:
    assert shown_steps(xml) == steps
