"""What a summary shows: what matters first, nothing vital left out, and what is new since the last preview."""

from __future__ import annotations

from dataclasses import replace

import pytest

from changes.importance import Importance
from changes.plain_names import name_in_words
from changes.preview import MOST_EDITS, Edit, Fact, Preview
from changes.summary import Summary, SummaryHeading
from changes.undo import by_call, by_hand

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
        (
            "microsoft.managedidentity/userassignedidentities/x/federatedidentitycredentials/y",
            Importance.SECURITY,
        ),
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


DISK = "microsoft.compute/disks/data-1"


@pytest.mark.parametrize(
    ("path", "before", "after", "text"),
    [
        (DISK, None, '256 GB disk: {"sku": 1}', "disk data-1 created: 256 GB disk …"),
        (DISK, '256 GB disk: {"sku": 1}', None, "disk data-1 deleted (was 256 GB disk …)"),
        (DISK, None, "plain words", "disk data-1 created: plain words"),
        (DISK, "a" * 61, None, f"disk data-1 deleted (was {'a' * 60}…)"),
        (DISK, "a" * 61 + '{"b": 1}', None, f"disk data-1 deleted (was {'a' * 61} …)"),
        (DISK, None, "a" * 121, f"disk data-1 created: {'a' * 120}…"),
        (DISK, "x", "y", "disk data-1: x → y"),
        (DISK, None, 5, "disk data-1 created: 5"),
        (DISK, 5, None, "disk data-1 deleted (was 5)"),
        ("tags.x", None, None, "tag x removed"),
        ("tags.x", "a" * 60, None, f"tag x removed (was {'a' * 60})"),
        ("tags.x", "a" * 61, None, f"tag x removed (was {'a' * 60}…)"),
        ("tags.x", "a" * 61, "", f"tag x emptied (was {'a' * 60}…)"),
        ("tags.x", "a", [], "tag x emptied (was a)"),
        ("tags.x", "", "b", "tag x added: b"),
        ("tags.x", None, 'a thing: {"b": 1}', "tag x added: a thing …"),
        ("tags.x", None, 'a thing: {"b": 1', 'tag x added: a thing: {"b": 1'),
        ("tags.x", None, ': {"b": 1}', 'tag x added: : {"b": 1}'),
        ("tags.x", None, True, "tag x added: yes"),
        ("tags.x", False, True, "tag x: no → yes"),
        ("tags.x", ["a", "b"], ["c"], "tag x: a, b → c"),
        ("tags.x", "a" * 120, "b" * 121, f"tag x: {'a' * 120} → {'b' * 120}…"),
        ("tags.x", 3, 0, "tag x: 3 → 0"),
        (f"tags.{'a' * 196}", None, None, f"tag {'a' * 196} removed"),
        (f"tags.{'a' * 197}", None, None, f"tag {'a' * 196}… removed"),
    ],
)
def test_an_edit_is_one_line(path: str, before: Fact, after: Fact, text: str) -> None:
    assert lines(Preview(what="it", edits=[Edit(path, before, after)])) == [f"- {text}"]


def test_of_up_to_forty_vital_lines_the_values_are_told() -> None:
    edits = [
        Edit("tags.added", None, "secret"),
        Edit("tags.changed", "secret", "x"),
        Edit("tags.removed", "secret", None),
        Edit(DISK, None, "secret"),
        Edit("microsoft.compute/disks/data-2", None, 'small disk: {"size": "secret"}'),
    ]
    for count, is_told in ((34, True), (35, False)):
        more = [Edit(f"tags.t{number}", "a", "b") for number in range(count)]
        told = lines(Preview(what="it", edits=[*more, *edits], cost="It costs 5 € more."))
        assert any("secret" in line for line in told) == is_told
        assert {"- disk data-2 created: small disk …", "- It costs 5 € more."} <= {*told}
        if not is_told:
            assert {f"- tag {one} {one}" for one in ("added", "changed", "removed")} <= {*told}
            assert {"- disk data-1 added", "- tag t0 changed"} <= {*told}


