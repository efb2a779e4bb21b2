"""All that Azure Monitor and Resource Health tell of the invented Azure, each part with a way to add to it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate
from tests.fakes.azure.monitor.activity import ActivityLog
from tests.fakes.azure.monitor.alerts import Alerts
from tests.fakes.azure.monitor.health import Health
from tests.fakes.azure.monitor.logs import Logs
from tests.fakes.azure.monitor.marks import Marks
from tests.fakes.azure.monitor.metrics import Metrics
from tests.fakes.azure.routes import Route


class Monitored:
    def __init__(self, estate: Estate, access: Access, now: datetime) -> None:
        self.activity = ActivityLog(estate, access, now)
        self.health = Health(estate, access)
        self.alerts = Alerts(estate, access, now)
        self.metrics = Metrics(estate, access)
        self.logs = Logs(estate, access)
        self.marks = Marks(estate, access)

    @property
    def routes(self) -> Iterable[Route]:
        for part in (self.activity, self.health, self.alerts, self.metrics, self.logs, self.marks):
            yield from part.routes
