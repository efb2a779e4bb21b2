"""Changing the bakery's apps: settings that nobody is told, slots that change places, plans that others share."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.azure import troubles
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident
from tests.sweeps import examples
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.running_changes import ORDERS, PLAN, WEB, WORKER, at_work, resource
from tests.tools.azure.team import ASKING, team

STAGING: Final = f"{WEB}/slots/staging"
PAYMENT: Final = "invented-new-payment-secret"
SETTING: Final = {"app": ORDERS, "values": {"PAYMENT_KEY": PAYMENT}}


def set_to(azure: FakeAzure, place: str) -> dict[str, str]:
    found: dict[str, str] = azure.app_service.settings(place)["appsettings"]
    return found


async def test_a_setting_is_set_and_all_others_stay() -> None:
    azure = FakeAzure()
    before = dict(set_to(azure, ORDERS))
    async with asking(azure) as caller:
        told = await answered(caller, "set_app_settings", **SETTING, remove=["SHOP_URL"])
    expected = {**before, "PAYMENT_KEY": PAYMENT}
    del expected["SHOP_URL"]
    assert set_to(azure, ORDERS) == expected
    assert (told["set"], told["removed"]) == (["PAYMENT_KEY"], ["SHOP_URL"])


async def test_a_preview_names_settings_as_added_changed_and_removed() -> None:
    azure = FakeAzure()
    values = {"PAYMENT_KEY": PAYMENT, "NEW": "words"}
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "set_app_settings", app=ORDERS, values=values, remove=["SHOP_URL"])
        shown = await people.shown(words)
    assert [(one.path, one.before, one.after) for one in shown.edits] == [
        ("setting NEW", None, "the value passed"),
        ("setting PAYMENT_KEY", "a value", "the value passed"),
        ("setting SHOP_URL", "a value", None),
    ]
    assert shown.facts["stay with their slot"] == ["SHOP_URL"]
    assert shown.effects == ["Restarts the app"]


async def test_settings_that_have_these_values_already_are_not_sent() -> None:
    azure = FakeAzure()
    same = {"PAYMENT_KEY": set_to(azure, ORDERS)["PAYMENT_KEY"]}
    async with team(azure, ASKING) as people:
        told = await answered(people.member("ada"), "set_app_settings", app=ORDERS, values=same)
    assert (told["status"], "nothing was sent" in told["note"]) == ("unchanged", True)
    assert not [one for one in azure.asked if one.method == "PUT"]


async def test_a_preview_does_not_tell_which_value_is_guessed() -> None:
    azure = FakeAzure()
    shown = []
    async with team(azure, ASKING) as people:
        for value in (set_to(azure, ORDERS)["PAYMENT_KEY"], "another"):
            arguments: dict[str, Any] = {"app": ORDERS, "values": {"PAYMENT_KEY": value, "NEW": "words"}}
            words = await refused(people.member("ada"), "set_app_settings", **arguments)
            shown.append((await people.shown(words)).document)
    assert shown[0] == shown[1]


async def test_a_set_that_somebody_changed_after_the_agreement_is_shown_anew() -> None:
    azure = FakeAzure()
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "set_app_settings", **SETTING)
        await people.decides("bea", words)
        async with asking(azure) as somebody:
            await answered(somebody, "set_app_settings", app=ORDERS, values={"PAYMENT_KEY": "of somebody else"})
        again = await refused(people.member("ada"), "set_app_settings", **SETTING)
    assert "/changes/" in again
    assert set_to(azure, ORDERS)["PAYMENT_KEY"] == "of somebody else"


async def test_a_set_that_somebody_changed_after_the_last_look_is_not_written() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await refused(caller, "set_app_settings", **SETTING, seen="what was there before")
    assert "changed after the preview, so nothing was written" in told
    assert not [one for one in azure.asked if one.method == "PUT"]


async def test_where_app_service_gives_an_etag_it_decides_between_two() -> None:
    azure = FakeAzure()
    azure.app_changes.gives_etags = True
    async with asking(azure) as caller:
        await answered(caller, "set_app_settings", **SETTING)
        (written,) = [one for one in azure.asked if one.method == "PUT"]
        assert written.headers["If-Match"]
        azure.accidents.append(
            Accident("PUT", "appsettings", troubles.failing(412, "PreconditionFailed", "It was changed."))
        )
        assert "changed in the meantime" in await refused(caller, "set_app_settings", app=ORDERS, values={"A": "b"})


async def test_two_who_set_something_at_once_lose_nothing_or_are_told() -> None:
    azure = FakeAzure()
    azure.app_changes.gives_etags = True
    async with asking(azure) as caller:
        told = await asyncio.gather(
            *(caller.call("set_app_settings", app=ORDERS, values={name: "words"}) for name in ("ONE", "TWO"))
        )
    done = {name for name, one in zip(("ONE", "TWO"), told, strict=True) if not one["isError"]}
    assert done
    assert done <= set_to(azure, ORDERS).keys()


async def test_settings_are_marked_to_stay_before_they_are_set_and_unmarked_likewise() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await answered(caller, "set_app_settings", **SETTING, sticky=True)
        kept = resource(azure, f"{ORDERS}/config/slotConfigNames").properties["appSettingNames"]
        assert sorted(kept) == ["PAYMENT_KEY", "SHOP_URL"]
        written = [one.path.rpartition("/")[2] for one in azure.asked if one.method == "PUT"]
        assert written == ["slotConfigNames", "appsettings"]
        await answered(caller, "set_app_settings", app=ORDERS, values={"SHOP_URL": "x"}, sticky=False)
    kept = resource(azure, f"{ORDERS}/config/slotConfigNames").properties["appSettingNames"]
    assert kept == ["PAYMENT_KEY"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "Pass `values`"),
        ({"values": {"A": "b"}, "remove": ["A"]}, "both set and removed"),
        ({"remove": ["NONE"]}, "Settings not found: NONE"),
        ({"values": {"payment_key": "x"}}, "has this setting as PAYMENT_KEY"),
        ({"values": {"a b": "x"}}, "values"),
        ({"values": {"A": "x" * 9000}}, "values"),
    ],
)
async def test_what_cannot_be_meant_is_refused_and_no_value_repeated(arguments: dict[str, Any], words: str) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await refused(caller, "set_app_settings", app=ORDERS, **arguments)
    assert words in told
    assert "xxx" not in told
    assert not [one for one in azure.asked if one.method == "PUT"]


@settings(max_examples=examples(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    value=st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=80).filter(lambda one: one.strip()),
    fault=st.sampled_from(
        ["", "echoed", "cut before", "cut after", "broken", "no json", "locked", "forbidden", "look fails"]
    ),
    asks=st.booleans(),
)
async def test_no_value_of_a_setting_is_in_anything_answered_kept_or_logged(
    value: str, fault: str, asks: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    value = f"§{value}§"
    azure = FakeAzure()
    set_to(azure, ORDERS)["OTHER"] = f"{value}-of-others"
    echoed = troubles.failing(400, "BadRequest", f"The value '{value}' and '{value}-of-others' is invalid.")
    faults = {
        "echoed": Accident("PUT", "appsettings", echoed),
        "cut before": Accident("PUT", "appsettings", troubles.cut_connection),
        "cut after": Accident("PUT", "appsettings", troubles.cut_body, is_done=True),
        "broken": Accident("PUT", "appsettings", troubles.broken),
        "no json": Accident("PUT", "appsettings", troubles.no_json, is_done=True),
        "locked": Accident("PUT", "appsettings", troubles.failing(409, "ScopeLocked", "locked: 'x'.")),
        "forbidden": Accident("PUT", "appsettings", troubles.failing(403, "AuthorizationFailed", "No.")),
        "look fails": Accident("POST", "appsettings/list", echoed),
    }
    azure.accidents += [faults[fault]] if fault else []
    async with team(azure, *([ASKING] if asks else [])) as people:
        arguments = {"app": ORDERS, "values": {"PAYMENT_KEY": value}}
        told = [await people.member("ada").call("set_app_settings", **arguments)]
        if asks and not fault:
            words = told[0]["content"][0]["text"]
            await people.decides("bea", words)
            told.append(await people.member("ada").call("set_app_settings", **arguments))
            change = await people.change(words)
            told += [repr(change), (await people.approvals.kept().shown(change)).preview.document]
    everything = json.dumps(told, ensure_ascii=False, default=str) + caplog.text
    assert value not in everything
    assert json.dumps(value, ensure_ascii=False)[1:-1] not in everything


# Slots


async def test_a_swap_shows_what_differs_what_stays_and_which_versions_change_places() -> None:
    azure = at_work()
    resource(azure, WEB)
    async with asking(azure) as caller:
        await answered(caller, "set_app_settings", app=STAGING, values={"SLOT_NAME": "invented-slot"}, sticky=True)
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "swap_app_slots", app=WEB, slot="staging")
        shown = await people.shown(words)
        everything = json.dumps(shown.document)
    names = ["AppSettings FLAGS", "AppSettings SLOT_NAME", "General alwaysOn", "General linuxFxVersion"]
    assert shown.facts["differences"] == names
    assert shown.facts["stays with its slot"] == ["SLOT_NAME"]
    assert "PYTHON|3.13, deployment 9a8b7c6d5e4f" in str(shown.facts["version in staging"])
    assert "PYTHON|3.12, deployment 1f0c9a8b7e6d" in str(shown.facts["version in production"])
    assert shown.facts["auto swap into"] == "production"
    assert "invented-flags" not in everything
    assert "invented-staging-flags" not in everything


async def test_a_swap_changes_versions_and_settings_and_is_taken_back() -> None:
    azure = at_work()
    async with asking(azure) as caller:
        await answered(caller, "swap_app_slots", app=WEB, slot="staging")
        assert set_to(azure, WEB)["FLAGS"] == "invented-staging-flags"
        assert resource(azure, WEB).properties["siteConfig"]["linuxFxVersion"] == "PYTHON|3.13"
        await answered(caller, "roll_back_app", app=WEB)
    assert set_to(azure, WEB)["FLAGS"] == "invented-flags"
    assert resource(azure, WEB).properties["siteConfig"]["linuxFxVersion"] == "PYTHON|3.12"


async def test_a_slot_that_got_something_new_after_the_agreement_is_shown_anew() -> None:
    azure = at_work()
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "swap_app_slots", app=WEB, slot="staging")
        await people.decides("bea", words)
        set_to(azure, STAGING)["NEWEST"] = "words"
        again = await refused(people.member("ada"), "swap_app_slots", app=WEB, slot="staging")
    assert "/changes/" in again
    assert not [one for one in azure.asked if one.path.endswith("slotsswap")]


async def test_an_app_that_was_not_swapped_has_nothing_to_go_back_to() -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "roll_back_app", app=ORDERS)
    assert "no slot swap to roll back" in told
    assert "list_app_deployments" in told


@pytest.mark.parametrize("into", ["staging", "Staging"])
async def test_a_slot_is_not_swapped_with_itself(into: str) -> None:
    async with asking(FakeAzure()) as caller:
        assert "with itself" in await refused(caller, "swap_app_slots", app=WEB, slot="staging", into=into)


# Container apps, plans, clusters


async def test_requests_go_back_to_the_revision_before_the_one_that_crashes() -> None:
    azure = at_work()
    resource(azure, f"{WORKER}/revisions/oven-worker--k8s2f4c").properties["active"] = False
    async with asking(azure) as caller:
        told = await answered(caller, "roll_back_app", app=WORKER)
    assert told["revision"] == "oven-worker--k8s2f4c"
    before = resource(azure, f"{WORKER}/revisions/oven-worker--k8s2f4c").properties
    assert (before["active"], before["trafficWeight"]) == (True, 100)


async def test_an_app_that_keeps_one_revision_is_not_led_to_another() -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "roll_back_app", app="oven-api")
    assert "single revision mode" in told


async def test_a_plan_is_scaled_for_all_apps_on_it_and_these_are_named_first() -> None:
    azure = FakeAzure()
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "scale_app", app=WEB, instances=5, sku="P2v3")
        shown = await people.shown(words)
    assert {"shop-web", "shop-orders"} <= set(shown.facts["apps on it"])  # type: ignore[arg-type]  # it is a list
    assert [(one.path, one.before, one.after) for one in shown.edits] == [
        ("size", "P1v3", "P2v3"),
        ("instances", 2, 5),
    ]
    async with asking(azure) as caller:
        await answered(caller, "scale_app", app=WEB, instances=5, sku="P2v3")
    assert resource(azure, PLAN).document["sku"]["capacity"] == 5


@pytest.mark.parametrize(
    ("app", "arguments", "words"),
    [
        (WEB, {"least": 1}, "Pass `instances` or `sku`"),
        (WORKER, {"instances": 2}, "Pass `least` or `most`"),
        (WORKER, {"least": 9, "most": 3}, "must not exceed `most`"),
        ("oven-aks", {"instances": 2}, "kubectl"),
        (WEB, {}, "to scale the app"),
    ],
)
async def test_an_app_is_scaled_by_what_it_has(app: str, arguments: dict[str, int], words: str) -> None:
    async with asking(FakeAzure()) as caller:
        assert words in await refused(caller, "scale_app", app=app, **arguments)


@pytest.mark.parametrize(("tier", "kind"), [("Dynamic", "Consumption"), ("FlexConsumption", "Flex Consumption")])
async def test_an_app_on_a_plan_that_scales_automatically_is_not_scaled(tier: str, kind: str) -> None:
    azure = at_work()
    resource(azure, PLAN).document["sku"]["tier"] = tier
    async with asking(azure) as caller:
        told = await refused(caller, "scale_app", app=WEB, instances=5)
    assert f"is on a {kind} plan, which scales automatically" in told
    assert not [one for one in azure.asked if one.method in {"PUT", "PATCH"}]


async def test_scaling_a_container_app_keeps_all_its_scale_rules() -> None:
    azure = FakeAzure()
    rules = [
        {"name": "http", "http": {"metadata": {"concurrentRequests": "20"}}},
        {"name": "cpu", "custom": {"type": "cpu"}},
    ]
    scale = resource(azure, WORKER).properties["template"].setdefault("scale", {})
    scale["rules"] = rules
    async with asking(azure) as caller:
        await answered(caller, "scale_app", app=WORKER, least=2, most=7)
    (sent,) = [json.loads(one.content) for one in azure.asked if one.method == "PATCH"]
    # Azure replaces the rules by those that it is sent.
    assert sent["properties"]["template"]["scale"] == {"minReplicas": 2, "maxReplicas": 7, "rules": rules}


@pytest.mark.parametrize("app", ["shop-orders", "oven-api", "oven-aks", "shop-web/staging"])
async def test_apps_of_all_kinds_are_stopped_and_started(app: str) -> None:
    azure = FakeAzure()
    async with asking(azure, OWNER) as caller:
        for tool in ("stop_app", "start_app"):
            assert (await answered(caller, tool, app=app))["status"] == "done"


async def test_what_was_changed_is_seen_at_once() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await answered(caller, "show_app", app=ORDERS)
        await answered(caller, "stop_app", app=ORDERS)
        assert (await answered(caller, "show_app", app=ORDERS))["state"].startswith("Stopped")


async def test_what_azure_is_still_at_is_told_with_how_to_look_again() -> None:
    azure = at_work()
    azure.work.never_ends = True
    async with asking(azure) as caller:
        told = await answered(caller, "swap_app_slots", app=WEB, slot="staging")
    assert told["status"] == "under way"
    assert told["look_again"] == f"show_app(app={WEB!r})"