def test_optional_lines_fit_into_1200_characters() -> None:
    edits = [Edit(f"a{number:02}", "x" * 51, "y" * 51) for number in range(12)]  # 110 letters each
    assert len(lines(Preview(what="it", edits=edits, facts={"size": "7 GB"}))[0]) == 2 + 110
    told = lines(Preview(what="it", edits=edits))
    assert (len(told), told[-1]) == (11, '- not shown here: 2 of "Other settings"')
    exact = [*edits[:10], Edit("a10", "x" * 41, "y" * 41)]  # 10 * 110 + 90
    assert len(lines(Preview(what="it", edits=[*exact, Edit("b", 1, 2)]))) == 12
    facts = {"fact": "z" * 94}  # `fact: ` before it: 100 letters
    assert lines(Preview(what="it", edits=edits[:10], facts=facts))[-1] == f"- fact: {'z' * 94}"
    assert (
        lines(Preview(what="it", edits=edits[:10], facts={"facts": "z" * 94}))[-1] == '- not shown here: 1 of "Details"'
    )


def test_what_costs_and_whom_it_concerns_are_told() -> None:
    told = lines(
        Preview(what="it", cost="About 12 EUR a month more.", affected=["Ada"], facts={"none": "", "nil": None})
    )
    assert told == ["- About 12 EUR a month more.", "- concerns Ada"]


def test_what_else_is_new_is_another_sentence_or_what_is_too_long_to_tell() -> None:
    earlier = Preview(what="it")
    assert lines(earlier, earlier)[:2] == [f"{SummaryHeading.NEW}:", "- details that are too long to show"]
    moved = Preview(what="it", places={"name": ["a", "c"], "tag:": None})
    assert lines(moved, Preview(what="it", places={"name": ["a", "b"]}))[1:3] == [
        "- also affects name c",
        "- no longer affects name b",
    ]
    unknown = Preview(what="it", places={"name": None})
    assert lines(unknown, moved)[1:2] == ["- name: now unknown"]
    assert lines(moved, unknown)[1:2] == ["- name: no longer unknown"]
    assert lines(Preview(what="that"), earlier)[1:3] == ["- that", "- no longer: it"]
    assert lines(Preview(what="it", sentence="Delete it"), earlier)[1:3] == ["- Delete it", "- no longer: it"]


def test_each_doubt_is_told_without_its_full_stop() -> None:
    sections = Summary(Preview(what="it", grave="Grave.", doubt="Doubt.", missing=["its size"])).sections
    assert [(line.text, line.full) for line in sections[0].lines] == [
        ("Grave", "Grave."),
        ("Doubt", "Doubt."),
        ("unknown: its size", "Unknown: its size"),
    ]


def test_how_it_is_undone_is_a_sentence_on_the_page() -> None:
    (section,) = Summary(Preview(what="it", undo=by_hand("Start it"))).sections
    assert [(line.text, line.full) for line in section.lines] == [
        ("no single call undoes it: Start it", "No single call undoes it: Start it")
    ]


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
    assert text.endswith('\n- not shown here: 35 of "Other settings"')
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
    assert lines(preview)[-2:] == ['- to undo it: start_app(name="shop")', '- not shown here: 11 of "Details"']


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


DISK = "microsoft.compute/disks/data-1"


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (Edit(DISK, None, '256 GB: {"sku": "P30"}'), "disk data-1 created: 256 GB …"),
        (Edit(DISK, '256 GB: {"sku": "P30"}', None), "disk data-1 deleted (was 256 GB …)"),
        (Edit(DISK, '256 GB: {"sku": "P30"}', '512 GB: {"sku": "P40"}'), "disk data-1 changed"),
        (Edit(DISK, None, "256 GB"), "disk data-1 added"),
        (Edit(DISK, None, 256), "disk data-1 added"),
        (Edit(f"{DISK}: tags.owner", None, 'ada: {"a": 1}'), "disk data-1: tag owner added"),
        (Edit("tags.owner", "ada", None), "tag owner removed"),
        (Edit("tags.owner", "ada", "grace"), "tag owner changed"),
    ],
)
def test_a_line_without_values_keeps_the_description_of_a_whole_resource(edit: Edit, line: str) -> None:
    (section,) = Summary(Preview(what="it", edits=[edit])).sections
    assert [one.without_values for one in section.lines] == [line]
