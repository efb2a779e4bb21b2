"""What runs at the invented bakery: deployments, revisions, replicas, pools, recipes, queues and what they hold."""

from __future__ import annotations

import pickle
import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.fakes.azure.access import Access
from tests.fakes.azure.bus.service import Bus
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Json
from tests.fakes.azure.running.services import AppService

_FILE: Final = Path(__file__).with_name("bakery.yaml")
_HOURS: Final = re.compile(r"\^(-\d+)h")


def running(estate: Estate, access: Access, now: datetime) -> AppService:
    """Add what runs to what there is, and answer what tells of it besides."""
    written = _written()
    by_name = {str(one.document["name"]): one for one in estate.resources.values()}
    for name, more in written["also"].items():
        by_name[name].properties.update(_resolved(more, by_name, now))
    for one in written["children"]:
        estate.add(_child(one, by_name, now))
    return AppService(estate, access, now, written["secrets"], written["logs"])


def waiting(bus: Bus) -> None:
    """Let messages wait where they do at the bakery."""
    for place, found in _written()["messages"].items():
        for one in found:
            bus.put(place, one.pop("text"), **one)


def _written() -> Json:
    """What the file says, new each time, because each bakery changes it."""
    written: Json = pickle.loads(_read())  # noqa: S301 - this module pickled it
    return written


@cache
def _read() -> bytes:
    return pickle.dumps(yaml.safe_load(_FILE.read_text(encoding="utf-8")))


def _child(one: Json, by_name: dict[str, Resource], now: datetime) -> Resource:
    above, _, below = one["in"].partition("/")
    place = "/".join(filter(None, (by_name[above].id, below, one["type"].rpartition("/")[2], one["name"])))
    properties = _resolved(one["properties"], by_name, now)
    document = {"id": place, "name": one["name"], "type": one["type"], "properties": properties}
    return Resource(document, now - timedelta(days=9), now - timedelta(days=1))


def _resolved(value: Any, by_name: dict[str, Resource], now: datetime) -> Any:
    if isinstance(value, dict):
        return {name: _resolved(one, by_name, now) for name, one in value.items()}
    if isinstance(value, list):
        return [_resolved(one, by_name, now) for one in value]
    if isinstance(value, str) and value[1:] in by_name and value.startswith("@"):
        return by_name[value[1:]].id
    if isinstance(value, str) and (found := _HOURS.fullmatch(value)):
        return shown(now + timedelta(hours=int(found[1])))
    return value
