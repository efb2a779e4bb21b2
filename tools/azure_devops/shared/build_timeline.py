"""The timeline of a build: a tree of its stages, jobs and tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, at, shape
from tools.azure_devops.shared.build_records import build_request

# Types and names of timeline records that the service adds although the pipeline does not define them.
_UNWRITTEN: Final = frozenset({"Phase", "Checkpoint", "__default"})
_DEEPEST: Final = 12
_STAGE: Final = shape("name", "state", "result", id="identifier", attempt="attempt")


class Timeline:
    def __init__(self, document: Mapping[str, Any] | None) -> None:
        # A build that has not started has no timeline.
        self._records: dict[str, Json] = {record["id"]: record for record in (document or {}).get("records") or ()}

    @property
    def stages(self) -> list[Json]:
        return [_STAGE(record) for record in self._in_order() if record["type"] == "Stage"]

    @property
    def approvals(self) -> dict[str, str]:
        """Return the stage of each pending or past approval of a run, by approval id."""
        found = [record for record in self._in_order() if record["type"] == "Checkpoint.Approval"]
        return {record["id"]: str(self._path(record)[0].get("name")) for record in found}

    @property
    def by_log(self) -> dict[int, Json]:
        """Return the records that have a log, by log id."""
        return {record["log"]["id"]: record for record in self._in_order() if record.get("log")}

    def own(self, logs: list[Json]) -> list[Json]:
        """Return the logs. Logs of parent records are left out if they only repeat the logs of their children."""
        whole = {record.get("parentId") for record in self._records.values() if record.get("log")}
        repeating = {log_id for log_id, record in self.by_log.items() if record["id"] in whole}
        return [log for log in logs if log["id"] not in repeating]

    @property
    def failures(self) -> list[Json]:
        """Return the records that failed by themselves, and not only because a child record failed."""
        failed = [record for record in self._in_order() if _has_failed(record)]
        blamed = {record.get("parentId") for record in failed}
        return [record for record in failed if record["id"] not in blamed]

    def step(self, record: Mapping[str, Any]) -> str:
        """Return the path from the stage to a record, as text. Names that the service generated are left out."""
        path = [part for part in self._path(record) if _UNWRITTEN.isdisjoint({part["type"], part["name"]})]
        return " > ".join(part["name"] for part in path)

    def stage(self, name: str) -> str:
        """Return the identifier of a stage, given its identifier or name.

        Raises:
            Refusal: The stage is not found.
        """
        for stage in self.stages:
            if name in {stage["name"], stage.get("id")}:
                return str(stage.get("id") or stage["name"])
        names = ", ".join(stage["name"] for stage in self.stages) or "none"
        raise Refusal(f"Stage {name!r} not found. Stages of the run: {names}.")

    def _path(self, record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        path = [record]
        while (above := self._records.get(path[0].get("parentId") or "")) and len(path) < _DEEPEST:
            path.insert(0, above)
        return path

    def _in_order(self) -> Iterator[Json]:
        yield from sorted(self._records.values(), key=lambda record: [p.get("order") or 0 for p in self._path(record)])


async def timeline_of(devops: AzureDevOps, project: str, build_id: int) -> Timeline:
    return Timeline(await devops.json(build_request(project, build_id, "timeline")))


def errors_of(record: Mapping[str, Any]) -> list[str]:
    return [issue["message"] for issue in record.get("issues") or () if issue.get("type") == "error"]


def _has_failed(record: Mapping[str, Any]) -> bool:
    stopped = at(record, "result") in {"canceled", "abandoned"} and bool(errors_of(record))
    return record.get("result") == "failed" or stopped
