"""The app with the clock among its providers, on a laptop."""

from __future__ import annotations

from typing import Final

from app.build import App, build
from settings import PlaceSettings, Settings
from tests.clock.provider import provider as clock
from tests.clock.settings import ClockSettings
from tests.clock.toolset import toolset as clock_tools
from tools import PROVIDERS, TOOLSETS

LAPTOP: Final = PlaceSettings(environment="Development")


def app_with_clock(url: str = "") -> App:
    settings = Settings(place=LAPTOP, of_providers=(ClockSettings(url=url),))
    return build(settings, toolsets=[*TOOLSETS, clock_tools], providers=[*PROVIDERS, clock])
