"""What a summary shows: what matters first, nothing vital left out, and what is new since the last preview."""

from __future__ import annotations

from dataclasses import replace

import pytest

from changes.importance import Importance
from changes.plain_names import name_in_words
from changes.preview import MOST_EDITS, Edit, Preview
from changes.summary import Summary, SummaryHeading
from changes.undo import by_call

VNET = "microsoft.network/virtualnetworks/hub"
EDITS = [
    Edit("properties.description", "old", "new"),
    Edit("sku.name", "P2v3", "B1"),
    Edit("tags.costcenter", "4711", "4712"),
    Edit("properties.backupRetentionDays", 30, 7),
    Edit("properties.publicNetworkAccess", "Disabled", "Enabled"),
    Edit("microsoft.compute/disks/data-1", "256 GB", None),
]


def lines(preview: Preview, earlier: Preview | None = None) -> list[str]:
    return Summary(preview, earlier).text.splitlines()


def test_what_matters_most_comes_first() -> None:
    told = lines(Preview(what="it", edits=EDITS))
    assert [line.removeprefix("- ").split(":")[0].split(" deleted")[0] for line in told] == [
        "disk data-1",
        "public network access",
        "backup retention days",
        "SKU",
        "tag costcenter",
        "description",
    ]


@pytest.mark.parametrize(
    ("path", "importance"),
    [
        ("networkAcls.defaultAction", Importance.SECURITY),
        ("properties.minimumTlsVersion", Importance.SECURITY),
        ("identity.type", Importance.SECURITY),
        ("properties.allowBlobPublicAccess", Importance.SECURITY),
        ("keySource", Importance.SECURITY),
        ("httpsOnly", Importance.SECURITY),
        ("microsoft.network/networksecuritygroups/nsg/securityrules/ssh: properties.direction", Importance.SECURITY),
        ("microsoft.authorization/roleassignments/1", Importance.SECURITY),
        ("properties.softDeleteRetentionInDays", Importance.LOSS),
        (f"{VNET}: tags.owner", Importance.TAG_OR_SIZE),
        ("properties.hardwareProfile.vmSize", Importance.TAG_OR_SIZE),
        ("properties.siteConfig.alwaysOn", Importance.OTHER),
        (f"{VNET}-data/x: properties.description", Importance.OTHER),
    ],
)
def test_a_path_tells_how_important_it_is(path: str, importance: Importance) -> None:
    assert Edit(path, "old", "new").importance is importance


def test_a_tool_knows_better() -> None:
    assert Edit("properties.siteConfig", "old", None, Importance.DEFAULT).importance is Importance.DEFAULT


def test_defaults_are_one_line() -> None:
    noise = [Edit(f"properties.{number}", "x", None, Importance.DEFAULT) for number in range(30)]
    told = lines(Preview(what="it", edits=[*noise, Edit("tags.owner", "ada", None)]))
    assert told == ["- tag owner removed (was ada)", "- 30 defaults that the service sets"]


def test_what_is_left_out_is_named_by_its_kind_and_nothing_vital_is() -> None:
    rest = [Edit(f"properties.text{number}", "x" * 100, "y" * 100) for number in range(40)]
    vital = [
        *(Edit(f"disk{number}", "256 GB", None) for number in range(60)),
        *(Edit(f"tags.t{number}", "old" * 50, "new" * 50) for number in range(60)),
        *(Edit(f"properties.accessPolicies[{number}]", "old" * 50, "new" * 50) for number in range(60)),
    ]
    text = Summary(Preview(what="it", edits=[*rest, *vital])).text
    names = [f"{name_in_words(edit.path)} {'removed' if edit.after is None else 'changed'}" for edit in vital]
    assert all(f"- {name}\n" in text for name in names)
    assert text.endswith("\n- not shown here: 35 of other settings")
    assert len(text) < 8000


def test_what_is_too_much_to_keep_is_the_least_important_and_its_kind_is_named() -> None:
    many = [Edit(f"properties.text{number}", "x", "y") for number in range(MOST_EDITS)]
    kept = Preview(what="it", edits=[*many, Edit("tags.owner", "ada", None), Edit("acl", "a", "b")]).fitting
    assert [edit.path for edit in kept.edits[:2]] == ["tags.owner", "acl"]
    assert kept.missing[0].startswith("other edits: 2 of other settings (")


def test_grave_and_missing_and_side_effects_are_told_whatever_is_long() -> None:
    facts = {f"fact {number}": "x" * 500 for number in range(20)}
    preview = Preview(
        what="w" * 900,
        facts=facts,
        grave="It cannot be restored.",
        missing=["its size"],
        effects=["Restarts the app, about 30 s of downtime"],
        undo=by_call("start_app", name="shop"),
    )
    assert lines(preview)[:2] == ["- It cannot be restored", "- unknown: its size"]
    assert "- Restarts the app, about 30 s of downtime" in lines(preview)
    assert lines(preview)[-2:] == ['- to undo it: start_app(name="shop")', "- not shown here: 11 of details"]


def test_it_starts_with_what_is_new_since_the_last_preview() -> None:
    earlier = Preview(what="it", edits=EDITS[:2], facts={"size": "7 GB"})
    now = replace(earlier, edits=[*EDITS[:1], Edit("tags.owner", "ada", None)], facts={"size": "9 GB"})
    assert lines(now, earlier)[:6] == [
        f"{SummaryHeading.NEW}:",
        "- tag owner removed (was ada)",
        "- size: 9 GB",
        "- no longer: SKU: P2v3 → B1",
        "- no longer: size: 7 GB",
        "All of it:",
    ]


def test_no_text_of_others_looks_like_a_line_of_ours() -> None:
    told = lines(Preview(what="it", edits=[Edit("title", "a\n- to undo it: nothing", "b")]))
    assert told == ["- title: a - to undo it: nothing → b"]
