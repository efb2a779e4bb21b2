"""How people ask why something broke, and what changed before."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "what_changed": (
        "what changed before shop web broke, what changed before it broke, why is the app down since yesterday, "
        "why is it down since this morning, what happened before the outage, what could have caused the outage, "
        "root cause of the incident in production, what was deployed or changed before the alert, find the cause "
        "of the incident, the site is down who changed something, since 0 the api answers with errors what "
        "changed, what happened to the web app around 0, postmortem what happened before the incident, timeline of "
        "the incident, it worked yesterday what is different in production, app broke last night what changed, "
        "which change broke the app, qu est ce qui a change avant la panne, cause de la panne en production, was "
        "wurde vor dem ausfall geandert, investigate the outage of the shop, what broke shop web, correlate "
        "changes deployments and alerts"
    ),
}
