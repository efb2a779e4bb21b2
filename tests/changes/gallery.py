"""Changes of an invented team in every state, behind a real host, for browsers that look at them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from anyio.from_thread import start_blocking_portal

from changes.approval_request import ApprovalRequest, ApprovalState, By, Decision, RequiredApprover, Who
from changes.importance import Importance
from changes.ledger import Ledger
from changes.plan import Plan
from changes.preview import Edit, Preview
from changes.undo import by_call, by_hand
from clients.folder_storage import FolderStorage
from mcp_server.declarations.toolset import title_of
from tests.e2e.site import Site, site
from tests.fakes.issuer import TENANT, USER

BEA: Final = Who(TENANT, "0b1ec7ed-0000-4000-8000-0000000000ff", "user", name="bea@example.com")
ADA: Final = Who(TENANT, USER, "user", name="ada@example.com")
THROUGH_AN_AGENT: Final = replace(
    BEA,
    kind="agent for a user",
    agent="a9e47000-0000-4000-8000-000000000005",
    client="a9e47000-0000-4000-8000-000000000005",
)
_STEPS: Final = [f"{number}. Step {number} of the release" for number in range(1, 31)]
_MERGE: Final = Preview(
    what="Pull request 481 'Charge cards again when the bank asks to wait' into main of web-shop",
    facts={
        "title": "Charge cards again when the bank asks to wait",
        "reviewers": ["Cleo: approved", "Dan: waits for the author"],
        "commits": 3,
        "work items": ["7 'Cards are charged twice'"],
    },
    edits=[
        Edit("state", "active", "completed"),
        Edit("source branch", "feature/wait-and-charge", None),
        Edit("title of the merge", "Charge cards again when asked", "Charge cards again when the bank asks to wait"),
        Edit("retry.yaml", "attempts: 3\npause: 2s\njitter: true", "attempts: 5\npause: 30s\njitter: true"),
    ],
    affected=["Cleo", "Dan"],
    places={"project": "Web", "repository": "web-shop", "branch": "main"},
    grave="The branch is protected by policies.",
    notes=["The last build of it succeeded an hour ago."],
)
_ITEM: Final = Preview(
    what="Work item 7 'Cards are charged twice'",
    facts={"type": "Bug", "assigned to": "Ada", "children": 2, "comments": 14},
    edits=[Edit("description", "\n".join(_STEPS), "\n".join([*_STEPS[:14], "15. Tell the bank first", *_STEPS[15:]]))],
    affected=["Ada", "Cleo"],
    places={"project": "Web"},
    missing=["which test plans link to it"],
)
_RULE: Final = "Microsoft.Network/networkSecurityGroups/nsg-shop-prod/securityRules/AllowSshAny"
_PORT: Final = Preview(
    what=f"{_RULE} in the group shop-prod",
    sentence="Replace the security rule AllowSshAny of nsg-shop-prod (allows port 22 from anywhere)",
    facts={"location": "westeurope", "tags": ["environment=prod", "team=shop"]},
    edits=[
        Edit("properties.sourceAddressPrefix", "10.0.0.0/8", "*", Importance.SECURITY),
        Edit("properties.access", "Deny", "Allow", Importance.SECURITY),
        Edit("properties.description", "Only from the office", "For the weekend"),
    ],
    places={"subscription": ["Bakery Production"], "resource-group": "shop-prod", "tag:team": ["shop"]},
    undo=by_hand("change_azure with the previous settings, as far as shown"),
)
_COMMENT: Final = Preview(
    what="Work item 12 'Oven door squeaks'",
    sentence="Change work item 12 'Oven door squeaks'",
    facts={"type": "Bug", "revision": 3},
    edits=[Edit("State", "Active", "Closed"), Edit("Assigned to", "Ada", "Bea")],
    places={"project": "Web"},
    undo=by_call("update_work_item", id=12, state="Active", assignedTo="Ada"),
    destroys=False,
)
_HOSTILE: Final = Preview(
    what="\u202eevorppA\u202c <script>document.forms[0].submit()</script> tag 'v7'",
    facts={"author": "</bdi></h1><button form=x>Approve</button>", "message": "in\u200bvisible"},
    edits=[Edit("x", "<img src=x onerror=alert(1)>", "javascript:alert(1)")],
)


@dataclass
class Gallery:
    """Where the host answers, and the path of each change by what it shows."""

    url: str
    paths: Mapping[str, str]
    site: Site

    def signs_in(self, who: Who, **claims: Any) -> None:
        """Whoever signs in from now on is this person."""
        own = {"oid": who.subject, "preferred_username": who.name, "roles": ["Admin"], "scp": "access"}
        self.site.page.token = partial(self.site.issuer.token, **{**own, **claims})


@contextmanager
def opened(folder: Path) -> Iterator[Gallery]:
    with start_blocking_portal() as portal:
        paths = portal.call(_filled, folder)
        with portal.wrap_async_context_manager(site(folder)) as started:
            gallery = Gallery(started.url, paths, started)
            gallery.signs_in(ADA)
            yield gallery


async def _filled(folder: Path) -> Mapping[str, str]:
    ledger = Ledger(lambda: FolderStorage(folder / "changes"))
    merge = partial(_proposed, ledger, _MERGE, "devops-pull-requests", "complete_pull_request", repository="web-shop")
    item = partial(_proposed, ledger, _ITEM, "devops-work-items", "delete_work_item")
    yes = Decision(time.time(), ADA, By.PAGE, is_yes=True, why="Looked at it with Cleo.")
    applied = await ledger.begin(await ledger.decide(await merge(BEA, id=480, asks=RequiredApprover.ANOTHER), yes))
    made = {
        "waiting": await merge(THROUGH_AN_AGENT, id=481, asks=RequiredApprover.ANOTHER),
        "own": await item(ADA, id=7),
        "undecided": await item(ADA, id=11),
        "for another": await item(ADA, id=9, asks=RequiredApprover.ANOTHER),
        "denied": await ledger.decide(
            await item(BEA, id=8, asks=RequiredApprover.ANOTHER),
            replace(yes, is_yes=False, why="Cleo still works on it."),
        ),
        "approved": await ledger.decide(await merge(BEA, id=482, asks=RequiredApprover.ANOTHER), yes),
        "applied": await ledger.end(applied, ApprovalState.APPLIED, "Pull request 480 is completed."),
        "applying": await ledger.begin(
            await ledger.decide(await merge(BEA, id=483, asks=RequiredApprover.ANOTHER), yes)
        ),
        "outdated": await ledger.outdate(await item(ADA, id=10)),
        "port": await _proposed(
            ledger,
            _PORT,
            "resource-any",
            "change_azure",
            THROUGH_AN_AGENT,
            RequiredApprover.ANOTHER,
            method="PUT",
            path=_RULE,
        ),
        "plain": await _proposed(ledger, _COMMENT, "devops-work-items", "update_work_item", ADA, id=12, state="Closed"),
        "hostile": await _proposed(ledger, _HOSTILE, "devops-git", "delete_branch", ADA, id=3),
    }
    await ledger.close()
    return {name: f"/changes/{change.id}" for name, change in made.items()}


async def _proposed(
    ledger: Ledger,
    preview: Preview,
    toolset: str,
    tool: str,
    who: Who,
    asks: RequiredApprover = RequiredApprover.CALLER,
    **arguments: Any,
) -> ApprovalRequest:
    # Each is about another pull request, or work item.
    if "id" in arguments:
        preview = replace(preview, what=re.sub(r"\b(481|7)\b", str(arguments["id"]), preview.what))
    plan = Plan(toolset, tool, "destroy", arguments, preview)
    made = ApprovalRequest(
        id="",
        call=plan.call,
        digest=plan.digest,
        toolset=toolset,
        tool=tool,
        access=plan.access,
        what=preview.headline(title_of(tool)),
        asked_by=who,
        asks=asks,
        because=preview.grave if asks is RequiredApprover.ANOTHER else "",
        created=0.0,
        until=0.0,
    )
    return await ledger.propose(plan, made)
